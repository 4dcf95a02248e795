//! Follows the stream, and stores its messages in the copy of this server (rule CLU-05).
//!
//! Invariant: a message is stored once, in the order of the sequences. After any contradiction the follower asks again from
//! the sequence that the copy has.

use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::consumer::{AckPolicy, Consumer, DeliverPolicy, pull};
use async_nats::jetstream::{Message as Delivery, stream};
use futures_util::{FutureExt, StreamExt};
use tokio::sync::Notify;

use crate::cluster::change::read_change;
use crate::cluster::link::{Link, UNREACHABLE, created_ms, milliseconds};
use crate::cluster::message::read_message;
use crate::cluster::objects::Objects;
use crate::cluster::progress::Progress;
use crate::contract::{CLUSTER, TUNING};
use crate::event::Outcome;
use crate::meters::EventSource;
use crate::store::Store;
use crate::store::attachments::Attached;
use crate::store::cluster::{Applied, ClusterEvent, ClusterGroup};
use crate::store::cluster_change::ClusterChange;
use crate::store::events::Submission;

/// Time after which NATS forgets a consumer without a follower.
const INACTIVE: Duration = Duration::from_secs(30);

/// Follows the stream of one server.
#[derive(Debug)]
pub(super) struct Follower {
    pub(super) link: Link,
    pub(super) store: Arc<Store>,
    pub(super) progress: Arc<Progress>,
    pub(super) objects: Arc<Objects>,
    /// Notified when objects of the bucket are no longer needed.
    pub(super) due: Arc<Notify>,
    /// When the stream of the copy was created, in Unix milliseconds.
    pub(super) created_ms: i64,
}

/// A group that is being read, and the number of messages behind it.
struct Reading {
    group: ClusterGroup,
    bytes: usize,
    waiting: u64,
}

impl Follower {
    /// Follows until dropped.
    pub(super) async fn run(&self) {
        loop {
            let failure = self.follow().await;
            self.progress.fail(failure);
            tokio::time::sleep(Duration::from_millis(TUNING.cluster_retry_ms)).await;
        }
    }

