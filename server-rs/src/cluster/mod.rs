//! Stores events in a stream of NATS JetStream that several servers share (rules CLU-01 to CLU-08).
//!
//! A publisher sends the events of requests to the stream. A follower stores every message of the stream in the copy of
//! this server, from which all reads come. Invariant: no event reaches the copy except through the stream.

/// An event as a message.
pub mod message;
/// The connection to NATS.
pub mod link;
/// A change of the copies as a message.
pub mod change;
/// How far the copy is.
pub mod progress;
/// From requests to the stream.
mod publisher;
/// From the stream to the copy.
mod follower;
/// The object store of a stream.
mod bucket;
/// The bytes of attachments.
mod objects;
/// Chunks without an object.
pub mod leftovers;
/// From deletions to the bytes of attachments.
mod sweeper;
/// From clients and bounds to changes of the copies.
mod changer;

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, mpsc, oneshot};
use tokio::time::Instant;

use crate::clock::Clock;
use crate::contract::LIMITS;
use crate::error::ErrorCode;
use crate::event::Outcome;
use crate::meters::EventSource;
use crate::store::Store;
use crate::store::attachments::{Attached, Attachment};
use crate::store::cluster_change::ClusterChange;
use crate::store::deletions::Scope;
use crate::store::events::Submission;
use crate::store::retention::Deleted;
use crate::store::writer::Submitted;
use bucket::Bucket;
use change::write_change;
use changer::Changer;
use follower::Follower;
use link::Link;
use message::{Message, write_message};
use objects::Objects;
use progress::{ClusterStatus, Progress};
use publisher::{Job, Publisher};
use sweeper::Sweeper;

/// The stream of a server and its copy; one per server with `--store jetstream`.
#[derive(Debug)]
pub struct Cluster {
    link: Link,
    store: Arc<Store>,
    progress: Arc<Progress>,
    publisher: Publisher,
    follower: Follower,
    changer: Changer,
    objects: Arc<Objects>,
    sweeper: Sweeper,
    jobs: mpsc::UnboundedSender<Job>,
    waiting: Mutex<Option<mpsc::UnboundedReceiver<Job>>>,
}

impl Cluster {
    /// Creates the parts for a store that is a copy of the stream. `flags` are the bounds of retention of the flags, in
    /// days and bytes.
    pub fn new(link: Link, store: &Arc<Store>, flags: (u64, u64), clock: Clock) -> Self {
        let place = store.place();
        let progress = Arc::new(Progress::new(place.map_or(0, |place| place.sequence)));
        let (jobs, waiting) = mpsc::unbounded_channel();
        let files = Arc::clone(store.attachment_files());
        let bucket = Arc::new(Bucket { link: link.clone() });
        let received = Mutex::default();
        let objects = Arc::new(Objects { bucket: Arc::clone(&bucket), files, received });
        let due = Arc::new(Notify::new());
        Self {
            publisher: Publisher {
                link: link.clone(),
                store: Arc::clone(store),
                progress: Arc::clone(&progress),
            },
            follower: Follower {
                link: link.clone(),
                store: Arc::clone(store),
                progress: Arc::clone(&progress),
                objects: Arc::clone(&objects),
                due: Arc::clone(&due),
                created_ms: place.map_or(0, |place| place.created_ms),
            },
            sweeper: Sweeper { bucket, store: Arc::clone(store), progress: Arc::clone(&progress), due },
            objects,
            changer: Changer { store: Arc::clone(store), progress: Arc::clone(&progress), clock, flags },
            link,
            store: Arc::clone(store),
            progress,
            jobs,
            waiting: Mutex::new(Some(waiting)),
        }
    }

    /// Returns the name of the stream.
    pub fn stream(&self) -> &str {
        &self.link.source.name
    }

    /// Returns whether NATS is connected.
    pub fn is_connected(&self) -> bool {
        self.link.is_connected()
    }

    /// Returns the current state of the copy.
    pub fn status(&self) -> ClusterStatus {
        self.progress.status()
    }

