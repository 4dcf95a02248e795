//! Sums up the effects of a group of events on the statistics (rules STA-01 to STA-06). The sums are deltas
//! per quarter of an hour, name and agent.
//!
//! Invariant: the sums of all time have those of every quarter except the open one, which is the newest. A reader of
//! all time adds both (decision 94).

use hashbrown::HashMap;
use rusqlite::{CachedStatement, Connection, ToSql};

use crate::figure::{Figure, Sums, add_call, add_event, add_step, no_sums};
use crate::queries;

/// The name id of the sums over every event.
pub const EVERY_EVENT: i64 = 0;
/// The quarter of the sums over all time but the open quarter. It is above every quarter.
pub const ALL_TIME: i64 = 1_000_000_000_000_000;

/// The length of a quarter of an hour, in Unix milliseconds and in seconds.
pub const QUARTER_MS: i64 = 900_000;
const QUARTER_S: i64 = QUARTER_MS / 1000;

/// Returns the start of a time's quarter of an hour: from Unix milliseconds to Unix seconds.
pub fn quarter_of(ms: i64) -> i64 {
    ms.div_euclid(QUARTER_MS) * QUARTER_S
}

/// Returns the quarter whose sums are not in those of all time yet.
pub fn open_quarter(connection: &Connection) -> rusqlite::Result<i64> {
    connection.prepare_cached(queries::SELECT_OPEN_QUARTER)?.query_row([], |row| row.get(0))
}

/// The sums of the current group by quarter, name and agent.
#[derive(Debug, Default)]
pub struct StatsDeltas {
    deltas: HashMap<(i64, i64, i64), Sums>,
    /// `None` before the first group, and after a rollback.
    open_quarter: Option<i64>,
}

impl StatsDeltas {
    /// Adds an event to the sums of a name.
    pub fn add(&mut self, quarter: i64, name: i64, agent_type: i64, figures: &Sums) {
        add_event(self.sums_of(quarter, name, agent_type), figures);
    }

    /// Adds an event to the sums of its tool. A step counts as an event alone, since it is not a call (rule STA-02).
    pub fn add_tool(&mut self, quarter: i64, name: i64, agent_type: i64, figures: &Sums, is_step: bool) {
        let sums = self.sums_of(quarter, name, agent_type);
        if is_step {
            add_step(sums, figures);
        } else {
            add_call(sums, figures);
        }
    }

    fn sums_of(&mut self, quarter: i64, name: i64, agent_type: i64) -> &mut Sums {
        self.deltas.entry((quarter, name, agent_type)).or_insert_with(no_sums)
    }

    /// Writes the group's sums.
    pub fn flush(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let Some(newest) = self.deltas.keys().map(|(quarter, ..)| *quarter).max() else {
            return Ok(());
        };
        let open = self.open(connection, newest)?;
        let mut upsert = connection.prepare_cached(queries::UPSERT_STATS)?;
        for ((quarter, name, agent_type), sums) in self.deltas.drain() {
            // The sums of an earlier quarter are in those of all time already.
            let quarters: &[i64] = if quarter == open { &[quarter] } else { &[quarter, ALL_TIME] };
            for quarter in quarters {
                let row = [*quarter, name, agent_type];
                execute_with(&mut upsert, &row, &sums, &Figure::USUAL_OF_STATS)?;
                // A separate statement, so that rows without rare figures cost no more.
                if Figure::RARE_OF_STATS.iter().any(|figure| sums[*figure as usize] > 0) {
                    let mut add = connection.prepare_cached(queries::ADD_RARE_FIGURES_TO_STATS)?;
                    execute_with(&mut add, &row, &sums, &Figure::RARE_OF_STATS)?;
                }
            }
        }
        Ok(())
    }

    /// Closes the open quarter when a later one begins, which is then open. Returns the open quarter.
    fn open(&mut self, connection: &Connection, quarter: i64) -> rusqlite::Result<i64> {
        let mut open = match self.open_quarter {
            Some(open) => open,
            None => open_quarter(connection)?,
        };
        if quarter > open {
            connection.prepare_cached(queries::ADD_QUARTER_TO_ALL_TIME)?.execute([ALL_TIME, open])?;
            connection.prepare_cached(queries::UPDATE_OPEN_QUARTER)?.execute([quarter])?;
            open = quarter;
        }
        self.open_quarter = Some(open);
        Ok(open)
    }

    /// Drops the sums of a group that was rolled back.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

/// Executes a statement with its own values, and with those sums that are in this list behind them.
pub(super) fn execute_with<V: ToSql>(
    statement: &mut CachedStatement<'_>,
    own: &[V],
    sums: &Sums,
    figures: &[Figure],
) -> rusqlite::Result<usize> {
    for (at, value) in own.iter().enumerate() {
        statement.raw_bind_parameter(1 + at, value)?;
    }
    for (at, figure) in figures.iter().enumerate() {
        statement.raw_bind_parameter(1 + own.len() + at, sums[*figure as usize])?;
    }
    statement.raw_execute()
}
