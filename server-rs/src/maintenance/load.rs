//! Creates a database from a dump (rule BAK-05).
//!
//! Invariant: the database has its name only when every line was stored and the sums agree with the events.

use std::collections::HashMap;
use std::io::BufRead;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use miniserde::{Deserialize, json};
use rusqlite::{Connection, OpenFlags};

use sha2::{Digest as _, Sha256};

use crate::config::Durability;
use crate::contract::{FILE_PRAGMAS, MIGRATIONS, SCHEMA_VERSION};
use crate::digest::{Digest, parse_digest};
use crate::error::ErrorCode;
use crate::maintenance::dump::table_statements;
use crate::maintenance::failure::{CommandFailure, write_code};
use crate::maintenance::verify::verify_database;
use crate::queries;
use crate::store::attachment_files::{AttachmentFiles, TemporaryFile};
use crate::store::copy::{begin_file, finish_file};
use crate::store::failure::file_code;
use crate::store::migrate::migrate;

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
    schema: Option<i64>,
    /// Of `end`: the number of lines before it.
    lines: Option<u64>,
    /// Of `attachment_bytes`, as the two below.
    digest: Option<String>,
    offset: Option<u64>,
    base64: Option<String>,
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
    migrate(&connection, &MIGRATIONS).map_err(failed)?;
    // A crash leaves only the partial file, which the next load replaces.
    connection.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN").map_err(failed)?;
    connection.execute(queries::DELETE_META, []).map_err(failed)?;
    let contents = Contents { files: AttachmentFiles::new(target, Durability::Power), open: None };
    let lines = store_lines(input, target, &connection, contents)?;
    connection.execute_batch("COMMIT").map_err(failed)?;
    let files = AttachmentFiles::new(target, Durability::Process);
    let verified = verify_database(&connection, &files).map_err(failed)?;
    // The dumped database may already lack a content.
    if let Some(finding) = verified.findings.iter().find(|finding| finding.check != "attachments") {
        return Err(CommandFailure::of_dump("contradicts", &[("check", finding.check)]));
    }
    drop(connection);
    finish_file(target).map_err(|error| CommandFailure::copy(error, target))?;
    Ok(Loaded { lines, events: verified.events })
}

/// Stores every line; returns their number.
fn store_lines(
    mut input: impl BufRead,
    target: &Path,
    connection: &Connection,
    mut contents: Contents,
) -> Result<u64, CommandFailure> {
    let failed = |error: rusqlite::Error| {
        CommandFailure::unwritable(target, write_code(&error).unwrap_or(ErrorCode::StorageError))
    };
    let tables = table_statements(connection).map_err(failed)?;
    let mut statements = HashMap::new();
    for table in &tables {
        statements.insert(table.name.as_str(), connection.prepare(&table.load).map_err(failed)?);
    }
    let (mut text, mut count) = (String::new(), 0);
    loop {
        text.clear();
        match input.read_line(&mut text) {
            Ok(0) => return Err(CommandFailure::of_dump("cut", &[])),
            Ok(_) => count += 1,
            Err(error) if error.kind() == std::io::ErrorKind::InvalidData => {
                return Err(CommandFailure::line(count + 1, "text"));
            }
            Err(_) => return Err(CommandFailure::of_dump("cut", &[])),
        }
        let Ok(line) = json::from_str::<Line>(&text) else {
            return Err(CommandFailure::line(count, "line"));
        };
        match line.table.as_str() {
            "dump" if count == 1 => {
                if line.schema != Some(SCHEMA_VERSION) {
                    let found = line.schema.unwrap_or_default().to_string();
                    let known = SCHEMA_VERSION.to_string();
                    return Err(CommandFailure::of_dump("schema", &[("found", &found), ("known", &known)]));
                }
            }
            _ if count == 1 => return Err(CommandFailure::line(count, "first")),
            "attachment_bytes" => contents.add(&line, target, count)?,
            "end" => {
                contents.finish(target, count)?;
                if line.lines != Some(count - 1) {
                    return Err(CommandFailure::line(count, "count"));
                }
                return Ok(count);
            }
            table => match statements.get_mut(table) {
                None => return Err(CommandFailure::line(count, "table")),
                Some(statement) => {
                    if let Err(error) = statement.execute([text.trim_end_matches('\n')]) {
                        return Err(match write_code(&error) {
                            Some(code) => CommandFailure::unwritable(target, code),
                            None => CommandFailure::line(count, "row"),
                        });
                    }
                }
            },
        }
    }
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
        let sha256 = line.digest.as_deref().and_then(parse_digest);
        let bytes = line.base64.as_ref().and_then(|text| STANDARD.decode(text).ok());
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
            if line.offset != Some(open.length) {
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
