//! Holds a run of keys: sorted, in blocks of one page, immutable once it is live.
//!
//! Invariants: the keys of a run ascend and are in no other live run. A run becomes live in the transaction that
//! writes its last block. Blocks of a run that is not live are never read, only deleted.

use rusqlite::{Connection, OptionalExtension, params};

use crate::contract::TUNING;
use crate::queries;
use crate::store::key_filter::{KeyFilter, KeyHash};

/// Size of a key in a block, a fence or a row of the tail.
pub(super) const KEY_BYTES: usize = 16;

/// Values of the column for a run's state.
pub(super) const GROWING: &str = "growing";
pub(super) const LIVE: &str = "live";
pub(super) const DROPPED: &str = "dropped";

/// A live run: the part of it that stays in memory.
#[derive(Debug)]
pub struct Run {
    /// `event_key_runs.id`.
    pub id: i64,
    /// Number of merges that its keys have passed.
    pub level: i64,
    /// Number of keys.
    pub key_count: i64,
    filter: KeyFilter,
    /// The first key of each block.
    fences: Vec<u128>,
}

impl Run {
    /// Reads its row; fails as corrupt when the row is not a run.
    pub fn from_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<Self> {
        let (filter, fences) = (row.get_ref(4)?.as_blob()?, row.get_ref(5)?.as_blob()?);
        let filter =
            KeyFilter::from_bytes(filter).ok_or_else(|| corrupt("a run of keys without a filter"))?;
        let fences = fences.as_chunks().0.iter().map(|fence| u128::from_be_bytes(*fence)).collect();
        Ok(Self { id: row.get(0)?, level: row.get(1)?, key_count: row.get(3)?, filter, fences })
    }

    /// Returns the number of blocks.
    pub fn blocks(&self) -> i64 {
        self.fences.len() as i64
    }

    /// Returns whether the run contains the key. Reads one block when the filter cannot exclude the key.
    pub fn contains(&self, connection: &Connection, key: u128, hash: KeyHash) -> rusqlite::Result<bool> {
        if !self.filter.may_contain(hash) {
            return Ok(false);
        }
        let above = self.fences.partition_point(|fence| *fence <= key);
        if above == 0 {
            return Ok(false);
        }
        read_block(connection, block_id(self.id, above as i64 - 1), |keys| {
            keys.binary_search(&key.to_be_bytes()).is_ok()
        })
    }
}

/// Returns the id of a run's block.
pub(super) fn block_id(run: i64, block: i64) -> i64 {
    run * TUNING.event_key_run_blocks + block
}

/// Passes the keys of a block, which must exist, to `use`.
fn read_block<T>(
    connection: &Connection,
    id: i64,
    read: impl FnOnce(&[[u8; KEY_BYTES]]) -> T,
) -> rusqlite::Result<T> {
    let mut select = connection.prepare_cached(queries::SELECT_EVENT_KEY_BLOCK)?;
    let found =
        select.query_row([id], |row| Ok(read(row.get_ref(0)?.as_blob()?.as_chunks().0))).optional()?;
    found.ok_or_else(|| corrupt("a run of keys without a block"))
}

/// Returns the error that SQLite itself uses for corruption.
pub(super) fn corrupt(message: &str) -> rusqlite::Error {
    let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT);
    rusqlite::Error::SqliteFailure(code, Some(message.to_owned()))
}

/// Writes a run, key by key.
#[derive(Debug)]
pub struct RunWriter {
    run: Run,
    block: Vec<u8>,
}

impl RunWriter {
    /// Starts a growing run of this many keys.
    pub fn start(connection: &Connection, level: i64, key_count: i64) -> rusqlite::Result<Self> {
        let mut insert = connection.prepare_cached(queries::INSERT_EVENT_KEY_RUN)?;
        let id =
            insert.query_row(params![level, GROWING, key_count, [0_u8; 0], [0_u8; 0]], |row| row.get(0))?;
        let run = Run { id, level, key_count, filter: KeyFilter::for_keys(key_count), fences: Vec::new() };
        Ok(Self { run, block: Vec::with_capacity(TUNING.event_key_block_keys * KEY_BYTES) })
    }

    /// Appends the next key, which is above all earlier ones.
    pub fn push(&mut self, connection: &Connection, key: u128) -> rusqlite::Result<()> {
        if self.block.is_empty() {
            self.run.fences.push(key);
        }
        self.run.filter.insert(KeyHash::new(key));
        self.block.extend_from_slice(&key.to_be_bytes());
        if self.block.len() == TUNING.event_key_block_keys * KEY_BYTES {
            self.write(connection)
        } else {
            Ok(())
        }
    }

    /// Writes the rest, and makes the run live.
    pub fn finish(mut self, connection: &Connection) -> rusqlite::Result<Run> {
        if !self.block.is_empty() {
            self.write(connection)?;
        }
        let fences: Vec<u8> = self.run.fences.iter().flat_map(|fence| fence.to_be_bytes()).collect();
        set_state(connection, self.run.id, LIVE, &self.run.filter.to_bytes(), &fences)?;
        Ok(self.run)
    }

    fn write(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let mut insert = connection.prepare_cached(queries::INSERT_EVENT_KEY_BLOCK)?;
        insert.execute(params![block_id(self.run.id, self.run.blocks() - 1), self.block])?;
        self.block.clear();
        Ok(())
    }
}

/// Sets the state of a run.
pub(super) fn set_state(
    connection: &Connection,
    run: i64,
    state: &str,
    filter: &[u8],
    fences: &[u8],
) -> rusqlite::Result<()> {
    let mut update = connection.prepare_cached(queries::UPDATE_EVENT_KEY_RUN)?;
    update.execute(params![state, filter, fences, run]).map(drop)
}

/// Reads a run from its first key to its last.
#[derive(Debug)]
pub struct RunReader {
    run: i64,
    blocks: i64,
    next_block: i64,
    keys: Vec<u128>,
    at: usize,
}

impl RunReader {
    /// Starts before the first key.
    pub fn new(run: &Run) -> Self {
        Self { run: run.id, blocks: run.blocks(), next_block: 0, keys: Vec::new(), at: 0 }
    }

    /// Returns the next key without taking it; `None` at the end.
    pub fn peek(&mut self, connection: &Connection) -> rusqlite::Result<Option<u128>> {
        if self.at == self.keys.len() && self.next_block < self.blocks {
            let keys = &mut self.keys;
            keys.clear();
            read_block(connection, block_id(self.run, self.next_block), |block| {
                keys.extend(block.iter().map(|key| u128::from_be_bytes(*key)));
            })?;
            self.next_block += 1;
            self.at = 0;
        }
        Ok(self.keys.get(self.at).copied())
    }

    /// Moves past the peeked key.
    pub fn take(&mut self) {
        self.at += 1;
    }
}
