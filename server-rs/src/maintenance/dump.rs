//! Writes a database as NDJSON, a line for each row (rule BAK-04).
//!
//! The statements come from the schema itself (`select_dump_statements.sql`), so a new column is in the dump of both
//! servers without a change here.

use std::borrow::Cow;
use std::io::{BufWriter, Write};
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::config::Durability;
use crate::contract::SCHEMA;
use crate::digest::{Digest, digest_hex};
use crate::maintenance::failure::CommandFailure;
use crate::queries;
use crate::store::attachment_files::AttachmentFiles;
use crate::store::copy::open_source;
use crate::store::query::each;

/// Writes a line as JSON that means the same.
pub type Form = fn(&str) -> Cow<'_, str>;

/// Number of bytes of a content in one line.
const CHUNK: u64 = 1 << 20;

/// Writes the database at `path`, as of one transaction. The file stays as it is. `form` writes a line for a terminal or
/// a program.
pub fn write_dump(path: &Path, out: impl Write, form: Form) -> Result<(), CommandFailure> {
    let connection = open_source(path)?;
    let mut lines = Lines { out: BufWriter::new(out), form, count: 0 };
    let failed = |error: rusqlite::Error| CommandFailure::database(path, &error);
    lines.write(&json!({ "table": "dump", "schema": SCHEMA.number }).to_string())?;
    connection.execute_batch("BEGIN").map_err(failed)?;
    let mut statements: Vec<String> = Vec::new();
    each(&connection, queries::SELECT_DUMP_STATEMENTS, [], |row| {
        statements.push(row.get("dump")?);
        Ok(())
    })
    .map_err(failed)?;
    for sql in statements {
        let mut statement = connection.prepare(&sql).map_err(failed)?;
        let mut rows = statement.query([]).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            lines.write(row.get_ref(0).and_then(|text| Ok(text.as_str()?)).map_err(failed)?)?;
        }
    }
    let mut contents: Vec<(Digest, u64)> = Vec::new();
    each(&connection, queries::SELECT_ATTACHMENT_FILES, [], |row| {
        contents.push((row.get(0)?, row.get::<_, i64>(1)?.unsigned_abs()));
        Ok(())
    })
    .map_err(failed)?;
    let files = AttachmentFiles::new(path, Durability::Process);
    for (digest, size) in contents {
        write_content(&mut lines, &files, &digest, size)?;
    }
    let end = json!({ "table": "end", "lines": lines.count });
    lines.write(&end.to_string())?;
    lines.out.flush().map_err(|error| CommandFailure::output(&error))
}

/// Writes a content in pieces; nothing when a deletion removed it after the transaction began.
fn write_content(
    lines: &mut Lines<impl Write>,
    files: &AttachmentFiles,
    digest: &Digest,
    size: u64,
) -> Result<(), CommandFailure> {
    let mut offset = 0;
    loop {
        let length = CHUNK.min(size - offset);
        let Ok(bytes) = files.read(digest, offset, usize::try_from(length).unwrap_or_default()) else {
            return Ok(());
        };
        lines.write(&content_line(digest, offset, &bytes).to_string())?;
        offset += length;
        if offset == size {
            return Ok(());
        }
    }
}

/// Returns the line of these bytes of a content.
pub(super) fn content_line(digest: &Digest, offset: u64, bytes: &[u8]) -> Value {
    json!({
        "table": "attachment_bytes",
        "digest": digest_hex(digest),
        "offset": offset,
        "base64": STANDARD.encode(bytes),
    })
}

/// The written lines.
struct Lines<W: Write> {
    out: BufWriter<W>,
    form: Form,
    count: u64,
}

impl<W: Write> Lines<W> {
    fn write(&mut self, line: &str) -> Result<(), CommandFailure> {
        self.count += 1;
        let written =
            self.out.write_all((self.form)(line).as_bytes()).and_then(|()| self.out.write_all(b"\n"));
        written.map_err(|error| CommandFailure::output(&error))
    }
}
