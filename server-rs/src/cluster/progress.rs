//! Knows how far this server has followed the stream, and which messages were duplicates (rules CLU-04 and CLU-07).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use tokio::sync::watch;

use crate::contract::TUNING;
use crate::store::attachments::Attached;

/// The state of the copy, for `/api/health`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClusterStatus {
    /// The newest sequence in the copy.
    pub applied: i64,
    /// Number of messages that the server knows of and that the copy lacks.
    pub waiting: u64,
    /// Why the copy does not follow the stream; `None` while it does.
    pub failure: Option<String>,
}

/// The progress of the copy. The follower raises it, and requests wait for it.
#[derive(Debug)]
pub struct Progress {
    applied: watch::Sender<i64>,
    /// The newest sequences whose event was stored before.
    duplicates: Mutex<BTreeSet<i64>>,
    /// The newest sequences whose change deleted something, and the numbers of events.
    deletions: Mutex<BTreeMap<i64, u64>>,
    /// The newest sequences whose change adds an attachment, and what became of it.
    attachments: Mutex<BTreeMap<i64, Attached>>,
    waiting: AtomicU64,
    /// Why the copy does not follow the stream.
    failure: watch::Sender<Option<String>>,
}

impl Progress {
    /// Starts at a sequence.
    pub fn new(sequence: i64) -> Self {
        Self {
            applied: watch::Sender::new(sequence),
            duplicates: Mutex::default(),
            deletions: Mutex::default(),
            attachments: Mutex::default(),
            waiting: AtomicU64::new(0),
            failure: watch::Sender::new(Some("connecting".to_owned())),
        }
    }

    /// Returns the newest sequence in the copy.
    pub fn applied(&self) -> i64 {
        *self.applied.borrow()
    }

    /// Returns why the copy does not follow the stream; `None` while it does.
    pub fn failure(&self) -> Option<String> {
        self.failure.borrow().clone()
    }

    /// Returns the current state.
    pub fn status(&self) -> ClusterStatus {
        ClusterStatus {
            applied: self.applied(),
            waiting: self.waiting.load(Ordering::Relaxed),
            failure: self.failure(),
        }
    }

    /// Waits until the copy follows the stream.
    pub async fn following(&self) {
        // The sender is this struct, so the channel stays open.
        drop(self.failure.subscribe().wait_for(Option::is_none).await);
    }

    /// Records that the copy follows the stream, which has so many messages behind it.
    pub fn begin(&self, waiting: u64) {
        self.waiting.store(waiting, Ordering::Relaxed);
        self.fail(None);
    }

    /// Records that the copy has the messages up to a sequence, and which of them were duplicates.
    pub fn advance(&self, sequence: i64, duplicates: impl IntoIterator<Item = i64>, waiting: u64) {
        let mut known = self.duplicates.lock().unwrap_or_else(PoisonError::into_inner);
        known.extend(duplicates);
        while known.len() > TUNING.cluster_known_duplicates {
            known.pop_first();
        }
        drop(known);
        self.waiting.store(waiting, Ordering::Relaxed);
        self.applied.send_replace(sequence);
    }

    /// Records what the change of a message deleted. It precedes the `advance` to this message.
    pub fn note_deletion(&self, sequence: i64, events: u64) {
        note(&self.deletions, sequence, events);
    }

    /// Returns the number of events that the change of an applied message deleted; `None` when it deleted nothing.
    pub fn deleted(&self, sequence: i64) -> Option<u64> {
        self.deletions.lock().unwrap_or_else(PoisonError::into_inner).get(&sequence).copied()
    }

    /// Records what became of the attachment of a message. It precedes the `advance` to this message.
    pub fn note_attachment(&self, sequence: i64, attached: Attached) {
        note(&self.attachments, sequence, attached);
    }

    /// Returns what became of the attachment of an applied message; `None` when it adds none.
    pub fn attached(&self, sequence: i64) -> Option<Attached> {
        self.attachments.lock().unwrap_or_else(PoisonError::into_inner).get(&sequence).copied()
    }

    /// Returns whether the copy follows the stream, and has every message that the server knows of.
    pub fn is_current(&self) -> bool {
        self.failure.borrow().is_none() && self.waiting.load(Ordering::Relaxed) == 0
    }

    /// Waits until the copy has a sequence.
    pub async fn reached(&self, sequence: i64) {
        // The sender is this struct, so the channel stays open.
        drop(self.applied.subscribe().wait_for(|applied| *applied >= sequence).await);
    }

    /// Returns whether the event of an applied message was stored before.
    pub fn is_duplicate(&self, sequence: i64) -> bool {
        self.duplicates.lock().unwrap_or_else(PoisonError::into_inner).contains(&sequence)
    }

    /// Records why the copy does not follow the stream. A new reason is a log line.
    pub fn fail(&self, failure: Option<&str>) {
        let is_new = self.failure.send_if_modified(|current| {
            let is_new = current.as_deref() != failure;
            if is_new {
                *current = failure.map(str::to_owned);
            }
            is_new
        });
        match failure {
            Some(failure) if is_new => tracing::warn!(failure, "the copy does not follow its stream"),
            None if is_new => tracing::info!(applied = self.applied(), "the copy follows its stream"),
            _ => {}
        }
    }
}

/// Records the effect of a message, and forgets the oldest one.
fn note<T>(effects: &Mutex<BTreeMap<i64, T>>, sequence: i64, effect: T) {
    let mut known = effects.lock().unwrap_or_else(PoisonError::into_inner);
    known.insert(sequence, effect);
    while known.len() > TUNING.cluster_known_duplicates {
        known.pop_first();
    }
}
