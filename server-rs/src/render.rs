//! Renders rows as JSON text, members in the order of the columns (rules GET-02, MET-01 and SES-03). Strings are
//! escaped as `JSON.stringify` does, numbers are printed the ECMAScript way, and metadata is inserted exactly as
//! sent.
//!
//! Member names are the column names of the shared statements. Over 250 lines because rows, pages and frames print the
//! same members.

/// Renders outcomes and failures as JSON text.
pub mod outcomes;
/// Renders answers to telemetry.
pub mod telemetry;
/// Renders statistics as JSON text.
pub(crate) mod stats;
/// Counts durations in classes.
pub mod durations;
/// Renders time series as JSON text.
pub mod series;
/// Renders snapshots as JSON text.
pub(crate) mod snapshot;
/// Renders rows as lines.
pub(crate) mod ndjson;
/// Rows in their stored form.
pub mod stored;
/// Renders rows in MessagePack.
pub mod msgpack;
/// Renders rows in Protobuf.
pub mod protobuf;
/// Renders rows as record batches.
pub mod arrow;

use rusqlite::Row;
use rusqlite::types::ValueRef;

use crate::number::print_number;
use crate::timestamp::format_timestamp;

/// Handling of line breaks between the tokens of metadata.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineBreaks {
    /// They stay, so that metadata is unchanged.
    AsSent,
    /// Each raw CR or LF becomes a space, for formats of lines (rule MET-03).
    AsSpaces,
}

/// A callback for the rows of a read.
pub(crate) type Visit<'a> = &'a mut dyn FnMut(&Row<'_>) -> rusqlite::Result<()>;

/// A read that passes its rows one by one.
pub(crate) type Rows<'a> = &'a dyn Fn(Visit<'_>) -> rusqlite::Result<()>;

/// Appends a row as an object.
pub(crate) fn row_object(out: &mut Vec<u8>, row: &Row<'_>, breaks: LineBreaks) -> rusqlite::Result<()> {
    let opening = out.len();
    for at in 0..row.as_ref().column_count() {
        column(out, opening, row, at, breaks)?;
    }
    out.push(b'}');
    Ok(())
}

/// Appends a column as a member of the object that starts at `opening`.
fn column(
    out: &mut Vec<u8>,
    opening: usize,
    row: &Row<'_>,
    at: usize,
    breaks: LineBreaks,
) -> rusqlite::Result<()> {
    let name = row.as_ref().column_name(at)?;
    member(out, opening, name);
    match (name, row.get_ref(at)?) {
        ("metadata", ValueRef::Text(text)) => metadata(out, text, breaks),
        ("history" | "payload_truncated" | "waiting_stale", value) => {
            bool(out, matches!(value, ValueRef::Integer(1)))
        }
        (_, value) => scalar(out, value),
    }
    Ok(())
}

/// Appends a member's name to the object that starts at `opening`; the first member opens it.
fn member(out: &mut Vec<u8>, opening: usize, name: &str) {
    out.push(if out.len() == opening { b'{' } else { b',' });
    out.push(b'"');
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"\":");
}

/// Appends a string.
fn string(out: &mut Vec<u8>, text: &str) {
    // Writing a string to memory cannot fail.
    drop(serde_json::to_writer(out, text));
}

/// Appends an integer.
fn integer(out: &mut Vec<u8>, value: i64) {
    drop(serde_json::to_writer(out, &value));
}

/// Appends the rows as an array of objects, each written by `each`.
fn array(
    out: &mut Vec<u8>,
    rows: Rows<'_>,
    mut each: impl FnMut(&mut Vec<u8>, &Row<'_>) -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    let opening = out.len();
    rows(&mut |row| {
        out.push(if out.len() == opening { b'[' } else { b',' });
        each(out, row)
    })?;
    if out.len() == opening {
        out.push(b'[');
    }
    out.push(b']');
    Ok(())
}

/// Appends a member whose value is a list of rows.
fn list(out: &mut Vec<u8>, name: &str, rows: Rows<'_>) -> rusqlite::Result<()> {
    member(out, 0, name);
    array(out, rows, |out, row| row_object(out, row, LineBreaks::AsSent))
}

/// Appends the columns of a row, except the hidden one, as members of the object that starts at `opening`.
fn columns_without(out: &mut Vec<u8>, opening: usize, row: &Row<'_>, hidden: &str) -> rusqlite::Result<()> {
    for at in 0..row.as_ref().column_count() {
        if row.as_ref().column_name(at)? != hidden {
            column(out, opening, row, at, LineBreaks::AsSent)?;
        }
    }
    Ok(())
}

/// Ends an answer's object with the effective `since` and `until` (rule STA-05).
fn finish(mut out: Vec<u8>, since: Option<i64>, until: Option<i64>) -> Vec<u8> {
    for (name, time) in [("since", since), ("until", until)] {
        if let Some(time) = time {
            member(&mut out, 0, name);
            string(&mut out, &format_timestamp(time));
        }
    }
    out.push(b'}');
    out
}

fn metadata(out: &mut Vec<u8>, text: &[u8], breaks: LineBreaks) {
    match breaks {
        LineBreaks::AsSent => out.extend_from_slice(text),
        // JSON strings cannot contain raw line breaks, so these are between tokens.
        LineBreaks::AsSpaces => {
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
        // Text from another program may be malformed; text that this server wrote is well-formed.
        ValueRef::Text(text) | ValueRef::Blob(text) => string(out, &String::from_utf8_lossy(text)),
    }
}

/// A place in a list that is ordered by a time, and by a number where times are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Unix milliseconds.
    pub time: i64,
    /// The id of an event, or of the newest event of a session.
    pub number: i64,
}

impl Place {
    /// Reads the text of a cursor.
    pub fn parse(text: &str) -> Option<Self> {
        let (time, number) = text.split_once('.')?;
        let plain = |part: &str| {
            let is_number = (1..=16).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
            part.parse().ok().filter(|_| is_number)
        };
        Some(Self { time: plain(time)?, number: plain(number)? })
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}.{}", self.time, self.number)
    }
}

/// How far a page came (rule GET-12).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reached {
    /// The cursor of the next page; `None` at the end.
    pub next: Option<i64>,
    /// The id up to which the page has every matching row.
    pub scanned_to: i64,
}

