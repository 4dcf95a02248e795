//! Creates a database from a dump of this schema or of an earlier one (rule BAK-05).
//!
//! The statements come from the schema itself (`select_load_statements.sql`), so a new column needs no change here.
//! Over 250 lines because a row, a content and the ends of a dump are read together.
//! Invariant: the database has its name only when every line was stored and the sums agree with the events.

use std::collections::{BTreeMap, HashMap};
use std::io::BufRead;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rusqlite::{Connection, OptionalExtension, Statement};
use serde_json::json;

use sha2::{Digest as _, Sha256};

use crate::config::Durability;
use crate::contract::SCHEMA;
use crate::contract::flags::EXITS;
use crate::digest::{Digest, parse_digest};
use crate::error::ErrorCode;
use crate::json_members::{count_of, members_of, text_of};
use crate::maintenance::dump::content_line;
use crate::maintenance::failure::{CommandFailure, write_code};
use crate::maintenance::verify::verify_database;
use crate::queries::{self, LOADS};
use crate::store::attachment_files::{AttachmentFiles, TemporaryFile};
use crate::store::attachment_folder::FolderOwner;
use crate::store::attachments::folder_owner;
use crate::store::copy::{abandon_copy, begin_file, finish_file};
use crate::store::failure::file_code;
use crate::store::query::each;
use crate::store::schema::create_partial;

/// A finished load.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded {
    /// Number of lines.
    pub lines: u64,
    /// Number of events.
    pub events: u64,
    /// The new path of another folder of attachments that was in the place of the database's.
    pub moved: Option<PathBuf>,
}

/// The members of a line that its table does not decide; one with another type is absent.
struct Line {
    table: String,
    /// Of `dump`.
    schema: Option<u64>,
    /// Of `end`: the number of lines before it.
    lines: Option<u64>,
    /// Of `attachment_bytes`, as the two below.
    digest: Option<String>,
    offset: Option<u64>,
    base64: Option<String>,
}

impl Line {
    fn parse(text: &str) -> Option<Self> {
        let names = ["table", "schema", "lines", "digest", "offset", "base64"];
        let [table, schema, lines, digest, offset, base64] = members_of(text, names)?;
        Some(Self {
            table: text_of(table)?,
            schema: count_of(schema),
            lines: count_of(lines),
            digest: text_of(digest),
            offset: count_of(offset),
            base64: text_of(base64),
        })
    }
}

/// Creates the database at `target`, which must not exist, from the lines of a dump. Blocks.
pub fn load_dump(input: impl BufRead, target: &Path) -> Result<Loaded, CommandFailure> {
    let partial = begin_file(target).map_err(|error| CommandFailure::copy(error, target))?;
    load_into(&partial, input, target).inspect_err(|_| abandon_copy(target))
}

fn load_into(partial: &Path, input: impl BufRead, target: &Path) -> Result<Loaded, CommandFailure> {
    let failed = |error: rusqlite::Error| {
        CommandFailure::unwritable(target, write_code(&error).unwrap_or(ErrorCode::StorageError))
    };
    let unwritable = |error: std::io::Error| CommandFailure::unwritable(target, file_code(&error));
    let connection = create_partial(partial).map_err(failed)?;
    // A crash leaves only the partial file, which the next load replaces.
    connection.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN").map_err(failed)?;
    let mut lines = Lines { input, text: String::new(), count: 0 };
    let schema = schema_of(&lines.next()?)?;
    lines.require(&json!({ "table": "dump", "schema": schema }))?;
    let files = AttachmentFiles::new(target, Durability::Power);
    let moved = files.begin_copy().map_err(unwritable)?;
    let owner = folder_owner(&connection).map_err(failed)?;
    let mut contents = Contents { files, owner, open: None, last: None };
    store_lines(&mut lines, schema, target, &connection, &mut contents)?;
    for (_, sql) in LOADS.iter().filter(|(number, _)| schema < *number) {
        connection.execute_batch(sql).map_err(failed)?;
    }
    connection.execute_batch("COMMIT").map_err(failed)?;
    let files = contents.files;
    let verified = verify_database(&connection, &files).map_err(failed)?;
    // The dumped database may already lack a content.
    if let Some(finding) = verified.findings.iter().find(|finding| finding.check != "attachments") {
        return Err(CommandFailure::of_dump(EXITS.dump.contradicts, &[("check", finding.check)]));
    }
    drop(connection);
    finish_file(target).map_err(|error| CommandFailure::copy(error, target))?;
    files.finish_copy().map_err(unwritable)?;
    Ok(Loaded { lines: lines.count, events: verified.events, moved })
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
            Ok(0) => return Err(CommandFailure::of_dump(EXITS.dump.cut, &[])),
            Ok(_) => self.count += 1,
            Err(error) if error.kind() == std::io::ErrorKind::InvalidData => {
                return Err(CommandFailure::line(self.count + 1, EXITS.dump.text));
            }
            Err(_) => return Err(CommandFailure::of_dump(EXITS.dump.cut, &[])),
        }
        Line::parse(&self.text).ok_or_else(|| CommandFailure::line(self.count, EXITS.dump.line))
    }

    /// Refuses the last line unless it is this object, as a dump writes it.
    fn require(&self, line: &serde_json::Value) -> Result<(), CommandFailure> {
        let written = line.to_string();
        if self.text.trim_end_matches('\n') == written {
            return Ok(());
        }
        Err(CommandFailure::line(self.count, EXITS.dump.form))
    }

    /// Refuses bytes after the last line.
    fn require_end(&mut self) -> Result<(), CommandFailure> {
        match self.input.fill_buf() {
            Ok([]) => Ok(()),
            _ => Err(CommandFailure::line(self.count + 1, EXITS.dump.after)),
        }
    }
}

