//! Records which ids each hour has, so that `since` and `until` need no index.
//!
//! Invariant: the hour of the newest group has no end, so that the groups after its first write nothing. Any other hour
//! has its end.

use rusqlite::{Connection, params};

use crate::queries;

/// The end of the open hour. It is above every id.
pub const NO_END: i64 = 9_007_199_254_740_992;

/// The hour of the newest group.
#[derive(Debug, Default)]
pub struct Hours {
    /// `None` before the first group, and after a rollback or a deletion.
    open: Option<i64>,
}

impl Hours {
    /// Records that a group begins with this id. `hour` is its hour in Unix seconds.
    pub fn begin_group(&mut self, connection: &Connection, hour: i64, first_id: i64) -> rusqlite::Result<()> {
        if self.open == Some(hour) {
            return Ok(());
        }
        connection.prepare_cached(queries::END_HOUR)?.execute([first_id - 1, NO_END])?;
        connection.prepare_cached(queries::UPSERT_HOUR)?.execute(params![hour, first_id, NO_END])?;
        self.open = Some(hour);
        Ok(())
    }

    /// Drops what a transaction without a commit may have changed.
    pub fn forget(&mut self) {
        self.open = None;
    }
}