/// A page of rows under a name (rules GET-01 and SES-01).
#[derive(Debug)]
pub(crate) struct Page {
    json: Vec<u8>,
    opening: usize,
}

impl Page {
    /// Creates a page without rows.
    pub(crate) fn new(name: &str) -> Self {
        let json = format!("{{\"{name}\":[").into_bytes();
        Self { opening: json.len(), json }
    }

    /// Adds a row whose last two columns are its place, which is not shown.
    pub(crate) fn placed_row(&mut self, row: &Row<'_>) -> rusqlite::Result<()> {
        self.separate();
        let opening = self.json.len();
        for at in 0..row.as_ref().column_count() - 2 {
            column(&mut self.json, opening, row, at, LineBreaks::AsSent)?;
        }
        self.json.push(b'}');
        Ok(())
    }

    fn separate(&mut self) {
        if self.json.len() > self.opening {
            self.json.push(b',');
        }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, row: &Row<'_>) -> rusqlite::Result<()> {
        self.separate();
        row_object(&mut self.json, row, LineBreaks::AsSent)
    }

    /// Returns the page's JSON text with an opaque cursor, which is `None` at the end (rules GET-15 and SES-01).
    pub(crate) fn finish_at(mut self, cursor: Option<&impl std::fmt::Display>) -> Vec<u8> {
        self.json.push(b']');
        for name in ["next", "scanned_to"] {
            member(&mut self.json, 0, name);
            match cursor {
                Some(cursor) => string(&mut self.json, &cursor.to_string()),
                None => self.json.extend_from_slice(b"null"),
            }
        }
        self.json.push(b'}');
        self.json
    }

    /// Returns the page's JSON text.
    pub(crate) fn finish(mut self, reached: Reached) -> Vec<u8> {
        self.json.extend_from_slice(b"],\"next\":");
        match reached.next {
            Some(next) => integer(&mut self.json, next),
            None => self.json.extend_from_slice(b"null"),
        }
        self.json.extend_from_slice(b",\"scanned_to\":");
        integer(&mut self.json, reached.scanned_to);
        self.json.push(b'}');
        self.json
    }
}

/// Renders a session with its newest events; `None` when it has no event.
pub(crate) fn render_session(session: Rows<'_>, events: Rows<'_>) -> rusqlite::Result<Option<Vec<u8>>> {
    let mut out = Vec::new();
    session(&mut |row| {
        member(&mut out, 0, "session");
        row_object(&mut out, row, LineBreaks::AsSent)
    })?;
    if out.is_empty() {
        return Ok(None);
    }
    list(&mut out, "events", events)?;
    Ok(Some(finish(out, None, None)))
}

/// Renders the attachments of an event (rule ATT-06).
pub(crate) fn render_attachments(attachments: Rows<'_>) -> rusqlite::Result<Vec<u8>> {
    let mut out = Vec::new();
    list(&mut out, "attachments", attachments)?;
    Ok(finish(out, None, None))
}
