//! Finds late rows: those whose time is before that of an earlier row.
//!
//! Invariant: rows that are not late have ascending times in the order of their ids. So only late rows need an index by
//! time (docs/decisions/0113-time-of-an-event.md).

use rusqlite::Connection;

use crate::queries;

/// The largest time of the rows that are not late.
#[derive(Debug, Default)]
pub struct LastTime {
    /// `None` before the first row, and after a rollback or a deletion.
    known: Option<i64>,
}

impl LastTime {
    /// Adds a row with this time; returns whether it is late.
    pub fn add(&mut self, connection: &Connection, time: i64) -> rusqlite::Result<bool> {
        let last = match self.known {
            Some(last) => last,
            None => load(connection)?.unwrap_or(time),
        };
        self.known = Some(last.max(time));
        Ok(time < last)
    }

    /// Drops what a transaction without a commit may have changed.
    pub fn forget(&mut self) {
        self.known = None;
    }
}

fn load(connection: &Connection) -> rusqlite::Result<Option<i64>> {
    connection.prepare_cached(queries::SELECT_LAST_TIME)?.query_row([], |row| row.get(0))
}
