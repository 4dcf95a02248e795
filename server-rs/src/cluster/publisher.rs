//! Publishes events to the stream, and answers once the copy of this server has them (rule CLU-04).
//!
//! Invariant: messages are published in the order of the submissions.

use std::sync::Arc;

use async_nats::jetstream::context::PublishAckFuture;
use async_nats::jetstream::message::PublishMessage;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout_at};

use crate::cluster::link::Link;
use crate::cluster::message::Message;
use crate::cluster::progress::Progress;
use crate::contract::CLUSTER;
use crate::error::ErrorCode;
use crate::event::Outcome;
use crate::meters::{EventOutcome, EventSource};
use crate::store::Store;
use crate::store::writer::Submitted;

/// Room in a message for its headers.
const HEADER_BYTES: usize = 512;

/// The events of a request, or a change of the copies.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) messages: Vec<Message>,
    /// The time up to which the request waits.
    pub(super) deadline: Instant,
    /// `None` for a change, which counts as no event.
    pub(super) source: Option<EventSource>,
    pub(super) reply: oneshot::Sender<Submitted>,
}

/// Publishes jobs.
#[derive(Debug)]
pub(super) struct Publisher {
    pub(super) link: Link,
    pub(super) store: Arc<Store>,
    pub(super) progress: Arc<Progress>,
}

impl Publisher {
    /// Publishes until every sender of jobs is dropped.
    pub(super) async fn run(&self, jobs: &mut mpsc::UnboundedReceiver<Job>) {
        while let Some(Job { messages, deadline, source, reply }) = jobs.recv().await {
            let before = self.progress.applied();
            let sent = match timeout_at(deadline, self.publish(messages)).await {
                Ok(sent) => sent,
                Err(_) => Err(ErrorCode::ClusterUnavailable),
            };
            let (progress, store) = (Arc::clone(&self.progress), Arc::clone(&self.store));
            tokio::spawn(async move {
                let settled = match sent {
                    Ok(acks) => timeout_at(deadline, settle(acks, &progress, before)).await,
                    Err(code) => Ok(Err(code)),
                };
                let submitted = settled.unwrap_or(Err(ErrorCode::ClusterUnavailable));
                if let (Ok(outcomes), Some(source)) = (&submitted, source) {
                    count(&store, source, outcomes);
                }
                // The events stay even if the client has disconnected.
                drop(reply.send(submitted));
            });
        }
    }

    async fn publish(&self, messages: Vec<Message>) -> Result<Vec<PublishAckFuture>, ErrorCode> {
        if let Some(code) = self.store.state().refusal() {
            return Err(code);
        }
        if !self.link.is_connected() {
            return Err(ErrorCode::ClusterUnavailable);
        }
        self.progress.following().await;
        let most = self.link.client.max_payload();
        if messages.iter().any(|message| message.payload.len() + HEADER_BYTES > most) {
            return Err(ErrorCode::ClusterUnsupported);
        }
        let subject = self.link.subject();
        let mut acks = Vec::with_capacity(messages.len());
        for message in messages {
            let ack = self.link.context.send_publish(subject.clone(), publication(message)).await;
            acks.push(ack.map_err(|error| unavailable(&error))?);
        }
        Ok(acks)
    }
}

fn publication(Message { payload, key, wait, is_truncated, change }: Message) -> PublishMessage {
    let mut publication = PublishMessage::build().payload(payload.into());
    if let Some(key) = key {
        publication = publication.message_id(key);
    }
    if let Some(wait) = wait {
        publication = publication.header(&*CLUSTER.headers.wait, wait);
    }
    if is_truncated {
        publication = publication.header(&*CLUSTER.headers.truncated, "1");
    }
    if let Some(change) = change {
        publication = publication.header(&*CLUSTER.headers.change, change);
    }
    publication
}

/// Waits for the acknowledgement of every message, and until the copy has them all. `before` is what the copy had when
/// they were published.
async fn settle(acks: Vec<PublishAckFuture>, progress: &Progress, before: i64) -> Submitted {
    let (mut outcomes, mut newest) = (Vec::with_capacity(acks.len()), 0);
    for ack in acks {
        let ack = ack.await.map_err(|error| unavailable(&error))?;
        let sequence = i64::try_from(ack.sequence).unwrap_or(i64::MAX);
        if sequence <= before && !ack.duplicate {
            // Only a stream that was created again gives out such a sequence.
            return Err(ErrorCode::ClusterUnavailable);
        }
        newest = newest.max(sequence);
        outcomes.push(if ack.duplicate { Outcome::Duplicate } else { Outcome::Stored(sequence) });
    }
    progress.reached(newest).await;
    for outcome in &mut outcomes {
        // The stream forgets a key after its window, and a copy never does.
        if matches!(outcome, Outcome::Stored(sequence) if progress.is_duplicate(*sequence)) {
            *outcome = Outcome::Duplicate;
        }
    }
    Ok(outcomes)
}

fn unavailable(error: &dyn std::error::Error) -> ErrorCode {
    tracing::warn!(reason = %error, "the stream did not confirm an event");
    ErrorCode::ClusterUnavailable
}

/// Counts the events of a request at the server that received it.
fn count(store: &Store, source: EventSource, outcomes: &[Outcome]) {
    let duplicates = outcomes.iter().filter(|outcome| matches!(outcome, Outcome::Duplicate)).count();
    store.meters().count_events(EventOutcome::Accepted, source, outcomes.len() - duplicates);
    store.meters().count_events(EventOutcome::Duplicate, source, duplicates);
}
