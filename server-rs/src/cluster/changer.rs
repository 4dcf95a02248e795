//! Publishes the changes that clients and the bounds of retention ask for, step by step (rules CLU-11 and CLU-12).
//!
//! Invariant: a step names what it deletes by ids alone, so every copy deletes the same rows. The next step follows once
//! this copy has taken the one before.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::clock::Clock;
use crate::cluster::progress::Progress;
use crate::contract::{LIMITS, TUNING};
use crate::error::ErrorCode;
use crate::store::Store;
use crate::store::cluster_change::{ClusterChange, NextStep};
use crate::store::cost::Cost;
use crate::store::deletions::{Scope, deletion_bound, session_blocks};
use crate::store::query::newest_revision;
use crate::store::retention::{Deleted, Due, due_bound};

/// Publishes the steps of changes.
#[derive(Debug)]
pub(super) struct Changer {
    pub(super) store: Arc<Store>,
    pub(super) progress: Arc<Progress>,
    pub(super) clock: Clock,
    /// Days and bytes of the flags; 0 is no bound.
    pub(super) flags: (u64, u64),
}

impl Changer {
    /// Deletes what a scope covers on all copies; `None` when no session has this id. `publish` returns the sequence of
    /// a change once this copy has it.
    pub(super) async fn delete<P, F>(&self, scope: Scope, publish: P) -> Result<Option<Deleted>, ErrorCode>
    where
        P: Fn(ClusterChange) -> F,
        F: Future<Output = Result<i64, ErrorCode>>,
    {
        let mut deleted = Deleted { events: 0, revision: 0 };
        let mut block = 0;
        while let Some(NextStep { change, is_last }) = self.next_step(scope.clone(), block).await? {
            if let ClusterChange::DeleteSession { to_block: Some(last), .. } = change {
                // The last block may get more events meanwhile.
                block = last;
            }
            let sequence = publish(change).await?;
            if let Some(events) = self.progress.deleted(sequence) {
                deleted.events += events;
                deleted.revision = sequence;
            }
            if is_last {
                break;
            }
        }
        Ok((deleted.revision > 0).then_some(deleted))
    }

    /// Returns the next change of a deletion; `None` when nothing is left.
    async fn next_step(&self, scope: Scope, block: i64) -> Result<Option<NextStep>, ErrorCode> {
        let read = move |connection: &rusqlite::Connection| match scope {
            Scope::Before(id) => {
                let below = id.min(newest_revision(connection)? + 1);
                let bound = deletion_bound(connection, below, TUNING.retention_step_events, None)?;
                let change = |through| ClusterChange::DeleteEvents { through, is_asked: true };
                Ok(bound.map(|through| NextStep { change: change(through), is_last: false }))
            }
            Scope::Session(session_id) => {
                let Some(blocks) = session_blocks(connection, &session_id, block)? else { return Ok(None) };
                let is_last = (blocks.len() as u64) < LIMITS.retention_step_blocks;
                let to_block = blocks.last().copied().filter(|_| !is_last);
                let change = ClusterChange::DeleteSession { session_id, from_block: block, to_block };
                Ok(Some(NextStep { change, is_last }))
            }
        };
        self.store.read_spawned(Cost::Bounded, read).await
    }

    /// Publishes the bounds of the flags, and what the bounds call for. Runs until dropped.
    pub(super) async fn run<P, F>(&self, publish: P)
    where
        P: Fn(ClusterChange) -> F,
        F: Future<Output = Result<i64, ErrorCode>>,
    {
        let (mut are_flags_known, mut is_reducing) = (self.flags == (0, 0), false);
        loop {
            tokio::time::sleep(Duration::from_millis(TUNING.storage_watch_ms)).await;
            // A copy that is behind would name rows that are deleted already.
            if !self.progress.is_current() {
                continue;
            }
            if !are_flags_known {
                are_flags_known = match self.wanted() {
                    Some(change) => publish(change).await.is_ok(),
                    None => true,
                };
            }
            // After a failure the next round tries again.
            while let Ok(Some(through)) = self.due(&mut is_reducing).await {
                if publish(ClusterChange::DeleteEvents { through, is_asked: false }).await.is_err() {
                    break;
                }
            }
        }
    }

    /// Returns the bounds with those of the flags; `None` when they are the same.
    fn wanted(&self) -> Option<ClusterChange> {
        let known = self.bounds();
        let or = |flag: u64, known: u64| if flag > 0 { flag } else { known };
        let (days, bytes) = (or(self.flags.0, known.0), or(self.flags.1, known.1));
        ((days, bytes) != known).then_some(ClusterChange::Retain { days, bytes })
    }

    fn bounds(&self) -> (u64, u64) {
        let bounds = self.store.bounds();
        (bounds.days.load(Ordering::Relaxed), bounds.bytes.load(Ordering::Relaxed))
    }

    /// Returns the newest id that the bounds let a step delete.
    async fn due(&self, is_reducing: &mut bool) -> Result<Option<i64>, ErrorCode> {
        let (days, bytes) = self.bounds();
        if (days, bytes) == (0, 0) {
            return Ok(None);
        }
        let (now_ms, was_reducing) = (self.clock.now_ms(), *is_reducing);
        let read = move |connection: &rusqlite::Connection| {
            let last_id = newest_revision(connection)?;
            let mut is_reducing = was_reducing;
            let due = Due { days, bytes, last_id, now_ms, most: TUNING.retention_step_events };
            let bound = due_bound(connection, &due, &mut is_reducing)?;
            Ok((bound, is_reducing))
        };
        let (bound, still) = self.store.read_spawned(Cost::Bounded, read).await?;
        *is_reducing = still;
        Ok(bound)
    }
}
