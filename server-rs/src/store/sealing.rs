//! Seals the metadata of older rows while the writer is idle (docs/decisions/0114-sealed-texts.md).
//!
//! Belongs to the writer's thread, which takes a step between groups. Each step seals a block in one transaction, so a kill
//! leaves it sealed or as it was. While groups come, steps take a share of the time, and only once many rows wait.

use std::time::{Duration, Instant};

use rusqlite::{Connection, OptionalExtension};

use crate::contract::{LIMITS, TUNING};
use crate::queries;
use crate::store::sealed_texts::seal_block;

/// What the writer knows of the blocks that wait.
#[derive(Debug)]
pub struct Sealing {
    /// Whether a block may wait. A step that finds none ends it.
    is_due: bool,
    /// Number of events that were stored since the last tick.
    stored: u64,
    /// Number of events that were stored since a step found no block.
    waiting: u64,
    /// Whether so few events came between the last two ticks that a step delays none.
    is_quiet: bool,
    /// Steps under load wait until this.
    pause_end: Option<Instant>,
}

impl Default for Sealing {
    /// An earlier process may have left blocks, so one event counts as waiting.
    fn default() -> Self {
        Self { is_due: false, stored: 0, waiting: 1, is_quiet: false, pause_end: None }
    }
}

impl Sealing {
    /// Notes that a group was stored.
    pub fn note_group(&mut self, events: usize) {
        self.stored += events as u64;
        self.waiting += events as u64;
    }

    /// Decides whether the writer is idle; runs once a second.
    pub fn tick(&mut self) {
        self.is_quiet = std::mem::take(&mut self.stored) < TUNING.sealing_quiet_events;
        self.is_due = self.waiting > 0;
    }

    /// Returns whether a step may be taken now.
    pub fn has_work(&self) -> bool {
        self.is_due
            && (self.is_quiet || self.waiting >= TUNING.sealing_backlog_events)
            && self.pause_end.is_none_or(|end| Instant::now() >= end)
    }

    /// Waits for the next tick, after a failure or where no write is possible.
    pub fn defer(&mut self) {
        self.is_due = false;
    }

    /// Seals the next block. `newest` is the newest id.
    pub fn step(&mut self, connection: &Connection, newest: i64) -> rusqlite::Result<()> {
        let started = Instant::now();
        // A later deletion would not reach the bytes of free pages (rule RET-07).
        connection.pragma_update(None, "secure_delete", true)?;
        let sealed = in_transaction(connection, newest);
        connection.pragma_update(None, "secure_delete", false)?;
        self.is_due = sealed?;
        if !self.is_due {
            self.waiting = 0;
        }
        self.pause_end = (!self.is_quiet).then(|| started + pause(started.elapsed()));
        Ok(())
    }
}

/// Returns the time from the beginning of a step that took so long to the next one under load.
fn pause(taken: Duration) -> Duration {
    taken * (1 + TUNING.sealing_pause_factor)
}

/// Seals the next block in a transaction of its own.
fn in_transaction(connection: &Connection, newest: i64) -> rusqlite::Result<bool> {
    connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
    let sealed = seal_next(connection, newest).and_then(|sealed| {
        connection.prepare_cached("COMMIT")?.execute([])?;
        Ok(sealed)
    });
    if sealed.is_err() && !connection.is_autocommit() {
        // The first error is the one to report; closing the connection would roll back as well.
        drop(connection.execute_batch("ROLLBACK"));
    }
    sealed
}

/// Seals the next block whose rows are old enough; returns whether there was one.
fn seal_next(connection: &Connection, newest: i64) -> rusqlite::Result<bool> {
    let mut select = connection.prepare_cached(queries::SELECT_UNSEALED_BLOCK)?;
    let next: Option<(i64, i64)> = select.query_row([], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    let Some((block, bytes)) = next else { return Ok(false) };
    if (block + 1) * LIMITS.event_block_rows + TUNING.sealing_kept_events > newest {
        return Ok(false);
    }
    if bytes <= TUNING.sealed_block_bytes {
        seal_block(connection, block)?;
        connection.prepare_cached(queries::DELETE_BLOCK_TEXTS)?.execute([block])?;
    }
    connection.prepare_cached(queries::UPDATE_SEALED_BELOW)?.execute([block + 1])?;
    Ok(true)
}
