//! Merges eight runs of a level into one of the next, a few keys with each group.
//!
//! Invariants: the source runs stay live until the merged run is live. Each group pays for a part of the merge in
//! proportion to its size, so that no answer waits for a whole merge.

use rusqlite::Connection;

use crate::contract::TUNING;
use crate::queries;
use crate::store::key_run::{DROPPED, Run, RunReader, RunWriter, block_id, set_state};

/// Deleting a block costs about as much as merging this many keys.
const KEYS_PER_DELETED_BLOCK: u64 = 64;

/// A merge in progress.
#[derive(Debug)]
pub struct Merge {
    /// Level of the source runs.
    pub level: i64,
    /// The source runs.
    pub runs: Vec<i64>,
    readers: Vec<RunReader>,
    writer: RunWriter,
}

impl Merge {
    /// Starts to merge live runs of one level.
    pub fn start(connection: &Connection, runs: &[&Run], level: i64) -> rusqlite::Result<Self> {
        let key_count = runs.iter().map(|run| run.key_count).sum();
        Ok(Self {
            level,
            runs: runs.iter().map(|run| run.id).collect(),
            readers: runs.iter().map(|run| RunReader::new(run)).collect(),
            writer: RunWriter::start(connection, level + 1, key_count)?,
        })
    }

    /// Merges as many keys as the budget allows, and reduces the budget; returns whether all are merged.
    pub fn advance(&mut self, connection: &Connection, budget: &mut u64) -> rusqlite::Result<bool> {
        while *budget > 0 {
            let mut least: Option<(u128, usize)> = None;
            for (index, reader) in self.readers.iter_mut().enumerate() {
                if let Some(key) = reader.peek(connection)?
                    && least.is_none_or(|(other, _)| key < other)
                {
                    least = Some((key, index));
                }
            }
            let Some((key, index)) = least else {
                return Ok(true);
            };
            self.writer.push(connection, key)?;
            self.readers[index].take();
            *budget -= 1;
        }
        Ok(false)
    }

    /// Makes the merged run live, and drops its source runs.
    pub fn finish(self, connection: &Connection) -> rusqlite::Result<Run> {
        for run in &self.runs {
            set_state(connection, *run, DROPPED, &[], &[])?;
        }
        self.writer.finish(connection)
    }
}

/// A run that is no longer read and is deleted block by block.
#[derive(Debug)]
pub struct DroppedRun {
    id: i64,
    blocks: i64,
    next_block: i64,
}

impl DroppedRun {
    /// Creates a dropped run of at most this many keys.
    pub fn new(id: i64, key_count: i64) -> Self {
        let blocks = key_count.unsigned_abs().div_ceil(TUNING.event_key_block_keys as u64);
        Self { id, blocks: blocks.cast_signed(), next_block: 0 }
    }

    /// Deletes as many blocks as the budget allows; returns whether the run is deleted.
    pub fn advance(&mut self, connection: &Connection, budget: &mut u64) -> rusqlite::Result<bool> {
        let wanted = (*budget / KEYS_PER_DELETED_BLOCK).cast_signed();
        let end = self.blocks.min(self.next_block.saturating_add(wanted));
        if end > self.next_block {
            let mut delete = connection.prepare_cached(queries::DELETE_EVENT_KEY_BLOCKS)?;
            delete.execute([block_id(self.id, self.next_block), block_id(self.id, end)])?;
            *budget -= (end - self.next_block).cast_unsigned() * KEYS_PER_DELETED_BLOCK;
            self.next_block = end;
        }
        if self.next_block < self.blocks {
            return Ok(false);
        }
        connection.prepare_cached(queries::DELETE_EVENT_KEY_RUN)?.execute([self.id])?;
        Ok(true)
    }
}
