//! Creates a database from a dump of this schema or of an earlier one (rule BAK-05).
//!
//! The statements come from the schema itself (`select_load_statements.sql`), so a new column needs no change here.
//! Over 250 lines because a row, a content and the ends of a dump are read together.
//! Invariant: the database has its name only when every line was stored and the sums agree with the events.

use std::collections::HashMap;
use std::io::BufRead;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use miniserde::Deserialize;
use miniserde::json::{self, Value};
use rusqlite::{Connection, OpenFlags, OptionalExtension, Statement};

use sha2::{Digest as _, Sha256};

use crate::config::Durability;
use crate::contract::{FILE_PRAGMAS, LOADS, SCHEMA, integer_of, text_of};
use crate::digest::{Digest, parse_digest};
use crate::error::ErrorCode;
use crate::maintenance::failure::{CommandFailure, write_code};
use crate::maintenance::verify::verify_database;
use crate::queries;
use crate::store::attachment_files::{AttachmentFiles, TemporaryFile};
use crate::store::copy::{begin_file, finish_file};
use crate::store::failure::file_code;
use crate::store::query::each;
use crate::store::schema::create_schema;

/// A finished load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the numbers of each")]
pub struct Loaded {
    pub lines: u64,
    pub events: u64,
}

/// The members of a line that its table does not decide.
#[derive(Deserialize)]
struct Line {
    table: String,
    /// Of `dump`.
    schema: Option<Value>,
    /// Of `end`: the number of lines before it.
    lines: Option<Value>,
    /// Of `attachment_bytes`, as the two below.
    digest: Option<Value>,
    offset: Option<Value>,
    base64: Option<Value>,
}

/// Creates the database at `target`, which must not exist, from the lines of a dump. Blocks.
pub fn load_dump(input: impl BufRead, target: &Path) -> Result<Loaded, CommandFailure> {
    let partial = begin_file(target).map_err(|error| CommandFailure::copy(error, target))?;
    load_into(&partial, input, target).inspect_err(|_| {
        // The next load would replace it.
        drop(std::fs::remove_file(&partial));
    })
}

fn load_into(partial: &Path, input: impl BufRead, target: &Path) -> Result<Loaded, CommandFailure> {
    let failed = |error: rusqlite::Error| {
        CommandFailure::unwritable(target, write_code(&error).unwrap_or(ErrorCode::StorageError))
    };
    let connection =
        Connection::open_with_flags(partial, OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(failed)?;
    connection.execute_batch(FILE_PRAGMAS).map_err(failed)?;
    create_schema(&connection).map_err(failed)?;
    // A crash leaves only the partial file, which the next load replaces.
    connection.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN").map_err(failed)?;
    let mut lines = Lines { input, text: String::new(), count: 0 };
    let schema = schema_of(&lines.next()?)?;
    let contents = Contents { files: AttachmentFiles::new(target, Durability::Power), open: None };
    store_lines(&mut lines, schema, target, &connection, contents)?;
    for (_, sql) in LOADS.iter().filter(|(number, _)| schema < *number) {
        connection.execute_batch(sql).map_err(failed)?;
    }
    connection.execute_batch("COMMIT").map_err(failed)?;
    let files = AttachmentFiles::new(target, Durability::Process);
    let verified = verify_database(&connection, &files).map_err(failed)?;
    // The dumped database may already lack a content.
    if let Some(finding) = verified.findings.iter().find(|finding| finding.check != "attachments") {
        return Err(CommandFailure::of_dump("contradicts", &[("check", finding.check)]));
    }
    drop(connection);
    finish_file(target).map_err(|error| CommandFailure::copy(error, target))?;
    Ok(Loaded { lines: lines.count, events: verified.events })
}

/// The lines of a dump.
struct Lines<R: BufRead> {
    input: R,
    /// The last line, with its line feed.
    text: String,
    /// Number of lines so far.
    count: u64,
}

impl<R: BufRead> Lines<R> {
    fn next(&mut self) -> Result<Line, CommandFailure> {
        self.text.clear();
        match self.input.read_line(&mut self.text) {
            Ok(0) => return Err(CommandFailure::of_dump("cut", &[])),
            Ok(_) => self.count += 1,
            Err(error) if error.kind() == std::io::ErrorKind::InvalidData => {
                return Err(CommandFailure::line(self.count + 1, "text"));
            }
            Err(_) => return Err(CommandFailure::of_dump("cut", &[])),
        }
        json::from_str(&self.text).map_err(|_| CommandFailure::line(self.count, "line"))
    }
}

/// Returns the schema of the dump that begins with this line.
fn schema_of(first: &Line) -> Result<i64, CommandFailure> {
    let number = first.schema.as_ref().and_then(integer_of).filter(|number| *number > 0);
    let found = number.and_then(|number| i64::try_from(number).ok()).filter(|_| first.table == "dump");
    let found = found.ok_or_else(|| CommandFailure::line(1, "first"))?;
    if found > SCHEMA.number {
        let (found, known) = (found.to_string(), SCHEMA.number.to_string());
        return Err(CommandFailure::of_dump("newer", &[("found", &found), ("known", &known)]));
    }
    Ok(found)
}

/// The statements of a table.
struct LoadStatements<'a> {
    /// Returns a column of a line that the table does not have.
    unknown: Statement<'a>,
    /// Stores a line.
    load: Statement<'a>,
}

