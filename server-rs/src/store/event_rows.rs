//! Reads pages of stored events, and resolves their names (rule GET-02).
//!
//! Names and sessions repeat, so a page looks each up once. The view `events_readable` looks each up in every row and
//! formats every time as text. That would be half the cost of a page in a binary format.

use std::borrow::Cow;
use std::rc::Rc;

use hashbrown::HashMap;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};

use crate::field::{COLUMNS, ColumnKind};
use crate::queries;
use crate::render::Reached;
use crate::render::stored::{StoredRow, StoredValue, dollars_of, text_of};
use crate::store::event_search::{Columns, search_events};
use crate::store::query::EventFilter;

/// Visits up to `limit` events, until `visit` returns `false` or the budget of a page is used up (rule GET-12).
pub(crate) fn list_event_rows(
    connection: &Connection,
    filter: &EventFilter,
    limit: u64,
    mut visit: impl FnMut(&StoredRow<'_>) -> rusqlite::Result<bool>,
) -> rusqlite::Result<Reached> {
    let mut texts = Texts::default();
    search_events(connection, Columns::Stored, filter, limit, &mut |row| {
        visit(&texts.stored_row(connection, row)?)
    })
}

/// The texts of name ids and session keys that a page has looked up.
#[derive(Default)]
struct Texts {
    names: HashMap<i64, Rc<str>>,
    sessions: HashMap<i64, Rc<str>>,
}

impl Texts {
    /// Returns the values of a row of the statement, whose columns are `COLUMNS` without constants.
    fn stored_row<'a>(
        &mut self,
        connection: &Connection,
        row: &'a Row<'_>,
    ) -> rusqlite::Result<StoredRow<'a>> {
        let mut values = std::array::from_fn(|_| StoredValue::Null);
        let mut stored = 0;
        for (value, column) in values.iter_mut().zip(&COLUMNS) {
            if let ColumnKind::Constant(constant) = column.kind {
                *value = StoredValue::Integer(constant);
                continue;
            }
            let found = row.get_ref(stored)?;
            stored += 1;
            *value = match (column.kind, found) {
                (_, ValueRef::Null) => StoredValue::Null,
                (ColumnKind::Session, ValueRef::Integer(key)) => StoredValue::Name(
                    key,
                    read(&mut self.sessions, connection, queries::SELECT_SESSION_ID, key)?,
                ),
                (ColumnKind::Name | ColumnKind::Choice(_), ValueRef::Integer(id)) => {
                    StoredValue::Name(id, read(&mut self.names, connection, queries::SELECT_NAME_TEXT, id)?)
                }
                (ColumnKind::Timestamp, ValueRef::Integer(ms)) => StoredValue::Timestamp(ms),
                (ColumnKind::Boolean, ValueRef::Integer(value)) => StoredValue::Boolean(value == 1),
                (ColumnKind::Dollars, ValueRef::Integer(nanos)) => StoredValue::Dollars(dollars_of(nanos)),
                (ColumnKind::Json, ValueRef::Text(text)) => StoredValue::Json(String::from_utf8_lossy(text)),
                (_, ValueRef::Integer(value)) => StoredValue::Integer(value),
                (_, ValueRef::Text(text)) => StoredValue::Text(String::from_utf8_lossy(text)),
                (_, ValueRef::Blob(uuid)) => StoredValue::Text(Cow::Owned(text_of(uuid))),
                // This server stores no floats in columns; another program may have.
                (_, ValueRef::Real(value)) => StoredValue::Dollars(value),
            };
        }
        Ok(values)
    }
}

/// Returns the text of an id, from memory after the first lookup.
fn read(
    known: &mut HashMap<i64, Rc<str>>,
    connection: &Connection,
    sql: &str,
    id: i64,
) -> rusqlite::Result<Rc<str>> {
    if let Some(text) = known.get(&id) {
        return Ok(Rc::clone(text));
    }
    let text: Rc<str> =
        connection.prepare_cached(sql)?.query_row([id], |row| row.get::<_, String>(0))?.into();
    known.insert(id, Rc::clone(&text));
    Ok(text)
}
