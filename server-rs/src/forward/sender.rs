//! Sends batches to a receiver over HTTP or HTTPS (rule FWD-01).
//!
//! One request at a time, on a connection that is kept. The end of the process does not wait for it. Invariant: the
//! token appears in no log line and no error.

use std::fmt::Display;
use std::time::Duration;

use http::header::{AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderMap, HeaderValue};
use http_body_util::{BodyExt, Limited};
use tokio::time::timeout;

use crate::config::Receiver;
use crate::contract::TUNING;
use crate::forward::answer::{Answer, UNREACHABLE, failed, read_answer};
use crate::http_client::{HttpClient, HttpClientError};

/// The media type of MessagePack that every server with this API reads.
const MEDIA_TYPE: HeaderValue = HeaderValue::from_static("application/msgpack");

/// The client of one receiver.
#[derive(Debug)]
pub struct Sender {
    client: HttpClient,
    headers: HeaderMap,
}

impl Sender {
    /// Creates the client. Needs no connection yet.
    pub fn new(receiver: &Receiver, token: Option<&str>) -> Self {
        let mut headers = HeaderMap::from_iter([(CONTENT_TYPE, MEDIA_TYPE)]);
        // The flag accepts only tokens that a header may hold.
        if let Some(mut bearer) =
            token.and_then(|token| format!("Bearer {token}").parse::<HeaderValue>().ok())
        {
            bearer.set_sensitive(true);
            headers.insert(AUTHORIZATION, bearer);
        }
        Self { client: HttpClient::new(&format!("{}/api/events/batch", receiver.url), true), headers }
    }

    /// Sends a batch; returns the judged answer.
    pub async fn send(&self, body: Vec<u8>, events: usize) -> Answer {
        let limit = Duration::from_millis(TUNING.forward_timeout_ms);
        match timeout(limit, self.exchange(body, events)).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(error)) => unreached(&error),
            Err(elapsed) => unreached(&elapsed),
        }
    }

    async fn exchange(&self, body: Vec<u8>, events: usize) -> Result<Answer, HttpClientError> {
        let response = self.client.post(self.headers.clone(), body.into()).await?;
        let (head, body) = response.into_parts();
        let body = Limited::new(body, TUNING.forward_answer_bytes).collect().await;
        let body = body.map_err(|_| HttpClientError::Answer)?.to_bytes();
        let retry_after = head.headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok());
        Ok(read_answer(head.status.as_u16(), retry_after, &body, events))
    }
}

fn unreached(reason: &dyn Display) -> Answer {
    tracing::debug!(reason = reason.to_string(), "the receiver was not reached");
    failed(UNREACHABLE)
}
