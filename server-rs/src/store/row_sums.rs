//! Sums up stored rows, as the statistics and the sessions have them. A check compares these sums, and a deletion subtracts
//! them (rules RET-06 and BAK-06).

use std::collections::{HashMap, HashSet};

use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};

use crate::contract::vocabulary::{event_type, status};
use crate::field::Field;
use crate::queries;
use crate::store::query::each;
use crate::store::stats::{ALL_TIME, EVERY_EVENT, hour_of, open_hour};

/// Columns of `select_event_figures.sql`.
const CREATED_AT: usize = 1;
const SESSION: usize = 2;
const DURATION: usize = 4;
const TOKENS: usize = 5;
const COSTS: usize = 9;
const NAMES: usize = 11;

/// The sums of a session: events, errors, four token counts, two costs.
pub const SESSION_SUMS: usize = 8;
/// The sums of a name: events, calls, errors, durations, milliseconds, two token counts, two costs.
pub const STATS_SUMS: usize = 9;

/// The sums of some rows.
#[derive(Debug, Default)]
pub struct RowSums {
    /// The hour whose sums are not in those of all time.
    open_hour: i64,
    error: Option<i64>,
    step: Option<i64>,
    /// By key of a session.
    pub sessions: HashMap<i64, [i64; SESSION_SUMS]>,
    /// By hour, name and agent.
    pub stats: HashMap<(i64, i64, i64), [i64; STATS_SUMS]>,
}

impl RowSums {
    /// Returns the sums of no row.
    pub fn new(connection: &Connection) -> rusqlite::Result<Self> {
        let name = |kind: &str, text: &str| -> rusqlite::Result<Option<i64>> {
            connection.query_row(queries::SELECT_NAME, params![kind, text], |row| row.get(0)).optional()
        };
        let (error, step) = (name("status", status::ERROR)?, name("event_type", event_type::PLAN_STEP)?);
        Ok(Self { open_hour: open_hour(connection)?, error, step, ..Self::default() })
    }

    /// Adds a row of `select_event_figures.sql`.
    pub fn add(&mut self, row: &Row<'_>) -> rusqlite::Result<()> {
        let names = names_of(row)?;
        let number = |at: usize| row.get::<_, Option<i64>>(at);
        let of = |kind: Field| {
            names.get(Field::NAME_KINDS.iter().position(|known| *known == kind)?)?.as_ref().copied()
        };
        let is_error = i64::from(self.error.is_some() && of(Field::Status) == self.error);
        let is_step = self.step.is_some() && of(Field::EventType) == self.step;
        let agent = of(Field::AgentType).unwrap_or_default();
        let hour = hour_of_row(row)?;
        let (duration, tokens) = (number(DURATION)?, [number(TOKENS)?, number(TOKENS + 1)?]);
        let tokens = tokens.map(Option::unwrap_or_default);
        let cached = [number(TOKENS + 2)?, number(TOKENS + 3)?].map(Option::unwrap_or_default);
        let costs = [number(COSTS)?, number(COSTS + 1)?].map(Option::unwrap_or_default);

        let of_session = self.sessions.entry(row.get(SESSION)?).or_default();
        add(of_session, [1, is_error, tokens[0], tokens[1], cached[0], cached[1], costs[0], costs[1]]);

        let figures = [
            1,
            0,
            is_error,
            i64::from(duration.is_some()),
            duration.unwrap_or_default(),
            tokens[0],
            tokens[1],
            costs[0],
            costs[1],
        ];
        let hours: &[i64] = if hour == self.open_hour { &[hour] } else { &[hour, ALL_TIME] };
        for &hour in hours {
            add(self.stats.entry((hour, EVERY_EVENT, agent)).or_default(), figures);
            for (kind, name) in Field::NAME_KINDS.into_iter().zip(names) {
                let Some(name) = name else { continue };
                let mut counted = figures;
                match kind {
                    Field::AgentType => continue,
                    Field::ToolName if is_step => counted = [1, 0, 0, 0, 0, 0, 0, 0, 0],
                    Field::ToolName => counted[1] = 1,
                    _ => {}
                }
                add(self.stats.entry((hour, name, agent)).or_default(), counted);
            }
        }
        Ok(())
    }
}

/// Visits the figures of the rows from `first` to `last`, of one session unless it is `None`.
pub fn figures_of(
    connection: &Connection,
    first: i64,
    last: i64,
    session: Option<i64>,
    visit: impl FnMut(&Row<'_>) -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    each(connection, queries::SELECT_EVENT_FIGURES, params![first, last, session], visit).map(drop)
}

/// Returns the name ids of a row, in the order of the kinds.
pub fn names_of(row: &Row<'_>) -> rusqlite::Result<[Option<i64>; Field::NAME_KINDS.len()]> {
    let mut names = [None; Field::NAME_KINDS.len()];
    for (at, name) in names.iter_mut().enumerate() {
        *name = row.get(NAMES + at)?;
    }
    Ok(names)
}

/// Returns the Unix second at which the hour of a row begins.
pub fn hour_of_row(row: &Row<'_>) -> rusqlite::Result<i64> {
    row.get(CREATED_AT).map(hour_of)
}

/// Takes the rows that a client deletes next out of all sums: the rows from `first` to `last`, of one session unless it
/// is `None`. Adds the ids of names that lost a sum to `unused`.
pub(super) fn subtract_rows(
    connection: &Connection,
    first: i64,
    last: i64,
    session: Option<i64>,
    unused: &mut HashSet<i64>,
) -> rusqlite::Result<()> {
    let mut sums = RowSums::new(connection)?;
    figures_of(connection, first, last, session, |row| sums.add(row))?;
    let mut from_stats = connection.prepare_cached(queries::SUBTRACT_FROM_STATS)?;
    let mut delete_stats = connection.prepare_cached(queries::DELETE_STATS)?;
    for ((hour, name, agent), figures) in sums.stats {
        let values = params_from_iter([hour, name, agent].into_iter().chain(figures));
        let left: Option<i64> = from_stats.query_row(values, |row| row.get(0)).optional()?;
        if left.is_some_and(|left| left <= 0) {
            delete_stats.execute([hour, name, agent])?;
            unused.extend([name, agent]);
        }
    }
    let mut from_session = connection.prepare_cached(queries::SUBTRACT_FROM_SESSION)?;
    for (key, figures) in sums.sessions {
        from_session.execute(params_from_iter([key].into_iter().chain(figures)))?;
    }
    Ok(())
}

/// Deletes those of these names that no sum and no session has.
pub(super) fn delete_unused_names(connection: &Connection, unused: &HashSet<i64>) -> rusqlite::Result<()> {
    if unused.is_empty() {
        return Ok(());
    }
    let ids: Vec<String> = unused.iter().map(i64::to_string).collect();
    let ids = format!("[{}]", ids.join(","));
    connection.prepare_cached(queries::DELETE_UNUSED_NAMES)?.execute([ids]).map(drop)
}

/// Adds figures; a sum stops at the largest integer (rule STA-06).
fn add<const N: usize>(sums: &mut [i64; N], figures: [i64; N]) {
    for (sum, figure) in sums.iter_mut().zip(figures) {
        *sum = sum.saturating_add(figure);
    }
}
