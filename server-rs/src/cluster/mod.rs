//! Stores events in a stream of NATS JetStream that several servers share (rules CLU-01 to CLU-08).
//!
//! A publisher sends the events of requests to the stream. A follower stores every message of the stream in the copy of
//! this server, from which all reads come. Invariant: no event reaches the copy except through the stream.

/// An event as a message.
pub mod message;
/// The connection to NATS.
pub mod link;
/// How far the copy is.
pub mod progress;
/// From requests to the stream.
mod publisher;
/// From the stream to the copy.
mod follower;

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use crate::contract::LIMITS;
use crate::error::ErrorCode;
use crate::store::Store;
use crate::store::events::Submission;
use crate::store::writer::Submitted;
use follower::Follower;
use link::Link;
use message::write_message;
use progress::{ClusterStatus, Progress};
use publisher::{Job, Publisher};

/// The stream of a server and its copy; one per server with `--store jetstream`.
#[derive(Debug)]
pub struct Cluster {
    link: Link,
    progress: Arc<Progress>,
    publisher: Publisher,
    follower: Follower,
    jobs: mpsc::UnboundedSender<Job>,
    waiting: Mutex<Option<mpsc::UnboundedReceiver<Job>>>,
}

impl Cluster {
    /// Creates the two parts for a store that is a copy of the stream.
    pub fn new(link: Link, store: &Arc<Store>) -> Self {
        let place = store.place();
        let progress = Arc::new(Progress::new(place.map_or(0, |place| place.sequence)));
        let (jobs, waiting) = mpsc::unbounded_channel();
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
                created_ms: place.map_or(0, |place| place.created_ms),
            },
            link,
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

    /// Publishes the valid events of a request; resolves when the copy of this server has them. Consecutive calls are
    /// published in their order.
    pub fn submit(&self, submission: &Submission) -> impl Future<Output = Submitted> + Send + use<> {
        let messages = submission.events.iter().map(|event| write_message(event, &submission.body)).collect();
        let (reply, answer) = oneshot::channel();
        // If the publisher has ended, this drops the sender.
        let deadline = Instant::now() + Duration::from_millis(LIMITS.cluster_answer_ms);
        drop(self.jobs.send(Job { messages, deadline, source: submission.source, reply }));
        async { answer.await.unwrap_or(Err(ErrorCode::ClusterUnavailable)) }
    }

    /// Publishes and follows until dropped.
    pub async fn run(&self) {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(mut waiting) = waiting {
            tokio::join!(self.publisher.run(&mut waiting), self.follower.run());
        }
    }
}