    /// Returns why the copy does not follow the stream; `None` while it does.
    pub fn failure(&self) -> Option<String> {
        self.progress.failure()
    }

    /// Waits a bounded time until the copy has a sequence; returns whether it does (rule CLU-09).
    pub async fn reaches(&self, sequence: i64) -> bool {
        let most = Duration::from_millis(LIMITS.cluster_behind_ms);
        tokio::time::timeout(most, self.progress.reached(sequence)).await.is_ok()
    }

    /// Returns whether the stream ended before a sequence when `reaches` began to wait for it. Only the leader knows: this
    /// server may follow a server of NATS that is cut off from the others. A leader that is cut off itself does not know
    /// its successor, so a majority must have answered it since (rule CLU-09).
    pub async fn ends_before(&self, sequence: i64) -> bool {
        let silent = Duration::from_millis(LIMITS.cluster_behind_ms);
        self.link.last_sequence(silent).await.is_some_and(|last| last < sequence.unsigned_abs())
    }

    /// Publishes the valid events of a request; resolves when the copy of this server has them. Consecutive calls are
    /// published in their order.
    pub fn submit(&self, submission: &Submission) -> impl Future<Output = Submitted> + Send + use<> {
        let messages = submission.events.iter().map(|event| write_message(event, &submission.body)).collect();
        self.send(messages, Some(submission.source))
    }

    /// Deletes events, or a session with its events, on all copies; resolves when this one has done so. `None` when no
    /// session has this id, or nothing matches (rule CLU-11).
    pub async fn delete(&self, scope: Scope) -> Result<Option<Deleted>, ErrorCode> {
        self.changer.delete(scope, |change| self.publish(change)).await
    }

    /// Sets the bounds of retention of all servers, in days and bytes; resolves when this one has them (rule CLU-12).
    pub async fn retain(&self, days: u64, bytes: u64) -> Result<(), ErrorCode> {
        self.publish(ClusterChange::Retain { days, bytes }).await.map(drop)
    }

    /// Adds an attachment to an event on all copies; resolves when this one has it. The bucket has the bytes before the
    /// stream has the message (rules CLU-14 and CLU-15).
    pub async fn attach(&self, attachment: Attachment) -> Result<Attached, ErrorCode> {
        // The copy decides what it knows already.
        let known = self.store.attach(attachment.clone()).await?;
        if known != Attached::Unshared {
            return Ok(known);
        }
        let Attachment { event, name, media_type, sha256, size, file, .. } = attachment;
        let _waiting = self.objects.put(event, &sha256, size, &file).await?;
        let sequence = self.publish(ClusterChange::Attach { event, name, sha256, size, media_type }).await?;
        Ok(self.progress.attached(sequence).unwrap_or(Attached::Repeated))
    }

    /// Publishes a change; returns its sequence when the copy of this server has it.
    async fn publish(&self, change: ClusterChange) -> Result<i64, ErrorCode> {
        let outcomes = self.send(vec![write_change(&change)], None).await?;
        match outcomes.first() {
            Some(Outcome::Stored(sequence)) => Ok(*sequence),
            _ => Err(ErrorCode::ClusterUnavailable),
        }
    }

    /// Queues messages for the publisher.
    fn send(
        &self,
        messages: Vec<Message>,
        source: Option<EventSource>,
    ) -> impl Future<Output = Submitted> + Send + use<> {
        let (reply, answer) = oneshot::channel();
        let deadline = Instant::now() + Duration::from_millis(LIMITS.cluster_answer_ms);
        // If the publisher has ended, this drops the sender.
        drop(self.jobs.send(Job { messages, deadline, source, reply }));
        async { answer.await.unwrap_or(Err(ErrorCode::ClusterUnavailable)) }
    }

    /// Publishes and follows until dropped.
    pub async fn run(&self) {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(mut waiting) = waiting {
            let changes = self.changer.run(|change| self.publish(change));
            let sweeps = self.sweeper.run();
            tokio::join!(self.publisher.run(&mut waiting), self.follower.run(), changes, sweeps);
        }
    }
}
