//! Reads pages of events as they are stored, and resolves their names (rule GET-02).
//!
//! Names and sessions repeat, so each is looked up once in a page. The view `events_readable` looks each up in every
//! row, and formats every time as text: half of what a page in a binary format would cost.

use std::borrow::Cow;
use std::rc::Rc;

use hashbrown::HashMap;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};

use crate::field::{COLUMNS, ColumnKind};
use crate::queries;
use crate::store::query::{EventFilter, Order, each_event};

/// The value of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell<'a> {
    /// No value.
    Null,
    /// A whole number.
    Integer(i64),
    /// US dollars.
    Dollars(f64),
    /// Unix milliseconds.
    Timestamp(i64),
    /// True or false.
    Boolean(bool),
    /// A text of this row alone.
    Text(Cow<'a, str>),
    /// A text that other rows have too; of one column, the same id is the same text.
    Name(i64, Rc<str>),
    /// JSON text.
    Json(Cow<'a, str>),
}

/// The cells of a row, in the order of its columns.
pub type Cells<'a> = [Cell<'a>; COLUMNS.len()];

/// The id of a row.
pub fn id_of(cells: &Cells<'_>) -> i64 {
    if let Some(Cell::Integer(id)) = cells.first() { *id } else { 0 }
}

/// Shows up to `limit` events until `visit` gives `false`. A name or session that no event has means no rows.
pub fn list_event_rows(
    connection: &Connection,
    filter: &EventFilter,
    limit: u64,
    mut visit: impl FnMut(&Cells<'_>) -> rusqlite::Result<bool>,
) -> rusqlite::Result<()> {
    let sql = match filter.order {
        Order::NewestFirst => queries::SELECT_EVENT_COLUMNS_NEWEST,
        Order::OldestFirst => queries::SELECT_EVENT_COLUMNS_OLDEST,
    };
    let mut known = KnownTexts::default();
    each_event(connection, sql, filter, limit, &mut |row| visit(&known.cells(connection, row)?))
}

/// The texts that a page has looked up.
#[derive(Default)]
struct KnownTexts {
    names: HashMap<i64, Rc<str>>,
    sessions: HashMap<i64, Rc<str>>,
}

impl KnownTexts {
    fn cells<'a>(&mut self, connection: &Connection, row: &'a Row<'_>) -> rusqlite::Result<Cells<'a>> {
        let mut cells = std::array::from_fn(|_| Cell::Null);
        let mut stored = 0;
        for (cell, column) in cells.iter_mut().zip(&COLUMNS) {
            if let ColumnKind::Constant(value) = column.kind {
                *cell = Cell::Integer(value);
                continue;
            }
            let value = row.get_ref(stored)?;
            stored += 1;
            *cell = match (column.kind, value) {
                (_, ValueRef::Null) => Cell::Null,
                (ColumnKind::Session, ValueRef::Integer(key)) => {
                    Cell::Name(key, text_of(&mut self.sessions, connection, queries::SELECT_SESSION_ID, key)?)
                }
                (ColumnKind::Name | ColumnKind::Choice(_), ValueRef::Integer(id)) => {
                    Cell::Name(id, text_of(&mut self.names, connection, queries::SELECT_NAME_TEXT, id)?)
                }
                (ColumnKind::Timestamp, ValueRef::Integer(ms)) => Cell::Timestamp(ms),
                (ColumnKind::Boolean, ValueRef::Integer(value)) => Cell::Boolean(value == 1),
                #[expect(clippy::cast_precision_loss, reason = "as SQLite does in the view")]
                (ColumnKind::Dollars, ValueRef::Integer(nanos)) => Cell::Dollars(nanos as f64 / 1e9),
                (ColumnKind::Json, ValueRef::Text(text)) => Cell::Json(String::from_utf8_lossy(text)),
                (_, ValueRef::Integer(value)) => Cell::Integer(value),
                (_, ValueRef::Text(text)) => Cell::Text(String::from_utf8_lossy(text)),
                (_, ValueRef::Blob(bytes)) => Cell::Text(Cow::Owned(uuid_text(bytes))),
                // Columns have types, and none of them is this one.
                (_, ValueRef::Real(value)) => Cell::Dollars(value),
            };
        }
        Ok(cells)
    }
}

fn text_of(
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

/// The 16 bytes of a UUID as text (RFC 9562, section 4).
fn uuid_text(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = String::with_capacity(36);
    for (index, byte) in bytes.iter().enumerate() {
        if matches!(index, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_the_bytes_of_a_uuid_as_text() {
        let bytes: Vec<u8> = (0..16).map(|n| n * 17).collect();
        assert_eq!(uuid_text(&bytes), "00112233-4455-6677-8899-aabbccddeeff");
    }
}