/// Returns the schema of the dump that begins with this line.
fn schema_of(first: &Line) -> Result<i64, CommandFailure> {
    let number = first.schema.filter(|number| *number > 0);
    let found = number.and_then(|number| i64::try_from(number).ok()).filter(|_| first.table == "dump");
    let found = found.ok_or_else(|| CommandFailure::line(1, EXITS.dump.first))?;
    if found > SCHEMA.number {
        let (found, known) = (found.to_string(), SCHEMA.number.to_string());
        return Err(CommandFailure::of_dump(EXITS.dump.newer, &[("found", &found), ("known", &known)]));
    }
    Ok(found)
}

/// The statements of a table.
struct LoadStatements<'a> {
    /// Returns a column of a line that the table does not have.
    unknown: Statement<'a>,
    /// Stores a line.
    load: Statement<'a>,
    /// Returns whether a line follows another one in the order of the primary key.
    follows: Statement<'a>,
}

/// Returns the statements of every table by its name.
fn load_statements<'a>(
    connection: &'a Connection,
    dropped: &[String],
    renamed: &BTreeMap<String, String>,
) -> rusqlite::Result<HashMap<String, LoadStatements<'a>>> {
    let mut statements = HashMap::new();
    let values = [json!(dropped).to_string(), json!(renamed).to_string()];
    each(connection, queries::SELECT_LOAD_STATEMENTS, values, |row| {
        let prepared = |column| connection.prepare(&row.get::<_, String>(column)?);
        let of_table = LoadStatements {
            unknown: prepared("unknown")?,
            load: prepared("load")?,
            follows: prepared("follows")?,
        };
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
    contents: &mut Contents,
) -> Result<(), CommandFailure> {
    let failed = |error: rusqlite::Error| {
        CommandFailure::unwritable(target, write_code(&error).unwrap_or(ErrorCode::StorageError))
    };
    let is_earlier = schema < SCHEMA.number;
    let dropped: &[String] = if is_earlier { &SCHEMA.dropped } else { &[] };
    let renamed = if is_earlier { SCHEMA.renamed.clone() } else { BTreeMap::new() };
    let mut statements = load_statements(connection, dropped, &renamed).map_err(failed)?;
    // The table and the text of the last row.
    let mut before = (String::new(), String::new());
    loop {
        let line = lines.next()?;
        let count = lines.count;
        match line.table.as_str() {
            "attachment_bytes" => {
                let (digest, offset, bytes) = contents.add(&line, target, count)?;
                lines.require(&content_line(&digest, offset, &bytes))?;
            }
            "end" => {
                contents.finish(target, count)?;
                if line.lines != Some(count - 1) {
                    return Err(CommandFailure::line(count, EXITS.dump.count));
                }
                lines.require(&json!({ "table": "end", "lines": count - 1 }))?;
                return lines.require_end();
            }
            table => {
                let text = lines.text.trim_end_matches('\n');
                let is_dropped = dropped.iter().any(|name| name == table);
                let mut of_table = statements.get_mut(table);
                match &mut of_table {
                    Some(statements) => store_line(statements, text, target, count)?,
                    None if is_dropped => {}
                    None => return Err(CommandFailure::line(count, EXITS.dump.table)),
                }
                let follows = match of_table {
                    _ if contents.last.is_some() || table < before.0.as_str() => false,
                    Some(statements) if table == before.0 => {
                        let follows = statements.follows.query_row([&*before.1, text], |row| row.get(0));
                        follows.map_err(failed)?
                    }
                    _ => true,
                };
                if !follows {
                    return Err(CommandFailure::line(count, EXITS.dump.order));
                }
                before = (table.to_owned(), text.to_owned());
            }
        }
    }
}

/// Stores a line in its table.
fn store_line(
    LoadStatements { unknown, load, .. }: &mut LoadStatements<'_>,
    text: &str,
    target: &Path,
    count: u64,
) -> Result<(), CommandFailure> {
    let refused = |error: rusqlite::Error| match write_code(&error) {
        Some(code) => CommandFailure::unwritable(target, code),
        None => CommandFailure::line(count, EXITS.dump.row),
    };
    if let Some(column) = unknown.query_row([text], |row| row.get(0)).optional().map_err(refused)? {
        let (line, column): (_, String) = (count.to_string(), column);
        return Err(CommandFailure::of_dump(EXITS.dump.column, &[("line", &line), ("column", &column)]));
    }
    load.execute([text]).map_err(refused).map(drop)
}

/// The contents of attachments: one is open, the earlier ones have their names.
struct Contents {
    files: AttachmentFiles,
    /// The database that is created.
    owner: FolderOwner,
    open: Option<Content>,
    /// The content of the last line.
    last: Option<Digest>,
}

struct Content {
    sha256: Digest,
    file: TemporaryFile,
    hash: Sha256,
    length: u64,
}

impl Contents {
    /// Appends the bytes of a line to its content; returns the content, the offset and the bytes.
    fn add(
        &mut self,
        line: &Line,
        target: &Path,
        count: u64,
    ) -> Result<(Digest, u64, Vec<u8>), CommandFailure> {
        let unwritable = |error: std::io::Error| CommandFailure::unwritable(target, file_code(&error));
        let sha256 = line.digest.as_deref().and_then(parse_digest);
        let bytes = line.base64.as_ref().and_then(|text| STANDARD.decode(text).ok());
        let (Some(sha256), Some(bytes)) = (sha256, bytes) else {
            return Err(CommandFailure::line(count, EXITS.dump.row));
        };
        if self.open.as_ref().is_none_or(|open| open.sha256 != sha256) {
            self.finish(target, count)?;
            if self.last.is_some_and(|last| last >= sha256) {
                return Err(CommandFailure::line(count, EXITS.dump.order));
            }
            if self.last.is_none() {
                self.files.begin_contents(&self.owner).map_err(unwritable)?;
            }
            self.last = Some(sha256);
            let file = self.files.begin().map_err(unwritable)?;
            self.open = Some(Content { sha256, file, hash: Sha256::new(), length: 0 });
        }
        let mut offset = 0;
        if let Some(open) = &mut self.open {
            offset = open.length;
            if line.offset != Some(offset) {
                return Err(CommandFailure::line(count, EXITS.dump.offset));
            }
            open.file.append(&bytes).map_err(unwritable)?;
            open.hash.update(&bytes);
            open.length += bytes.len() as u64;
        }
        Ok((sha256, offset, bytes))
    }

    /// Gives the open content its name.
    fn finish(&mut self, target: &Path, count: u64) -> Result<(), CommandFailure> {
        let Some(Content { sha256, file, hash, .. }) = self.open.take() else {
            return Ok(());
        };
        if Digest::from(hash.finalize()) != sha256 {
            return Err(CommandFailure::line(count, EXITS.dump.digest));
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
        crate::store::whole_texts::add_whole_text_functions(&connection)?;
        crate::store::schema::create_schema(&connection)?;
        let line = r#"{"table":"names","id":1,"kind":"model","name":"m","note":1}"#;
        for (dropped, expected) in
            [("names.note", None), ("names.not", Some("note")), ("event_names.note", Some("note"))]
        {
            let mut statements = load_statements(&connection, &[dropped.to_owned()], &BTreeMap::new())?;
            let names = statements.get_mut("names").expect("a table");
            let unknown: Option<String> = names.unknown.query_row([line], |row| row.get(0)).optional()?;
            assert_eq!(unknown.as_deref(), expected, "{dropped}");
        }
        Ok(())
    }
}
