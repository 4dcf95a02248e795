//! Seals the metadata of older rows while the writer is idle (docs/decisions/0114-sealed-texts.md).
//!
//! Belongs to the writer's thread, which takes a step between groups. Each step seals a block in one transaction, so a kill
//! leaves it sealed or as it was. While groups come, steps take a share of the time, and only once many rows wait.

use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OptionalExtension};

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
    /// Whether a block could not be sealed.
    is_stopped: bool,
    /// Steps under load wait until this.
    pause_end: Option<Instant>,
}

impl Default for Sealing {
    /// An earlier process may have left blocks, so one event counts as waiting.
    fn default() -> Self {
        Self { is_due: false, stored: 0, waiting: 1, is_quiet: false, is_stopped: false, pause_end: None }
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
            && !self.is_stopped
            && (self.is_quiet || self.waiting >= TUNING.sealing_backlog_events)
            && self.pause_end.is_none_or(|end| Instant::now() >= end)
    }

    /// Waits for the next tick, after a failure or where no write is possible.
    pub fn defer(&mut self) {
        self.is_due = false;
    }

    /// Ends sealing until the next start, because a block cannot be sealed.
    pub fn stop(&mut self) {
        self.is_stopped = true;
    }

    /// Seals the next block. `newest` is the newest id. It waits for no other process, and tries again at the next tick.
    pub fn step(&mut self, connection: &Connection, newest: i64) -> rusqlite::Result<()> {
        let started = Instant::now();
        let Some(next) = next_block(connection, newest)? else {
            (self.is_due, self.waiting) = (false, 0);
            return Ok(());
        };
        let usual: i64 = connection.pragma_query_value(None, "busy_timeout", |row| row.get(0))?;
        connection.busy_timeout(Duration::ZERO)?;
        let begun = connection.prepare_cached("BEGIN IMMEDIATE")?.execute([]);
        connection.busy_timeout(Duration::from_millis(usual.unsigned_abs()))?;
        match begun {
            Ok(_) => {}
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {
                self.defer();
                return Ok(());
            }
            Err(error) => return Err(error),
        }
        // A later deletion would not reach the bytes of free pages (rule RET-07).
        connection.pragma_update(None, "secure_delete", true)?;
        let sealed = seal_next(connection, next)
            .and_then(|()| connection.prepare_cached("COMMIT")?.execute([]).map(drop));
        if sealed.is_err() && !connection.is_autocommit() {
            // The first error is the one to report; closing the connection would roll back as well.
            drop(connection.execute_batch("ROLLBACK"));
        }
        connection.pragma_update(None, "secure_delete", false)?;
        self.pause_end = (!self.is_quiet).then(|| started + pause(started.elapsed()));
        sealed
    }
}

/// Returns the time from the beginning of a step that took so long to the next one under load.
fn pause(taken: Duration) -> Duration {
    taken * (1 + TUNING.sealing_pause_factor)
}

/// Returns the next block whose rows are old enough, and the bytes of its texts.
fn next_block(connection: &Connection, newest: i64) -> rusqlite::Result<Option<(i64, i64)>> {
    let mut select = connection.prepare_cached(queries::SELECT_UNSEALED_BLOCK)?;
    let below = (newest - TUNING.sealing_kept_events) / LIMITS.event_block_rows;
    select.query_row([below], |row| Ok((row.get(0)?, row.get(1)?))).optional()
}

/// Seals a block, unless it has too much text.
fn seal_next(connection: &Connection, (block, bytes): (i64, i64)) -> rusqlite::Result<()> {
    if bytes <= TUNING.sealed_block_bytes {
        seal_block(connection, block)?;
        connection.prepare_cached(queries::DELETE_BLOCK_TEXTS)?.execute([block])?;
    }
    connection.prepare_cached(queries::UPDATE_SEALED_BELOW)?.execute([block + 1]).map(drop)
}
