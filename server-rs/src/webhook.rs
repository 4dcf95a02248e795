//! Sends one notification to the receiver: a signed POST, without redirects (rules NOT-03 and NOT-04).
//!
//! Each attempt has a connection of its own, because notifications are rare. The caller bounds its time.

use std::sync::Arc;

use bytes::Bytes;
use http::{Method, Request, StatusCode, header};
use http_body_util::Full;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use crate::endpoint::Endpoint;
use crate::notices::Notice;

/// The name that the server gives itself.
const USER_AGENT: &str = concat!("ingest-server/", env!("CARGO_PKG_VERSION"));

/// Reasons of a failed attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// No answer: no connection, no TLS, or a connection that ended early.
    Unreachable,
    /// An answer outside 2xx.
    Status(u16),
}

/// A connection, with TLS or without. As one type it needs hyper's client only once in the binary.
trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// Sends notifications to one receiver.
#[derive(Debug)]
pub struct Webhook {
    endpoint: Arc<Endpoint>,
    /// For a URL of https.
    tls: Option<Arc<ClientConfig>>,
}

impl Webhook {
    /// Prepares the receiver of a URL of https: reads the certificates of the system.
    pub fn new(endpoint: Arc<Endpoint>) -> Self {
        let tls = endpoint.is_secure.then(|| {
            let mut roots = RootCertStore::empty();
            // A certificate that cannot be read is left out; without any, no attempt succeeds.
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            let config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
            Arc::new(config)
        });
        Self { endpoint, tls }
    }

    /// Sends a notification; succeeds with an answer of 2xx, whose body is not read.
    pub async fn post(&self, notice: &Notice, now_s: u64) -> Result<(), Refusal> {
        let Endpoint { host, port, authority, target, .. } = &*self.endpoint;
        let request = Request::builder()
            .method(Method::POST)
            .uri(target)
            .header(header::HOST, authority)
            .header(header::USER_AGENT, USER_AGENT)
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::CONNECTION, "close")
            .header("webhook-id", &notice.id)
            .header("webhook-timestamp", now_s)
            .header("webhook-signature", self.endpoint.sign(&notice.id, now_s, &notice.body))
            .body(Full::new(Bytes::from(notice.body.clone())))
            .map_err(|_| Refusal::Unreachable)?;
        let stream = TcpStream::connect((host.as_str(), *port)).await.map_err(|_| Refusal::Unreachable)?;
        let stream: Box<dyn Stream> = match &self.tls {
            Some(tls) => {
                let name = ServerName::try_from(host.clone()).map_err(|_| Refusal::Unreachable)?;
                let stream = TlsConnector::from(Arc::clone(tls))
                    .connect(name, stream)
                    .await
                    .map_err(|_| Refusal::Unreachable)?;
                Box::new(stream)
            }
            None => Box::new(stream),
        };
        match exchange(stream, request).await {
            Ok(status) if status.is_success() => Ok(()),
            Ok(status) => Err(Refusal::Status(status.as_u16())),
            Err(_) => Err(Refusal::Unreachable),
        }
    }
}

/// Sends a request on a new connection; returns the status of its answer.
async fn exchange(stream: Box<dyn Stream>, request: Request<Full<Bytes>>) -> hyper::Result<StatusCode> {
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    let answer = sender.send_request(request);
    tokio::pin!(answer, connection);
    tokio::select! {
        biased;
        answer = &mut answer => Ok(answer?.status()),
        // A connection that has ended leaves the answer, or its error.
        _ = &mut connection => Ok(answer.await?.status()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receiver_of_https_is_prepared_with_certificates() {
        let of = |url: &str| Webhook::new(Arc::new(Endpoint::new(url, b"key").expect("is valid")));
        assert!(of("https://example.org").tls.is_some());
        assert!(of("http://example.org").tls.is_none());
    }
}