/// Returns the statements of every table by its name.
fn load_statements<'a>(
    connection: &'a Connection,
    dropped: &[String],
) -> rusqlite::Result<HashMap<String, LoadStatements<'a>>> {
    let mut statements = HashMap::new();
    each(connection, queries::SELECT_LOAD_STATEMENTS, [json::to_string(&dropped.to_vec())], |row| {
        let prepared = |column| connection.prepare(&row.get::<_, String>(column)?);
        let of_table = LoadStatements { unknown: prepared("unknown")?, load: prepared("load")? };
        statements.insert(row.get("name")?, of_table);
        Ok(())
    })?;
    Ok(statements)
}

/// Stores every line of a dump of this schema after the first.
fn store_lines(
    lines: &mut Lines<impl BufRead>,
    schema: i64,
    target: &Path,
    connection: &Connection,
    mut contents: Contents,
) -> Result<(), CommandFailure> {
    let failed = |error: rusqlite::Error| {
        CommandFailure::unwritable(target, write_code(&error).unwrap_or(ErrorCode::StorageError))
    };
    let dropped: &[String] = if schema < SCHEMA.number { &SCHEMA.dropped } else { &[] };
    let mut statements = load_statements(connection, dropped).map_err(failed)?;
    loop {
        let line = lines.next()?;
        let count = lines.count;
        match line.table.as_str() {
            "attachment_bytes" => contents.add(&line, target, count)?,
            "end" => {
                contents.finish(target, count)?;
                if line.lines.as_ref().and_then(integer_of) != Some(count - 1) {
                    return Err(CommandFailure::line(count, "count"));
                }
                return Ok(());
            }
            table if dropped.iter().any(|name| name == table) => {}
            table => {
                let Some(statements) = statements.get_mut(table) else {
                    return Err(CommandFailure::line(count, "table"));
                };
                store_line(statements, lines.text.trim_end_matches('\n'), target, count)?;
            }
        }
    }
}

/// Stores a line in its table.
fn store_line(
    LoadStatements { unknown, load }: &mut LoadStatements<'_>,
    text: &str,
    target: &Path,
    count: u64,
) -> Result<(), CommandFailure> {
    let refused = |error: rusqlite::Error| match write_code(&error) {
        Some(code) => CommandFailure::unwritable(target, code),
        None => CommandFailure::line(count, "row"),
    };
    if let Some(column) = unknown.query_row([text], |row| row.get(0)).optional().map_err(refused)? {
        let (line, column): (_, String) = (count.to_string(), column);
        return Err(CommandFailure::of_dump("column", &[("line", &line), ("column", &column)]));
    }
    load.execute([text]).map_err(refused).map(drop)
}

/// The contents of attachments: one is open, the earlier ones have their names.
struct Contents {
    files: AttachmentFiles,
    open: Option<Content>,
}

struct Content {
    sha256: Digest,
    file: TemporaryFile,
    hash: Sha256,
    length: u64,
}

impl Contents {
    /// Appends the bytes of a line to its content.
    fn add(&mut self, line: &Line, target: &Path, count: u64) -> Result<(), CommandFailure> {
        let sha256 = line.digest.as_ref().and_then(text_of).and_then(parse_digest);
        let bytes = line.base64.as_ref().and_then(text_of).and_then(|text| STANDARD.decode(text).ok());
        let (Some(sha256), Some(bytes)) = (sha256, bytes) else {
            return Err(CommandFailure::line(count, "row"));
        };
        if self.open.as_ref().is_none_or(|open| open.sha256 != sha256) {
            self.finish(target, count)?;
            let file =
                self.files.begin().map_err(|error| CommandFailure::unwritable(target, file_code(&error)))?;
            self.open = Some(Content { sha256, file, hash: Sha256::new(), length: 0 });
        }
        if let Some(open) = &mut self.open {
            if line.offset.as_ref().and_then(integer_of) != Some(open.length) {
                return Err(CommandFailure::line(count, "offset"));
            }
            open.file
                .append(&bytes)
                .map_err(|error| CommandFailure::unwritable(target, file_code(&error)))?;
            open.hash.update(&bytes);
            open.length += bytes.len() as u64;
        }
        Ok(())
    }

    /// Gives the open content its name.
    fn finish(&mut self, target: &Path, count: u64) -> Result<(), CommandFailure> {
        let Some(Content { sha256, file, hash, .. }) = self.open.take() else {
            return Ok(());
        };
        if Digest::from(hash.finalize()) != sha256 {
            return Err(CommandFailure::line(count, "digest"));
        }
        let named = file.sync().and_then(|()| self.files.persist(&file, &sha256));
        named.map_err(|error| CommandFailure::unwritable(target, file_code(&error)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_dropped_column_is_not_unknown() -> rusqlite::Result<()> {
        let connection = Connection::open_in_memory()?;
        create_schema(&connection)?;
        let line = r#"{"table":"names","id":1,"kind":"model","name":"m","note":1}"#;
        for (dropped, expected) in
            [("names.note", None), ("names.not", Some("note")), ("event_names.note", Some("note"))]
        {
            let mut statements = load_statements(&connection, &[dropped.to_owned()])?;
            let names = statements.get_mut("names").expect("a table");
            let unknown: Option<String> = names.unknown.query_row([line], |row| row.get(0)).optional()?;
            assert_eq!(unknown.as_deref(), expected, "{dropped}");
        }
        Ok(())
    }
}
