//! Reads events and health by the contract's statements. Knows nothing of JSON text.

use rusqlite::{Connection, Row, named_params};

use crate::field::Field;
use crate::queries;
use crate::store::names::find_name;

/// Above every id: the upper bound of a page without `before`.
pub const NO_BOUND: i64 = 9_007_199_254_740_992;

/// The order of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "said by their names")]
pub enum Order {
    NewestFirst,
    OldestFirst,
}

/// The events that a page shows.
#[derive(Debug, Clone)]
pub struct EventFilter {
    /// Only those of this session.
    pub session_id: Option<String>,
    /// Required values of other fields.
    pub fields: Vec<(Field, String)>,
    /// Only those that contain this text (rule GET-13).
    pub text: Option<String>,
    /// Whether the text is searched in whole metadata instead of summaries.
    pub searches_whole: bool,
    /// Inclusive, Unix milliseconds.
    pub since: Option<i64>,
    /// Exclusive, Unix milliseconds.
    pub until: Option<i64>,
    /// Only late rows, or only others.
    pub late: Option<bool>,
    /// Only ids above this.
    pub above: i64,
    /// Only ids below this.
    pub below: i64,
    /// Direction of the page.
    pub order: Order,
}

impl Default for EventFilter {
    fn default() -> Self {
        Self {
            session_id: None,
            fields: Vec::new(),
            text: None,
            searches_whole: false,
            since: None,
            until: None,
            late: None,
            above: 0,
            below: NO_BOUND,
            order: Order::NewestFirst,
        }
    }
}

/// Counts the events with an id above `since` and up to `newest`, up to `most`.
pub fn count_since(connection: &Connection, since: i64, newest: i64, most: u64) -> rusqlite::Result<u64> {
    let mut statement = connection.prepare_cached(queries::SELECT_COUNT_SINCE)?;
    let count: i64 = statement.query_row([since, newest, signed(most)], |row| row.get(0))?;
    Ok(count.unsigned_abs())
}

/// Visits one event; returns `false` when no event has this id.
pub fn get_event(
    connection: &Connection,
    id: i64,
    visit: impl FnMut(&Row<'_>) -> rusqlite::Result<()>,
) -> rusqlite::Result<bool> {
    Ok(each(connection, queries::SELECT_EVENT, [id], visit)? > 0)
}

/// Returns the revision of every topic except sessions (rule SYN-01), as of the current transaction.
pub fn newest_revision(connection: &Connection) -> rusqlite::Result<i64> {
    connection.prepare_cached(queries::SELECT_LAST_EVENT_ID)?.query_row([], |row| row.get(0))
}

/// Returns the newest id that a deletion took (rule RET-05), as of the current transaction.
pub fn last_deletion(connection: &Connection) -> rusqlite::Result<i64> {
    connection.prepare_cached(queries::SELECT_LAST_DELETION_ID)?.query_row([], |row| row.get(0))
}

/// The health figures that come from the database.
#[derive(Debug)]
#[expect(missing_docs, reason = "each is the member of its name in the answer")]
pub struct HealthFigures {
    pub journal_mode: String,
    pub synchronous: &'static str,
    pub epoch: String,
}

/// Returns the effective pragmas of a connection, and the epoch.
pub(crate) fn health(connection: &Connection) -> rusqlite::Result<HealthFigures> {
    let synchronous: i64 = connection.pragma_query_value(None, "synchronous", |row| row.get(0))?;
    Ok(HealthFigures {
        journal_mode: connection.pragma_query_value(None, "journal_mode", |row| row.get(0))?,
        synchronous: match synchronous {
            0 => "off",
            1 => "normal",
            2 => "full",
            _ => "extra",
        },
        epoch: connection.query_row(queries::SELECT_EPOCH, named_params! {}, |row| row.get(0))?,
    })
}

/// Returns the name id of a filter: `Some(None)` without a filter, and `None` when no event has the name.
pub(super) fn known_name(
    connection: &Connection,
    kind: Field,
    name: Option<&str>,
) -> rusqlite::Result<Option<Option<i64>>> {
    match name {
        None => Ok(Some(None)),
        Some(name) => Ok(find_name(connection, kind, name)?.map(Some)),
    }
}

/// Visits every row of a statement; returns their number.
pub(crate) fn each(
    connection: &Connection,
    sql: &str,
    values: impl rusqlite::Params,
    mut visit: impl FnMut(&Row<'_>) -> rusqlite::Result<()>,
) -> rusqlite::Result<usize> {
    let mut statement = connection.prepare_cached(sql)?;
    // A cached statement may still hold named values of an earlier read.
    statement.clear_bindings();
    let mut rows = statement.query(values)?;
    let mut count = 0;
    while let Some(row) = rows.next()? {
        count += 1;
        visit(row)?;
    }
    Ok(count)
}

/// Converts a page size to SQLite's integer type.
pub(super) fn signed(limit: u64) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}
