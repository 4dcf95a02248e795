//! Sums up the effects of a group of events on the statistics (rules STA-01 to STA-06). The sums are deltas
//! per name and agent.
//!
//! Invariant: the sums of all time have those of every hour except the open one, which is the newest. A reader of
//! all time adds both (decision 94).

use hashbrown::HashMap;
use rusqlite::{Connection, params};

use crate::contract::vocabulary::{event_type, status};
use crate::event::Event;
use crate::field::Field;
use crate::queries;

/// The name id of the sums over every event.
pub const EVERY_EVENT: i64 = 0;
/// The hour of the sums over all time but the open hour. It is above every hour.
pub const ALL_TIME: i64 = 1_000_000_000_000_000;

/// Returns the start of a time's hour: from Unix milliseconds to Unix seconds.
pub(super) fn hour_of(ms: i64) -> i64 {
    ms.div_euclid(3_600_000) * 3600
}

/// Returns the hour whose sums are not in those of all time yet.
pub fn open_hour(connection: &Connection) -> rusqlite::Result<i64> {
    connection.prepare_cached(queries::SELECT_OPEN_HOUR)?.query_row([], |row| row.get(0))
}

#[derive(Debug, Default)]
struct StatsDelta {
    event_count: i64,
    call_count: i64,
    error_count: i64,
    duration_count: i64,
    duration_ms: i64,
    tokens_in: i64,
    tokens_out: i64,
    cost_nanos: i64,
    computed_cost_nanos: i64,
}

impl StatsDelta {
    fn add(&mut self, event: &Event, computed_cost_nanos: i64) {
        let sum = |field| event.number(field).unwrap_or(0);
        self.event_count += 1;
        self.error_count += i64::from(event.word(Field::Status) == Some(status::ERROR));
        self.duration_count += i64::from(event.number(Field::DurationMs).is_some());
        // Sums stop at the largest integer instead of wrapping (rule STA-06).
        self.duration_ms = self.duration_ms.saturating_add(sum(Field::DurationMs));
        self.tokens_in = self.tokens_in.saturating_add(sum(Field::TokensIn));
        self.tokens_out = self.tokens_out.saturating_add(sum(Field::TokensOut));
        self.cost_nanos = self.cost_nanos.saturating_add(sum(Field::CostUsd));
        self.computed_cost_nanos = self.computed_cost_nanos.saturating_add(computed_cost_nanos);
    }
}

/// The sums of the current group by name and agent.
#[derive(Debug, Default)]
pub struct StatsDeltas {
    deltas: HashMap<(i64, i64), StatsDelta>,
    /// `None` before the first group, and after a rollback.
    open_hour: Option<i64>,
}

impl StatsDeltas {
    /// Counts an event under a name, with its computed cost.
    pub fn add(&mut self, name: i64, agent_type: i64, event: &Event, computed_cost_nanos: i64) {
        self.deltas.entry((name, agent_type)).or_default().add(event, computed_cost_nanos);
    }

    /// Counts an event under its tool. A step counts as an event alone, since it is not a call (rule STA-02).
    pub fn add_tool(&mut self, name: i64, agent_type: i64, event: &Event, computed_cost_nanos: i64) {
        let delta = self.deltas.entry((name, agent_type)).or_default();
        if event.word(Field::EventType) == Some(event_type::PLAN_STEP) {
            delta.event_count += 1;
        } else {
            delta.add(event, computed_cost_nanos);
            delta.call_count += 1;
        }
    }

    /// Writes the group's sums. `now` is the group's time in Unix milliseconds.
    pub fn flush(&mut self, connection: &Connection, now: i64) -> rusqlite::Result<()> {
        let hour = hour_of(now);
        // After the clock was set back, the sums of this hour are in those of all time already.
        let is_open = self.open(connection, hour)? == hour;
        let hours: &[i64] = if is_open { &[hour] } else { &[hour, ALL_TIME] };
        let mut upsert = connection.prepare_cached(queries::UPSERT_STATS)?;
        for ((name, agent_type), delta) in self.deltas.drain() {
            for hour in hours {
                upsert.execute(params![
                    hour,
                    name,
                    agent_type,
                    delta.event_count,
                    delta.call_count,
                    delta.error_count,
                    delta.duration_count,
                    delta.duration_ms,
                    delta.tokens_in,
                    delta.tokens_out,
                    delta.cost_nanos,
                ])?;
                // A separate statement, so that rows without computed cost cost no more.
                if delta.computed_cost_nanos > 0 {
                    let values = params![delta.computed_cost_nanos, hour, name, agent_type];
                    connection.prepare_cached(queries::ADD_COMPUTED_COST_TO_STATS)?.execute(values)?;
                }
            }
        }
        Ok(())
    }

    /// Closes the open hour when a later one begins, which is then open. Returns the open hour.
    fn open(&mut self, connection: &Connection, hour: i64) -> rusqlite::Result<i64> {
        let mut open = match self.open_hour {
            Some(open) => open,
            None => open_hour(connection)?,
        };
        if hour > open {
            connection.prepare_cached(queries::ADD_HOUR_TO_ALL_TIME)?.execute([ALL_TIME, open])?;
            connection.prepare_cached(queries::UPDATE_OPEN_HOUR)?.execute([hour])?;
            open = hour;
        }
        self.open_hour = Some(open);
        Ok(open)
    }

    /// Drops the sums of a group that was rolled back.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}
