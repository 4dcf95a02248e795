//! Rows to JSON text. Strings are escaped as `JSON.stringify` does, numbers printed the ECMAScript way,
//! metadata put in exactly as it was sent (rules MET-01, GET-02).
//!
//! The names of members are the names of the columns that the shared statements give.

use rusqlite::Row;
use rusqlite::types::ValueRef;

use crate::number::print_number;

/// How metadata is put in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lines {
    /// Byte for byte.
    AsSent,
    /// With a space for each raw CR or LF, for line-based formats (rule MET-03).
    One,
}

/// Appends a row as an object.
pub(crate) fn row_object(out: &mut Vec<u8>, row: &Row<'_>, lines: Lines) -> rusqlite::Result<()> {
    row_members(out, row, row.as_ref().column_count(), lines)?;
    out.push(b'}');
    Ok(())
}

/// Appends `{` and the first `count` columns of a row as members, without the closing brace.
pub(crate) fn row_members(
    out: &mut Vec<u8>,
    row: &Row<'_>,
    count: usize,
    lines: Lines,
) -> rusqlite::Result<()> {
    for at in 0..count {
        let name = row.as_ref().column_name(at)?;
        out.push(if at == 0 { b'{' } else { b',' });
        out.push(b'"');
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b"\":");
        match (name, row.get_ref(at)?) {
            ("metadata", ValueRef::Text(text)) => metadata(out, text, lines),
            ("payload_truncated", value) => bool(out, matches!(value, ValueRef::Integer(1))),
            (_, value) => scalar(out, value),
        }
    }
    Ok(())
}

/// Appends a string.
pub(crate) fn string(out: &mut Vec<u8>, text: &str) {
    // Writing a string to memory cannot fail.
    drop(serde_json::to_writer(out, text));
}

/// Appends an integer.
pub(crate) fn integer(out: &mut Vec<u8>, value: i64) {
    drop(serde_json::to_writer(out, &value));
}

/// Appends a JSON array of what `visit` appends for each row.
pub(crate) fn list<E>(
    out: &mut Vec<u8>,
    each: impl FnOnce(&mut dyn FnMut(&Row<'_>) -> rusqlite::Result<()>) -> Result<(), E>,
) -> Result<(), E> {
    let mut first = true;
    out.push(b'[');
    each(&mut |row| {
        if !first {
            out.push(b',');
        }
        first = false;
        row_object(out, row, Lines::AsSent)
    })?;
    out.push(b']');
    Ok(())
}

fn metadata(out: &mut Vec<u8>, text: &[u8], lines: Lines) {
    match lines {
        Lines::AsSent => out.extend_from_slice(text),
        // Inside strings JSON allows neither, so these stand between tokens.
        Lines::One => {
            out.extend(text.iter().map(|&byte| if matches!(byte, b'\r' | b'\n') { b' ' } else { byte }));
        }
    }
}

fn bool(out: &mut Vec<u8>, value: bool) {
    out.extend_from_slice(if value { b"true" } else { b"false" });
}

fn scalar(out: &mut Vec<u8>, value: ValueRef<'_>) {
    match value {
        ValueRef::Null => out.extend_from_slice(b"null"),
        ValueRef::Integer(value) => integer(out, value),
        ValueRef::Real(value) => print_number(out, value),
        // A file that another program wrote to may hold anything; what this server wrote is well-formed.
        ValueRef::Text(text) | ValueRef::Blob(text) => string(out, &String::from_utf8_lossy(text)),
    }
}

/// A page of rows under a name, with the cursor that continues it (rules GET-01 and SES-01).
#[derive(Debug)]
pub struct Page {
    json: Vec<u8>,
    cursor: &'static str,
    limit: u64,
    rows: u64,
    last: i64,
}

impl Page {
    /// A page of up to `limit` rows; `cursor` is the column that `next` is taken from.
    pub fn new(name: &str, cursor: &'static str, limit: u64) -> Self {
        Self { json: format!("{{\"{name}\":[").into_bytes(), cursor, limit, rows: 0, last: 0 }
    }

    /// Takes a row; the one after the last only tells that there is more.
    pub fn row(&mut self, row: &Row<'_>) -> rusqlite::Result<()> {
        self.rows += 1;
        if self.rows > self.limit {
            return Ok(());
        }
        if self.rows > 1 {
            self.json.push(b',');
        }
        self.last = row.get(self.cursor)?;
        row_object(&mut self.json, row, Lines::AsSent)
    }

    /// Whether there is more than the page shows.
    pub(crate) fn has_more(&self) -> bool {
        self.rows > self.limit
    }

    /// The page's JSON text.
    pub fn finish(mut self) -> Vec<u8> {
        self.json.extend_from_slice(b"],\"next\":");
        if self.has_more() {
            integer(&mut self.json, self.last);
        } else {
            self.json.extend_from_slice(b"null");
        }
        self.json.push(b'}');
        self.json
    }
}
