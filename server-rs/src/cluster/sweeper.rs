//! Removes objects of deleted events, and chunks of uploads that a kill has cut, from the bucket (rule CLU-17).
//!
//! Invariant: only an event that the copy has taken and no longer has is gone. Its id never comes back, so no upload can
//! need its objects, whichever server removes them.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use crate::cluster::bucket::{Bucket, Listing};
use crate::cluster::leftovers::Leftovers;
use crate::cluster::progress::Progress;
use crate::contract::TUNING;
use crate::error::ErrorCode;
use crate::store::Store;
use crate::store::attachments::has_event;
use crate::store::cost::Cost;

/// A pause is so many times as long as the sweep before it.
const PAUSE_SHARE: u32 = 10;

/// Sweeps the bucket of a stream.
#[derive(Debug)]
pub(super) struct Sweeper {
    pub(super) bucket: Arc<Bucket>,
    pub(super) store: Arc<Store>,
    pub(super) progress: Arc<Progress>,
    pub(super) due: Arc<Notify>,
}

impl Sweeper {
    /// Sweeps after the start, after each deletion of an attachment, and once in a while. Runs until dropped.
    pub(super) async fn run(&self) {
        let (begin, mut leftovers) = (Instant::now(), Leftovers::default());
        loop {
            let started = Instant::now();
            let is_done = self.progress.is_current() && self.sweep(&mut leftovers, begin).await;
            let pause = Duration::from_millis(TUNING.cluster_sweep_ms).max(started.elapsed() * PAUSE_SHARE);
            tokio::time::sleep(pause).await;
            if is_done {
                let most = Duration::from_secs(TUNING.cluster_sweep_most_s);
                // The limit of the wait is no error.
                drop(tokio::time::timeout(most, self.due.notified()).await);
            }
        }
    }

    /// Sweeps once; returns whether nothing is left.
    async fn sweep(&self, leftovers: &mut Leftovers, begin: Instant) -> bool {
        let applied = self.progress.applied();
        let Some(Listing { objects, leftovers: chunks }) = self.bucket.list().await else { return false };
        let events = objects.iter().filter_map(|(name, _)| event_of(name));
        let Ok(gone) = self.gone(events.filter(|id| *id <= applied).collect()).await else { return false };
        let is_gone = |name: &str| event_of(name).is_some_and(|id| gone.contains(&id));
        let mut removed = 0;
        for (name, chunks) in objects.iter().filter(|(name, _)| is_gone(name)) {
            if !self.bucket.remove(Some(name), chunks).await {
                return false;
            }
            removed += 1;
        }
        let now_ms = u64::try_from(begin.elapsed().as_millis()).unwrap_or(u64::MAX);
        for chunks in leftovers.overdue(&chunks, now_ms, TUNING.cluster_leftover_s * 1000) {
            if !self.bucket.remove(None, &chunks).await {
                return false;
            }
            removed += 1;
        }
        if removed > 0 {
            tracing::info!(removed, "the bucket of attachments was swept");
        }
        true
    }

    /// Returns the events that the copy does not have.
    async fn gone(&self, ids: HashSet<i64>) -> Result<HashSet<i64>, ErrorCode> {
        let read = move |connection: &rusqlite::Connection| {
            let mut gone = HashSet::new();
            for id in ids {
                if !has_event(connection, id)? {
                    gone.insert(id);
                }
            }
            Ok(gone)
        };
        self.store.read_spawned(Cost::Unbounded, read).await
    }
}

/// Returns the event of an object; `None` when it is none of an attachment.
fn event_of(name: &str) -> Option<i64> {
    name.split_once('.')?.0.parse().ok()
}
