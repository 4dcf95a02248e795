//! Sends batches to a receiver over HTTP or HTTPS (rule FWD-01).
//!
//! A thread of its own sends, one request at a time. The end of the process does not wait for it. Invariant: the token
//! appears in no log line and no error.

use std::sync::mpsc;
use std::time::Duration;

use tokio::sync::oneshot;
use ureq::Agent;
use ureq::http::header::{AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER};

use crate::config::Receiver;
use crate::contract::LIMITS;
use crate::forward::answer::{Answer, UNREACHABLE, failed, read_answer};

/// The media type of MessagePack that every server with this API reads.
const MEDIA_TYPE: &str = "application/msgpack";

/// A batch, the number of its events, and where its answer goes.
type Request = (Vec<u8>, usize, oneshot::Sender<Answer>);

/// The handle of the sending thread.
#[derive(Debug)]
pub struct Sender {
    requests: mpsc::Sender<Request>,
}

impl Sender {
    /// Starts the thread.
    pub fn start(receiver: &Receiver, token: Option<String>) -> std::io::Result<Self> {
        let (requests, waiting) = mpsc::channel::<Request>();
        let url = format!("{}/api/events/batch", receiver.url);
        let authorization = token.map(|token| format!("Bearer {token}"));
        std::thread::Builder::new().name("forwarder".to_owned()).spawn(move || {
            let agent = agent();
            for (body, events, reply) in waiting {
                let answer = send(&agent, &url, authorization.as_deref(), &body, events);
                // The forwarder does not wait any more when the server ends.
                drop(reply.send(answer));
            }
        })?;
        Ok(Self { requests })
    }

    /// Sends a batch; returns the judged answer.
    pub async fn send(&self, body: Vec<u8>, events: usize) -> Answer {
        let (reply, answer) = oneshot::channel();
        // If the thread has ended, this drops the sender.
        drop(self.requests.send((body, events, reply)));
        answer.await.unwrap_or_else(|_| failed(UNREACHABLE))
    }
}

/// Returns a client that follows no redirection and uses no proxy of the environment.
fn agent() -> Agent {
    Agent::config_builder()
        .timeout_global(Some(Duration::from_millis(LIMITS.forward_timeout_ms)))
        .max_redirects(0)
        .max_redirects_will_error(false)
        .http_status_as_error(false)
        .proxy(None)
        .user_agent(concat!("ingest-server/", env!("CARGO_PKG_VERSION")))
        .build()
        .new_agent()
}

fn send(agent: &Agent, url: &str, authorization: Option<&str>, body: &[u8], events: usize) -> Answer {
    let mut request = agent.post(url).header(CONTENT_TYPE, MEDIA_TYPE);
    if let Some(authorization) = authorization {
        request = request.header(AUTHORIZATION, authorization);
    }
    let sent = request.send(body).and_then(|mut response| {
        let retry_after = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
        let retry_after = retry_after.map(str::to_owned);
        let body = response.body_mut().with_config().limit(LIMITS.forward_answer_bytes).read_to_vec()?;
        Ok(read_answer(response.status().as_u16(), retry_after.as_deref(), &body, events))
    });
    sent.unwrap_or_else(|error| {
        tracing::debug!(reason = error.to_string(), "the receiver was not reached");
        failed(UNREACHABLE)
    })
}
