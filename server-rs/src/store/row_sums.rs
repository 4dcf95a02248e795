//! Sums up stored rows, as the statistics and the sessions have them. A check compares these sums, and a deletion subtracts
//! them (rules RET-06 and BAK-06).

use std::collections::{HashMap, HashSet};

use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};

use crate::contract::vocabulary::event_type;
use crate::field::Field;
use crate::figure::{Figure, NUMBERS, Sums, WORDS, add_call, add_event, add_step, measure, pick};
use crate::queries;
use crate::store::query::each;
use crate::store::stats::{ALL_TIME, EVERY_EVENT, open_quarter, quarter_of};

/// Columns of `select_event_figures.sql`.
const TIME: usize = 1;
const SESSION: usize = 2;
const NUMBERS_AT: usize = 5;
const COMPUTED_COST: usize = NUMBERS_AT + NUMBERS.len();
const NAMES: usize = COMPUTED_COST + 1;

/// The sums of some rows.
#[derive(Debug, Default)]
pub struct RowSums {
    /// The quarter whose sums are not in those of all time.
    open_quarter: i64,
    /// The name ids of the words that figures ask for.
    words: [Option<i64>; WORDS.len()],
    step: Option<i64>,
    /// By key of a session.
    pub sessions: HashMap<i64, Sums>,
    /// By quarter of an hour, name and agent.
    pub stats: HashMap<(i64, i64, i64), Sums>,
}

impl RowSums {
    /// Returns the sums of no row.
    pub fn new(connection: &Connection) -> rusqlite::Result<Self> {
        let name = |kind: &str, text: &str| -> rusqlite::Result<Option<i64>> {
            connection.query_row(queries::SELECT_NAME, params![kind, text], |row| row.get(0)).optional()
        };
        let mut words = [None; WORDS.len()];
        for (id, (kind, word)) in words.iter_mut().zip(WORDS) {
            *id = name(kind.name(), word)?;
        }
        let step = name("event_type", event_type::PLAN_STEP)?;
        Ok(Self { open_quarter: open_quarter(connection)?, words, step, ..Self::default() })
    }

    /// Adds a row of `select_event_figures.sql`.
    pub fn add(&mut self, row: &Row<'_>) -> rusqlite::Result<()> {
        let names = names_of(row)?;
        let of = |kind: Field| {
            names.get(Field::NAME_KINDS.iter().position(|known| *known == kind)?)?.as_ref().copied()
        };
        let is_step = self.step.is_some() && of(Field::EventType) == self.step;
        let agent = of(Field::AgentType).unwrap_or_default();
        let quarter = quarter_of(time_of_row(row)?);
        let figures = self.figures_of_row(row, of)?;
        add_event(self.sessions.entry(row.get(SESSION)?).or_default(), &figures);
        let quarters: &[i64] = if quarter == self.open_quarter { &[quarter] } else { &[quarter, ALL_TIME] };
        for &quarter in quarters {
            let of_all = self.stats.entry((quarter, EVERY_EVENT, agent)).or_default();
            add_event(of_all, &figures);
            for (kind, name) in Field::NAME_KINDS.into_iter().zip(names) {
                let Some(name) = name.filter(|_| kind != Field::AgentType) else { continue };
                let sums = self.stats.entry((quarter, name, agent)).or_default();
                match kind {
                    Field::ToolName if is_step => add_step(sums, &figures),
                    Field::ToolName => add_call(sums, &figures),
                    _ => add_event(sums, &figures),
                }
            }
        }
        Ok(())
    }

    fn figures_of_row(&self, row: &Row<'_>, of: impl Fn(Field) -> Option<i64>) -> rusqlite::Result<Sums> {
        let mut numbers = [None; NUMBERS.len()];
        for (at, number) in numbers.iter_mut().enumerate() {
            *number = row.get(NUMBERS_AT + at)?;
        }
        let number_of = |field| NUMBERS.iter().zip(&numbers).find(|(known, _)| **known == field);
        let id_of = |field, word| WORDS.iter().zip(&self.words).find(|(known, _)| **known == (field, word));
        Ok(measure(
            |field| number_of(field).and_then(|(_, number)| *number),
            |field, word| id_of(field, word).is_some_and(|(_, id)| id.is_some() && of(field) == *id),
            row.get(COMPUTED_COST)?,
        ))
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

/// Returns the time of a row, in Unix milliseconds.
pub fn time_of_row(row: &Row<'_>) -> rusqlite::Result<i64> {
    row.get(TIME)
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
    for ((quarter, name, agent), figures) in sums.stats {
        let figures = pick(&figures, &Figure::OF_STATS);
        let values = params_from_iter([quarter, name, agent].into_iter().chain(figures));
        let left: Option<i64> = from_stats.query_row(values, |row| row.get(0)).optional()?;
        if left.is_some_and(|left| left <= 0) {
            delete_stats.execute([quarter, name, agent])?;
            unused.extend([name, agent]);
        }
    }
    let mut from_session = connection.prepare_cached(queries::SUBTRACT_FROM_SESSION)?;
    for (key, figures) in sums.sessions {
        let figures = pick(&figures, &Figure::OF_SESSIONS);
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
