//! Merges eight runs of a level into one of the next, a few keys with each group.
//!
//! What must stay true: runs that are merged stay live until the merged one is; what a merge has cost is shared by
//! the groups in proportion to what they store, so that no answer waits for a whole merge.

use rusqlite::Connection;

use crate::contract::LIMITS;
use crate::queries;
use crate::store::key_run::{DROPPED, Run, RunReader, RunWriter, block_id, set_state};

/// Deleting a block costs about as much as merging this many keys.
const KEYS_PER_DELETED_BLOCK: u64 = 64;

/// A merge on its way.
#[derive(Debug)]
pub struct Merge {
    /// Of the runs that are merged.
    pub level: i64,
    /// The runs that are merged.
    pub runs: Vec<i64>,
    readers: Vec<RunReader>,
    writer: RunWriter,
}

impl Merge {
    /// Begins to merge live runs of one level.
    pub fn start(connection: &Connection, runs: &[&Run], level: i64) -> rusqlite::Result<Self> {
        let key_count = runs.iter().map(|run| run.key_count).sum();
        Ok(Self {
            level,
            runs: runs.iter().map(|run| run.id).collect(),
            readers: runs.iter().map(|run| RunReader::new(run)).collect(),
            writer: RunWriter::start(connection, level + 1, key_count)?,
        })
    }

    /// Merges as many keys as the budget has, and takes them off it; whether that was all.
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

    /// Makes the merged run live, and drops those that it was made of.
    pub fn finish(self, connection: &Connection) -> rusqlite::Result<Run> {
        for run in &self.runs {
            set_state(connection, *run, DROPPED, &[], &[])?;
        }
        self.writer.finish(connection)
    }
}

/// A run that nobody reads any more, deleted block by block.
#[derive(Debug)]
pub struct DroppedRun {
    id: i64,
    blocks: i64,
    next_block: i64,
}

impl DroppedRun {
    /// A run of at most this many keys.
    pub fn new(id: i64, key_count: i64) -> Self {
        let blocks = key_count.unsigned_abs().div_ceil(LIMITS.event_key_block_keys as u64);
        Self { id, blocks: blocks.cast_signed(), next_block: 0 }
    }

    /// Deletes as many blocks as the budget has; whether the run is gone.
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
