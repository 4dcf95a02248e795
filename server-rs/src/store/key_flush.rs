//! Writes the newest keys as a run, some with each group, so that no answer waits for a whole run.
//!
//! Invariant: until the run is live, its keys are in memory and in `event_key_tail`. It becomes live in the
//! transaction that moves `last_keyed_event_id`.

use rusqlite::Connection;

use crate::store::key_run::{Run, RunWriter};

/// A run that is being written.
#[derive(Debug)]
pub struct Flush {
    /// The newest row whose key may be in the run.
    pub last_id: i64,
    keys: Vec<u128>,
    next: usize,
    writer: RunWriter,
}

impl Flush {
    /// Starts to write a run of these keys, which are distinct and in any order.
    pub fn start(connection: &Connection, mut keys: Vec<u128>, last_id: i64) -> rusqlite::Result<Self> {
        keys.sort_unstable();
        let writer = RunWriter::start(connection, 0, keys.len() as i64)?;
        Ok(Self { last_id, keys, next: 0, writer })
    }

    /// Returns whether the run contains the key.
    pub fn contains(&self, key: u128) -> bool {
        self.keys.binary_search(&key).is_ok()
    }

    /// Writes as many keys as the budget allows, and reduces the budget; returns whether all are written.
    pub fn advance(&mut self, connection: &Connection, budget: &mut u64) -> rusqlite::Result<bool> {
        let rest = &self.keys[self.next..];
        let count = rest.len().min(usize::try_from(*budget).unwrap_or(usize::MAX));
        for key in &rest[..count] {
            self.writer.push(connection, *key)?;
        }
        self.next += count;
        *budget -= count as u64;
        Ok(self.next == self.keys.len())
    }

    /// Makes the run live.
    pub fn finish(self, connection: &Connection) -> rusqlite::Result<Run> {
        self.writer.finish(connection)
    }
}
