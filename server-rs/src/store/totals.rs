//! Reads the statistics: sums that the writer keeps up to date, so that no read counts events (rules STA-01 to
//! STA-06).

use rusqlite::{Connection, Row, params};

use crate::contract::LIMITS;
use crate::field::Field;
use crate::queries;
use crate::store::query::{each, known_name, signed};
use crate::store::session_query::Cutoffs;
use crate::store::stats::{ALL_TIME, QUARTER_MS, open_quarter, quarter_of};
use crate::timestamp::is_in_range;

/// The scope of the statistics.
#[derive(Debug, Clone, Default)]
pub struct StatsFilter {
    /// Only this agent's events.
    pub agent_type: Option<String>,
    /// Unix milliseconds; rounded down to the quarter of an hour (rule STA-05).
    pub since: Option<i64>,
    /// Unix milliseconds, exclusive; rounded up to the quarter of an hour (rule STA-05).
    pub until: Option<i64>,
}

impl StatsFilter {
    /// Returns the effective `since`, in Unix milliseconds.
    pub fn used_since(&self) -> Option<i64> {
        self.since.map(|since| quarter_of(since) * 1000)
    }

    /// Returns the effective `until`, in Unix milliseconds. The last quarter of all times has no end.
    pub fn used_until(&self) -> Option<i64> {
        let rounded =
            |until: i64| Some(quarter_of(until + QUARTER_MS - 1) * 1000).filter(|end| is_in_range(*end));
        self.until.map(|until| rounded(until).unwrap_or(until))
    }
}

/// The statistics, with the quarters and the agent resolved once.
#[derive(Debug)]
pub struct Totals<'c> {
    connection: &'c Connection,
    first_quarter: i64,
    last_quarter: i64,
    agent_type: Option<i64>,
    since: Option<i64>,
    until: Option<i64>,
}

/// No agent has this id, so an unknown `agent_type` has zero counts.
const NO_NAME: i64 = -1;

impl<'c> Totals<'c> {
    /// Resolves a filter.
    pub fn new(connection: &'c Connection, filter: &StatsFilter) -> rusqlite::Result<Self> {
        let since = filter.used_since();
        let agent_type =
            known_name(connection, Field::AgentType, filter.agent_type.as_deref())?.unwrap_or(Some(NO_NAME));
        let until = filter.used_until();
        let first_quarter = match (since, until) {
            (None, None) => open_quarter(connection)?,
            _ => since.map_or(0, |since| quarter_of(since).max(0)),
        };
        let last_quarter = match (since, until) {
            (None, None) => ALL_TIME,
            _ => until.map_or(ALL_TIME - 1, |until| quarter_of(until - 1)),
        };
        Ok(Self { connection, first_quarter, last_quarter, agent_type, since, until })
    }

    /// Visits the row of `select_totals.sql`.
    pub fn totals(&self, visit: impl FnMut(&Row<'_>) -> rusqlite::Result<()>) -> rusqlite::Result<()> {
        let values = params![self.first_quarter, self.last_quarter, self.agent_type];
        each(self.connection, queries::SELECT_TOTALS, values, visit).map(|_| ())
    }

    /// Visits the counts of active and of all sessions.
    pub fn session_totals(
        &self,
        cutoffs: Cutoffs,
        visit: impl FnMut(&Row<'_>) -> rusqlite::Result<()>,
    ) -> rusqlite::Result<()> {
        let values = params![cutoffs.idle, self.since, self.agent_type, self.until];
        each(self.connection, queries::SELECT_SESSION_TOTALS, values, visit).map(drop)
    }

    /// Visits agents by number of events.
    pub fn agents(&self, visit: impl FnMut(&Row<'_>) -> rusqlite::Result<()>) -> rusqlite::Result<()> {
        self.rows(queries::SELECT_AGENTS, visit)
    }

    /// Visits names of a kind by number of events.
    pub fn counts(
        &self,
        kind: Field,
        visit: impl FnMut(&Row<'_>) -> rusqlite::Result<()>,
    ) -> rusqlite::Result<()> {
        self.rows_of(queries::SELECT_COUNTS, kind, visit)
    }

    /// Visits tools by number of calls, without further columns.
    pub fn calls(&self, visit: impl FnMut(&Row<'_>) -> rusqlite::Result<()>) -> rusqlite::Result<()> {
        self.rows(queries::SELECT_CALLS, visit)
    }

    /// Visits tools by number of calls; the last column is the id that [`Totals::tool_agents`] uses.
    pub fn tools(&self, visit: impl FnMut(&Row<'_>) -> rusqlite::Result<()>) -> rusqlite::Result<()> {
        self.rows(queries::SELECT_TOOLS, visit)
    }

    /// Visits agents by tool and number of calls.
    pub fn tool_agents(&self, visit: impl FnMut(&Row<'_>) -> rusqlite::Result<()>) -> rusqlite::Result<()> {
        self.rows(queries::SELECT_TOOL_AGENTS, visit)
    }

    /// Visits the newest hourly buckets, oldest first.
    pub fn cost_timeline(
        &self,
        limit: u64,
        visit: impl FnMut(&Row<'_>) -> rusqlite::Result<()>,
    ) -> rusqlite::Result<()> {
        // Of all time, the quarters are those before the sums of all time.
        let (first_quarter, last_quarter) = if self.last_quarter == ALL_TIME {
            (0, ALL_TIME - 1)
        } else {
            (self.first_quarter, self.last_quarter)
        };
        let values = params![first_quarter, last_quarter, self.agent_type, signed(limit)];
        each(self.connection, queries::SELECT_COST_TIMELINE, values, visit).map(|_| ())
    }

    /// Visits cost by names of a kind.
    pub fn costs(
        &self,
        kind: Field,
        visit: impl FnMut(&Row<'_>) -> rusqlite::Result<()>,
    ) -> rusqlite::Result<()> {
        self.rows_of(queries::SELECT_COSTS, kind, visit)
    }

    fn rows(&self, sql: &str, visit: impl FnMut(&Row<'_>) -> rusqlite::Result<()>) -> rusqlite::Result<()> {
        let values = params![self.first_quarter, self.last_quarter, self.agent_type, LIMITS.listed_names];
        each(self.connection, sql, values, visit).map(|_| ())
    }

    fn rows_of(
        &self,
        sql: &str,
        kind: Field,
        visit: impl FnMut(&Row<'_>) -> rusqlite::Result<()>,
    ) -> rusqlite::Result<()> {
        let values =
            params![self.first_quarter, self.last_quarter, self.agent_type, kind.name(), LIMITS.listed_names];
        each(self.connection, sql, values, visit).map(|_| ())
    }
}