    /// Follows until something contradicts the copy; returns why, or `None` when only the consumer ended.
    async fn follow(&self) -> Option<&'static str> {
        if !self.link.is_connected() {
            return Some(UNREACHABLE);
        }
        // The permit of the connection that this consumer uses.
        let _earlier = self.link.changed.notified().now_or_never();
        let name = &self.link.source.name;
        let Some(stream) = self.link.answer(|| self.link.context.get_stream(name)).await else {
            return Some(UNREACHABLE);
        };
        let applied = self.progress.applied();
        if let Some(failure) = self.contradiction(stream.cached_info(), applied) {
            return Some(failure);
        }
        let start_sequence = applied.unsigned_abs() + 1;
        let config = pull::Config {
            deliver_policy: DeliverPolicy::ByStartSequence { start_sequence },
            ack_policy: AckPolicy::None,
            inactive_threshold: INACTIVE,
            memory_storage: true,
            num_replicas: 1,
            ..pull::Config::default()
        };
        // NATS may choose a server that has just ended, so each request is for another consumer.
        let Some(consumer) = self.link.answer(|| stream.create_consumer(config.clone())).await else {
            return Some(UNREACHABLE);
        };
        let failure = self.read(&consumer).await;
        // NATS would keep it for a while, and refuses more than 1,000 of a stream.
        let ended = consumer.cached_info().name.clone();
        tokio::spawn(async move { stream.delete_consumer(&ended).await.map(drop) });
        failure
    }

    /// Reads until the consumer ends, or the copy cannot go on; returns why it cannot.
    async fn read(&self, consumer: &Consumer<pull::Config>) -> Option<&'static str> {
        let heartbeat = Duration::from_millis(TUNING.cluster_heartbeat_ms);
        let messages = consumer
            .stream()
            .max_messages_per_batch(TUNING.cluster_group_events)
            .heartbeat(heartbeat)
            .expires(heartbeat * 5)
            .messages();
        let Ok(mut messages) = messages.await else { return Some(UNREACHABLE) };
        self.progress.begin(consumer.cached_info().num_pending);
        let mut delivered = 0;
        loop {
            let first = tokio::select! {
                // A consumer in memory may have ended with its server.
                () = self.link.changed.notified() => return None,
                first = messages.next() => first,
            };
            let mut reading = Reading::new(self.progress.applied());
            let mut next = first;
            loop {
                match next {
                    Some(Ok(message)) if reading.take(&message, &mut delivered) => {}
                    // The next consumer starts after the messages of this group.
                    _ => return self.apply(reading).await.err().flatten(),
                }
                if reading.is_full() {
                    break;
                }
                let Some(ready) = messages.next().now_or_never() else { break };
                next = ready;
            }
            if let Err(failure) = self.apply(reading).await {
                return failure;
            }
        }
    }

    /// Returns why the copy cannot continue this stream.
    fn contradiction(&self, info: &stream::Info, applied: i64) -> Option<&'static str> {
        let applied = applied.unsigned_abs();
        if created_ms(info) != self.created_ms {
            Some("another_stream")
        } else if info.state.last_sequence < applied {
            Some("stream_behind")
        } else if info.state.first_sequence > applied + 1 {
            Some("messages_missing")
        } else {
            None
        }
    }

    /// Stores a group. The error is why the copy cannot go on, if it cannot.
    async fn apply(&self, Reading { mut group, waiting, .. }: Reading) -> Result<(), Option<&'static str>> {
        let sequence = group.sequence;
        if sequence == self.progress.applied() {
            return Ok(());
        }
        if let Some(ClusterChange::Attach { event, sha256, size, .. }) = group.change {
            // The bytes come before the row, as in an upload.
            group.file = self.objects.content(event, sha256, size).await.map_err(Some)?;
        }
        let sequences: Vec<i64> = group.events.iter().map(|event| event.sequence).collect();
        let bounds = match group.change {
            Some(ClusterChange::Retain { days, bytes }) => Some((days, bytes)),
            _ => None,
        };
        let Applied { outcomes, deleted, attached, contents } =
            self.store.apply(group).await.map_err(|_| None)?;
        if let Some((days, bytes)) = bounds {
            self.store.set_bounds(days, bytes);
        }
        if let Some(events) = deleted {
            self.progress.note_deletion(sequence, events);
        }
        if let Some(attached) = attached {
            self.progress.note_attachment(sequence, attached);
        }
        if !contents.is_empty() || attached == Some(Attached::NoEvent) {
            self.due.notify_one();
        }
        let stored = sequences.into_iter().zip(outcomes);
        let duplicates =
            stored.filter(|(_, outcome)| *outcome == Outcome::Duplicate).map(|(sequence, _)| sequence);
        self.progress.advance(sequence, duplicates, waiting);
        Ok(())
    }
}

impl Reading {
    fn new(sequence: i64) -> Self {
        let group = ClusterGroup { events: Vec::new(), change: None, changed_at: 0, file: None, sequence };
        Self { group, bytes: 0, waiting: 0 }
    }

    fn is_full(&self) -> bool {
        // A change comes after the events of its group.
        self.group.change.is_some()
            || self.group.events.len() >= TUNING.cluster_group_events
            || self.bytes >= TUNING.cluster_group_bytes
    }

    /// Adds a message; returns whether it is the next one of its consumer.
    fn take(&mut self, message: &Delivery, delivered: &mut u64) -> bool {
        let Ok(info) = message.info() else { return false };
        if info.consumer_sequence != *delivered + 1 {
            return false;
        }
        *delivered = info.consumer_sequence;
        let sequence = i64::try_from(info.stream_sequence).unwrap_or(i64::MAX);
        let created_at = milliseconds(info.published.unix_timestamp_nanos());
        self.waiting = info.pending;
        self.bytes += message.payload.len();
        self.group.sequence = sequence;
        let header = |name: &str| message.headers.as_ref().and_then(|headers| headers.get(name));
        if let Some(name) = header(&CLUSTER.headers.change) {
            self.group.change = read_change(name.as_str(), &message.payload);
            self.group.changed_at = created_at;
            if self.group.change.is_none() {
                tracing::warn!(sequence, "a message of the stream is no change that this server knows");
            }
            return true;
        }
        let wait = header(&CLUSTER.headers.wait).map(|value| value.as_str());
        match read_message(&message.payload, wait, header(&CLUSTER.headers.truncated).is_some()) {
            Some((body, event)) => {
                let submission = Submission { body, events: vec![event], source: EventSource::Events };
                self.group.events.push(ClusterEvent { sequence, created_at, submission });
            }
            None => tracing::warn!(sequence, "a message of the stream is no event"),
        }
        true
    }
}
