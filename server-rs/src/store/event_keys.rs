//! Remembers accepted event ids permanently (rule EVT-13): the newest in memory, all others in sorted runs.
//!
//! Each group writes its keys to `event_key_tail`. A start reads them back from there, never from the rows of events,
//! which may be deleted.
//!
//! Invariants: every key is in memory or in exactly one live run. Runs, merges, the tail and `last_keyed_event_id`
//! change in the transaction that stores the events. After a rollback the writer reads them again.

use std::collections::VecDeque;

use hashbrown::HashSet;
use rusqlite::{Connection, params};

use crate::contract::TUNING;
use crate::queries;
use crate::store::key_filter::KeyHash;
use crate::store::key_flush::Flush;
use crate::store::key_merge::{DroppedRun, Merge};
use crate::store::key_run::{KEY_BYTES, LIVE, Run, corrupt};

/// A run is also written once this many rows per stored key have arrived, so that a start reads few groups.
const ROWS_PER_KEY: i64 = 4;

/// The accepted ids.
#[derive(Debug, Default)]
pub struct EventKeys {
    /// `None` before the first load, and after a rollback.
    known: Option<Box<Known>>,
}

#[derive(Debug, Default)]
struct Known {
    tail: HashSet<u128>,
    /// The keys of the current group, in the form of `event_key_tail`.
    group: Vec<u8>,
    flush: Option<Flush>,
    last_keyed_id: i64,
    /// `event_key_tail` no longer holds groups up to this id.
    deleted_id: i64,
    runs: Vec<Run>,
    merges: Vec<Merge>,
    dropped: VecDeque<DroppedRun>,
}

impl EventKeys {
    /// Loads the accepted ids, unless they are loaded.
    pub fn load(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        self.known(connection).map(drop)
    }

    /// Accepts a key; `false` when it was accepted before. Call it in a transaction.
    pub fn insert(&mut self, connection: &Connection, key: u128) -> rusqlite::Result<bool> {
        self.known(connection)?.insert(connection, key)
    }

    /// Does the work that is due after a group: writes a run once enough keys are in memory, and continues merges.
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

    /// Drops all keys, including those accepted and rolled back.
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
            // Drops an incomplete run, since the state of its writer is lost.
            if row.get_ref(2)?.as_str()? == LIVE {
                known.runs.push(Run::from_row(row)?);
            } else {
                known.dropped.push_back(DroppedRun::new(row.get(0)?, row.get(3)?));
            }
        }
        known.last_keyed_id =
            connection.query_row(queries::SELECT_LAST_KEYED_EVENT_ID, [], |row| row.get(0))?;
        let first: i64 = connection.query_row(queries::SELECT_FIRST_EVENT_KEY_TAIL, [], |row| row.get(0))?;
        known.deleted_id = if first == 0 { known.last_keyed_id } else { known.last_keyed_id.min(first - 1) };
        let mut select = connection.prepare(queries::SELECT_EVENT_KEY_TAIL)?;
        let mut rows = select.query([known.last_keyed_id])?;
        while let Some(row) = rows.next()? {
            let (keys, []) = row.get_ref(0)?.as_blob()?.as_chunks::<KEY_BYTES>() else {
                return Err(corrupt("a group of keys that ends inside a key"));
            };
            known.tail.extend(keys.iter().map(|key| u128::from_be_bytes(*key)));
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
        self.group.extend_from_slice(&key.to_be_bytes());
        Ok(self.tail.insert(key))
    }

    fn settle(&mut self, connection: &Connection, stored: u64, last_id: i64) -> rusqlite::Result<()> {
        connection.prepare_cached(queries::INSERT_EVENT_KEY_TAIL)?.execute(params![last_id, self.group])?;
        self.group.clear();
        let rows = last_id - self.last_keyed_id;
        let is_long =
            self.tail.len() >= TUNING.event_key_tail || rows >= TUNING.event_key_tail as i64 * ROWS_PER_KEY;
        if is_long && self.flush.is_none() {
            self.start_flush(connection, last_id)?;
        }
        let budget = stored.saturating_mul(TUNING.event_key_merge_keys_per_event);
        self.advance(connection, budget)?;
        self.delete_tail(connection, budget)
    }

    /// Deletes groups whose keys are in live runs, at most as many event ids as the budget allows.
    fn delete_tail(&mut self, connection: &Connection, budget: u64) -> rusqlite::Result<()> {
        if self.deleted_id < self.last_keyed_id {
            let step = i64::try_from(budget).unwrap_or(i64::MAX);
            self.deleted_id = self.deleted_id.saturating_add(step).min(self.last_keyed_id);
            connection.prepare_cached(queries::DELETE_EVENT_KEY_TAIL)?.execute([self.deleted_id])?;
        }
        Ok(())
    }

    /// Starts to write the keys in memory as a run.
    fn start_flush(&mut self, connection: &Connection, last_id: i64) -> rusqlite::Result<()> {
        if self.tail.is_empty() {
            return self.move_mark(connection, last_id);
        }
        self.flush = Some(Flush::start(connection, self.tail.drain().collect(), last_id)?);
        Ok(())
    }

    /// Records that the keys of events up to this id are in live runs.
    fn move_mark(&mut self, connection: &Connection, last_id: i64) -> rusqlite::Result<()> {
        connection.prepare_cached(queries::UPDATE_LAST_KEYED_EVENT_ID)?.execute([last_id])?;
        self.last_keyed_id = last_id;
        Ok(())
    }

    /// Merges the oldest runs of a level once enough of them are in no other merge.
    fn start_merge(&mut self, connection: &Connection, level: i64) -> rusqlite::Result<()> {
        if self.merges.iter().any(|merge| merge.level == level) {
            return Ok(());
        }
        let of_level = self.runs.iter().filter(|run| run.level == level);
        let oldest: Vec<&Run> = of_level.take(TUNING.event_key_merge_runs).collect();
        let key_count: i64 = oldest.iter().map(|run| run.key_count).sum();
        if oldest.len() == TUNING.event_key_merge_runs && key_count <= TUNING.event_key_run_keys {
            let merge = Merge::start(connection, &oldest, level)?;
            self.merges.push(merge);
        }
        Ok(())
    }

    /// Continues with the newest keys, then with merges, the lowest level first, then with deleting merged runs.
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
            // The level above may now be full, and this one may be full again.
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
