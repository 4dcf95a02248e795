//! Which event ids were accepted, for ever (rule EVT-13): the newest in memory, all others in sorted runs.
//!
//! The newest are no more than their rows say, so that nothing is lost with the memory: they are read again from the
//! rows behind `last_keyed_event_id`. What must stay true: every key is in memory or in exactly one live run; runs,
//! merges and that mark change in the transaction that stores the events; after a rollback everything is read again.

use std::collections::VecDeque;

use hashbrown::HashSet;
use rusqlite::Connection;

use crate::contract::{LIMITS, queries};
use crate::store::event_key::EventKey;
use crate::store::key_filter::KeyHash;
use crate::store::key_flush::Flush;
use crate::store::key_merge::{DroppedRun, Merge};
use crate::store::key_run::{LIVE, Run};

/// Rows may be this many times as many as keys before a run is written, so that a start has few rows to read.
const ROWS_PER_KEY: i64 = 4;

/// The accepted ids.
#[derive(Debug, Default)]
pub struct EventKeys {
    /// `None` until it was read, and after a rollback.
    known: Option<Box<Known>>,
}

#[derive(Debug, Default)]
struct Known {
    tail: HashSet<u128>,
    flush: Option<Flush>,
    last_keyed_id: i64,
    runs: Vec<Run>,
    merges: Vec<Merge>,
    dropped: VecDeque<DroppedRun>,
}

impl EventKeys {
    /// Reads what was accepted, if it is not known.
    pub fn load(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        self.known(connection).map(drop)
    }

    /// Accepts a key; `false` when it was accepted before. To be called in a transaction.
    pub fn insert(&mut self, connection: &Connection, key: u128) -> rusqlite::Result<bool> {
        self.known(connection)?.insert(connection, key)
    }

    /// Does what is due after a group: a run is written once enough is in memory, and merges go on.
    pub fn settle(&mut self, connection: &Connection, stored: u64, last_id: i64) -> rusqlite::Result<()> {
        self.known(connection)?.settle(connection, stored, last_id)
    }

    fn known(&mut self, connection: &Connection) -> rusqlite::Result<&mut Known> {
        let known = match self.known.take() {
            Some(known) => known,
            None => Box::new(Known::load(connection)?),
        };
        Ok(self.known.insert(known).as_mut())
    }

    /// Forgets everything, also what was accepted and rolled back.
    pub fn forget(&mut self) {
        self.known = None;
    }
}

impl Known {
    fn load(connection: &Connection) -> rusqlite::Result<Self> {
        let mut known = Self::default();
        let mut select = connection.prepare(queries::SELECT_EVENT_KEY_RUNS)?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            // A run that was growing has lost its other half with the memory that grew it.
            if row.get_ref(2)?.as_str()? == LIVE {
                known.runs.push(Run::from_row(row)?);
            } else {
                known.dropped.push_back(DroppedRun::new(row.get(0)?, row.get(3)?));
            }
        }
        known.last_keyed_id =
            connection.query_row(queries::SELECT_LAST_KEYED_EVENT_ID, [], |row| row.get(0))?;
        let mut select = connection.prepare(queries::SELECT_EVENT_IDS_AFTER)?;
        let mut rows = select.query([known.last_keyed_id])?;
        while let Some(row) = rows.next()? {
            known.tail.insert(EventKey::from_column(row.get_ref(0)?)?.bits());
        }
        Ok(known)
    }

    fn insert(&mut self, connection: &Connection, key: u128) -> rusqlite::Result<bool> {
        if self.tail.contains(&key) || self.flush.as_ref().is_some_and(|flush| flush.contains(key)) {
            return Ok(false);
        }
        let hash = KeyHash::new(key);
        for run in &self.runs {
            if run.contains(connection, key, hash)? {
                return Ok(false);
            }
        }
        Ok(self.tail.insert(key))
    }

    fn settle(&mut self, connection: &Connection, stored: u64, last_id: i64) -> rusqlite::Result<()> {
        let rows = last_id - self.last_keyed_id;
        let is_long =
            self.tail.len() >= LIMITS.event_key_tail || rows >= LIMITS.event_key_tail as i64 * ROWS_PER_KEY;
        if is_long && self.flush.is_none() {
            self.start_flush(connection, last_id)?;
        }
        self.advance(connection, stored.saturating_mul(LIMITS.event_key_merge_keys_per_event))
    }

    /// Begins to write what is in memory as a run.
    fn start_flush(&mut self, connection: &Connection, last_id: i64) -> rusqlite::Result<()> {
        if self.tail.is_empty() {
            return self.move_mark(connection, last_id);
        }
        self.flush = Some(Flush::start(connection, self.tail.drain().collect(), last_id)?);
        Ok(())
    }

    /// Rows up to this one are not read at a start.
    fn move_mark(&mut self, connection: &Connection, last_id: i64) -> rusqlite::Result<()> {
        connection.prepare_cached(queries::UPDATE_LAST_KEYED_EVENT_ID)?.execute([last_id])?;
        self.last_keyed_id = last_id;
        Ok(())
    }

    /// Merges the oldest runs of a level once there are enough that no other merge has.
    fn start_merge(&mut self, connection: &Connection, level: i64) -> rusqlite::Result<()> {
        if self.merges.iter().any(|merge| merge.level == level) {
            return Ok(());
        }
        let of_level = self.runs.iter().filter(|run| run.level == level);
        let oldest: Vec<&Run> = of_level.take(LIMITS.event_key_merge_runs).collect();
        let key_count: i64 = oldest.iter().map(|run| run.key_count).sum();
        if oldest.len() == LIMITS.event_key_merge_runs && key_count <= LIMITS.event_key_run_keys {
            let merge = Merge::start(connection, &oldest, level)?;
            self.merges.push(merge);
        }
        Ok(())
    }

    /// Goes on with the newest keys, then with merges, the lowest level first, then with what those have left behind.
    fn advance(&mut self, connection: &Connection, mut budget: u64) -> rusqlite::Result<()> {
        if let Some(mut flush) = self.flush.take() {
            if flush.advance(connection, &mut budget)? {
                let last_id = flush.last_id;
                self.runs.push(flush.finish(connection)?);
                self.move_mark(connection, last_id)?;
                self.start_merge(connection, 0)?;
            } else {
                self.flush = Some(flush);
            }
        }
        self.merges.sort_unstable_by_key(|merge| merge.level);
        let mut index = 0;
        while budget > 0 && index < self.merges.len() {
            if !self.merges[index].advance(connection, &mut budget)? {
                break;
            }
            let merge = self.merges.remove(index);
            self.finish_merge(connection, merge)?;
            // The level above may have become full, and this one may be full again.
            self.merges.sort_unstable_by_key(|merge| merge.level);
            index = 0;
        }
        while let Some(dropped) = self.dropped.front_mut() {
            if !dropped.advance(connection, &mut budget)? {
                break;
            }
            self.dropped.pop_front();
        }
        Ok(())
    }

    fn finish_merge(&mut self, connection: &Connection, merge: Merge) -> rusqlite::Result<()> {
        let (level, merged) = (merge.level, merge.runs.clone());
        let run = merge.finish(connection)?;
        let is_merged = |run: &Run| merged.contains(&run.id);
        for run in self.runs.iter().filter(|run| is_merged(run)) {
            self.dropped.push_back(DroppedRun::new(run.id, run.key_count));
        }
        self.runs.retain(|run| !is_merged(run));
        self.runs.push(run);
        self.start_merge(connection, level)?;
        self.start_merge(connection, level + 1)
    }
}
