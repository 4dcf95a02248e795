//! Sends one notification to the receiver: a signed POST, without redirects (rules NOT-03 and NOT-04).
//!
//! Each attempt has a connection of its own, because notifications are rare. The caller bounds its time.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, header};

use crate::endpoint::Endpoint;
use crate::http_client::HttpClient;
use crate::notices::Notice;

const ID: HeaderName = HeaderName::from_static("webhook-id");
const TIMESTAMP: HeaderName = HeaderName::from_static("webhook-timestamp");
const SIGNATURE: HeaderName = HeaderName::from_static("webhook-signature");

/// Reasons of a failed attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// No answer: no connection, no TLS, or a connection that ended early.
    Unreachable,
    /// An answer outside 2xx.
    Status(u16),
}

/// Sends notifications to one receiver.
#[derive(Debug)]
pub struct Webhook {
    endpoint: Arc<Endpoint>,
    client: HttpClient,
}

impl Webhook {
    /// Prepares the client of the receiver.
    pub fn new(endpoint: Arc<Endpoint>) -> Self {
        Self { client: HttpClient::new(&endpoint.url, false), endpoint }
    }

    /// Sends a notification; succeeds with an answer of 2xx, whose body is not read.
    pub async fn post(&self, notice: &Notice, now_s: u64) -> Result<(), Refusal> {
        let text = |text: &str| HeaderValue::from_str(text).map_err(|_| Refusal::Unreachable);
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ID, text(&notice.id)?);
        headers.insert(TIMESTAMP, now_s.into());
        headers.insert(SIGNATURE, text(&self.endpoint.sign(&notice.id, now_s, &notice.body))?);
        let body = Bytes::from(notice.body.clone());
        let status = self.client.post(headers, body).await.map_err(|_| Refusal::Unreachable)?.status();
        if status.is_success() { Ok(()) } else { Err(Refusal::Status(status.as_u16())) }
    }
}
