//! Sends POST requests to one receiver over HTTP or HTTPS (rules NOT-01 and FWD-01).
//!
//! It follows no redirection and uses no proxy of the environment. The caller bounds the time of a request. Invariant:
//! neither the URL nor a header appears in a log line or an error.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use http::uri::PathAndQuery;
use http::{HeaderMap, HeaderValue, Method, Request, Response, Uri, header};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use rustls_native_certs::{load_certs_from_paths, load_native_certs};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// The name that the server gives itself.
const USER_AGENT: HeaderValue =
    HeaderValue::from_static(concat!("ingest-server/", env!("CARGO_PKG_VERSION")));

/// Reasons why a request has no answer.
#[derive(Debug, thiserror::Error)]
pub enum HttpClientError {
    /// The URL has no host that TLS can verify.
    #[error("the name of the host cannot be verified")]
    Name,
    /// No connection, or no TLS on it.
    #[error("{0}")]
    Connection(#[from] io::Error),
    /// The connection ended early, or the answer is not HTTP.
    #[error("{0}")]
    Exchange(#[from] hyper::Error),
    /// The body of the answer ended early, or is too long.
    #[error("the answer is too long or ended early")]
    Answer,
}

/// A connection, with TLS or without. As one type it needs hyper's client only once in the binary.
trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// The client of one receiver.
pub struct HttpClient {
    host: String,
    port: u16,
    authority: Option<HeaderValue>,
    /// Path and query.
    target: Uri,
    /// For a URL of https.
    tls: Option<Arc<ClientConfig>>,
    /// Whether a connection is kept for the next request.
    is_kept: bool,
    kept: Mutex<Option<SendRequest<Full<Bytes>>>>,
}

/// The URL must not reach logs, so `Debug` prints none of it.
impl std::fmt::Debug for HttpClient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpClient").finish_non_exhaustive()
    }
}

impl HttpClient {
    /// Creates the client of a URL; for https, reads the certificates of the authorities.
    pub fn new(url: &str, is_kept: bool) -> Self {
        // The flags accept valid URLs only. Any other one has no host, so no request succeeds.
        let url: Uri = url.parse().unwrap_or_default();
        let is_secure = url.scheme_str() == Some("https");
        let target = url.path_and_query().cloned().unwrap_or_else(|| PathAndQuery::from_static("/"));
        Self {
            host: url.host().unwrap_or_default().trim_matches(['[', ']']).to_owned(),
            port: url.port_u16().unwrap_or(if is_secure { 443 } else { 80 }),
            authority: url.authority().and_then(|text| HeaderValue::from_str(text.as_str()).ok()),
            target: target.into(),
            tls: is_secure.then(|| Arc::new(tls())),
            is_kept,
            kept: Mutex::default(),
        }
    }

    /// Sends a request; returns its answer, whose body may still arrive.
    pub async fn post(&self, headers: HeaderMap, body: Bytes) -> Result<Response<Incoming>, HttpClientError> {
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = self.target.clone();
        *request.headers_mut() = headers;
        let headers = request.headers_mut();
        headers.insert(header::USER_AGENT, USER_AGENT);
        if let Some(authority) = &self.authority {
            headers.insert(header::HOST, authority.clone());
        }
        if !self.is_kept {
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        let mut connection = self.connection().await?;
        let answer = connection.send_request(request).await?;
        if self.is_kept {
            *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(connection);
        }
        Ok(answer)
    }

    /// Returns the kept connection if it is still open, else a new one.
    async fn connection(&self) -> Result<SendRequest<Full<Bytes>>, HttpClientError> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(mut kept) = kept
            && kept.ready().await.is_ok()
        {
            return Ok(kept);
        }
        let stream = TcpStream::connect((self.host.as_str(), self.port)).await?;
        stream.set_nodelay(true)?;
        let stream: Box<dyn Stream> = match &self.tls {
            Some(tls) => {
                let name = ServerName::try_from(self.host.clone()).map_err(|_| HttpClientError::Name)?;
                Box::new(TlsConnector::from(Arc::clone(tls)).connect(name, stream).await?)
            }
            None => Box::new(stream),
        };
        let (requests, connection) = http1::handshake(TokioIo::new(stream)).await?;
        // Ends with the request, or with the kept connection.
        tokio::spawn(connection);
        Ok(requests)
    }
}

/// Returns the settings of TLS. The authorities are those of the PEM file `SSL_CERT_FILE`, else those of the system.
fn tls() -> ClientConfig {
    let found = match std::env::var_os("SSL_CERT_FILE") {
        // Without the folder that `SSL_CERT_DIR` may name.
        Some(file) => load_certs_from_paths(Some(Path::new(&file)), None),
        None => load_native_certs(),
    };
    let mut roots = RootCertStore::empty();
    // A certificate that cannot be read is left out.
    roots.add_parsable_certificates(found.certs);
    if roots.is_empty() {
        tracing::warn!("no certificate of an authority was found, so requests over HTTPS fail");
    }
    ClientConfig::builder().with_root_certificates(roots).with_no_client_auth()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_divided_into_its_parts() {
        let parts = |url: &str| {
            let client = HttpClient::new(url, false);
            let authority = client.authority.and_then(|value| value.to_str().map(str::to_owned).ok());
            (client.tls.is_some(), client.host, client.port, authority, client.target.to_string())
        };
        let text = str::to_owned;
        assert_eq!(
            parts("HTTPS://Example.org?x"),
            (true, text("Example.org"), 443, Some(text("Example.org")), text("/?x"))
        );
        assert_eq!(
            parts("http://[::1]:8080/a/b?c"),
            (false, text("::1"), 8080, Some(text("[::1]:8080")), text("/a/b?c"))
        );
        assert_eq!(
            parts("http://a_b.example"),
            (false, text("a_b.example"), 80, Some(text("a_b.example")), text("/"))
        );
    }

    #[test]
    fn a_client_prints_no_url() {
        let printed = format!("{:?}", HttpClient::new("http://a.example/secret", true));
        assert_eq!(printed, "HttpClient { .. }");
    }
}
