//! Checks a database: the file as SQLite sees it, then its sums, summaries, keys and attachments (rule BAK-06).

use std::collections::HashSet;
use std::path::Path;

use rusqlite::{Connection, Row};
use sha2::{Digest as _, Sha256};

use crate::config::Durability;
use crate::digest::Digest;
use crate::figure::{Figure, no_sums, pick};
use crate::maintenance::failure::CommandFailure;
use crate::maintenance::recount::Recount;
use crate::queries;
use crate::store::attachment_files::AttachmentFiles;
use crate::store::copy::open_source;
use crate::store::query::each;
use crate::store::schema::create_schema;
use crate::store::sealed_texts::text_lengths;
use crate::store::whole_texts::unpack_text;

/// A check that found differences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finding {
    /// Its name.
    pub check: &'static str,
    /// Number of differences.
    pub count: u64,
}

/// The result of all checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// Number of events.
    pub events: u64,
    /// In the order of the checks.
    pub findings: Vec<Finding>,
}

/// Checks the database at `path`, as of one transaction. The file stays as it is.
pub fn verify_file(path: &Path) -> Result<Verified, CommandFailure> {
    let connection = open_source(path)?;
    let files = AttachmentFiles::new(path, Durability::Process);
    connection
        .execute_batch("BEGIN")
        .and_then(|()| verify_database(&connection, &files))
        .map_err(|error| CommandFailure::database(path, &error))
}

/// Checks a database through a connection.
pub fn verify_database(connection: &Connection, files: &AttachmentFiles) -> rusqlite::Result<Verified> {
    let mut broken = 0;
    each(connection, "PRAGMA integrity_check", [], |row| {
        broken += u64::from(row.get_ref(0)?.as_str()? != "ok");
        Ok(())
    })?;
    if broken > 0 {
        // The other checks would read the broken pages.
        return Ok(Verified { events: 0, findings: vec![Finding { check: "file", count: broken }] });
    }
    let (foreign, missing) = compare_schema(connection)?;
    if missing > 0 {
        // The other checks need these objects.
        let count = foreign + missing;
        return Ok(Verified { events: 0, findings: vec![Finding { check: "schema", count }] });
    }
    let count = Recount::read(connection)?;
    // Sums of all time and of a session keep what the bounds deleted (rule RET-06).
    let last_deletion: i64 = connection.query_row(queries::SELECT_LAST_DELETION_ID, [], |row| row.get(0))?;
    let is_exact = last_deletion == 0;
    let checks = [
        ("schema", foreign),
        ("names", check_names(connection, &count)?),
        ("sessions", check_sessions(connection, &count, is_exact)?),
        ("statistics", check_stats(connection, &count, is_exact)?),
        ("order", count.wrong_order),
        ("blocks", count.missing_in_blocks),
        ("spans", count.missing_in_spans),
        ("event_ids", count.missing_keys),
        ("texts", check_texts(connection)?),
        ("whole_texts", check_whole_texts(connection)?),
        ("attachments", check_attachments(connection, files)?),
    ];
    let found = checks.into_iter().filter(|(_, count)| *count > 0);
    let findings = found.map(|(check, count)| Finding { check, count }).collect();
    Ok(Verified { events: count.events, findings })
}

/// Counts objects of the file that the schema does not have, such as triggers, and objects that the file lacks.
fn compare_schema(connection: &Connection) -> rusqlite::Result<(u64, u64)> {
    let objects = |connection: &Connection| -> rusqlite::Result<HashSet<String>> {
        connection.prepare(queries::SELECT_SCHEMA_OBJECTS)?.query_map([], |row| row.get(0))?.collect()
    };
    let new = Connection::open_in_memory()?;
    create_schema(&new)?;
    let (found, known) = (objects(connection)?, objects(&new)?);
    Ok((found.difference(&known).count() as u64, known.difference(&found).count() as u64))
}

/// Counts events whose metadata is missing, and metadata without an event, or of one that has it already.
fn check_texts(connection: &Connection) -> rusqlite::Result<u64> {
    let lost: i64 = connection.query_row(queries::SELECT_LOST_TEXTS, [], |row| row.get(0))?;
    let mut wrong = lost.unsigned_abs();
    each(connection, queries::SELECT_SEALED_TEXTS, [], |row| {
        wrong += wrong_texts(connection, row.get(0)?, row.get(1)?, row.get_ref(2)?.as_blob()?)?;
        Ok(())
    })?;
    Ok(wrong)
}

/// Counts the rows of a sealed block whose text it lacks, and its texts without such a row. A frame that is none and a
/// wrong sum of bytes count as one.
fn wrong_texts(connection: &Connection, id: i64, bytes: i64, frame: &[u8]) -> rusqlite::Result<u64> {
    let Some(mut lengths) = text_lengths(id, frame) else { return Ok(1) };
    let (mut wrong, mut sum) = (0, 0);
    each(connection, queries::SELECT_BLOCK_PLACES, [id], |row| {
        let (place, inline): (u16, Option<i64>) = (row.get(0)?, row.get(1)?);
        let sealed = lengths.get_mut(usize::from(place)).and_then(Option::take);
        wrong += u64::from(inline.is_some() == sealed.is_some());
        sum += inline.or(sealed).unwrap_or(0);
        Ok(())
    })?;
    wrong += lengths.iter().flatten().count() as u64;
    Ok(wrong + u64::from(sum != bytes))
}

/// Counts names of events that have no row.
fn check_names(connection: &Connection, count: &Recount) -> rusqlite::Result<u64> {
    let mut known: HashSet<i64> = HashSet::new();
    each(connection, queries::SELECT_NAME_IDS, [], |row| {
        known.insert(row.get(0)?);
        Ok(())
    })?;
    Ok(count.names.difference(&known).count() as u64)
}

/// Counts sessions whose row disagrees with their events, and sessions without a row or an event.
fn check_sessions(connection: &Connection, count: &Recount, is_exact: bool) -> rusqlite::Result<u64> {
    let (mut wrong, mut seen) = (0, 0);
    each(connection, queries::SELECT_SESSION_SUMS, [], |row| {
        let key = row.get(0)?;
        let (Some(found), Some(counted)) = (count.sessions.get(&key), count.sums.sessions.get(&key)) else {
            wrong += 1;
            return Ok(());
        };
        seen += 1;
        let sums = sums_of(row, &Figure::OF_SESSIONS)?;
        let counted = pick(counted, &Figure::OF_SESSIONS);
        let (first, last): (i64, i64) = (row.get(1)?, row.get(2)?);
        let begins = if is_exact { first == found.first_id } else { first <= found.first_id };
        wrong += u64::from(!(begins && last == found.last_id && agree(&sums, &counted, is_exact)));
        Ok(())
    })?;
    Ok(wrong + (count.sessions.len() as u64 - seen))
}

/// Counts rows of the statistics that disagree with the events, and missing ones.
fn check_stats(connection: &Connection, count: &Recount, is_exact: bool) -> rusqlite::Result<u64> {
    let (mut wrong, mut seen) = (0, 0);
    each(connection, queries::SELECT_STATS_SUMS, [], |row| {
        let sums = sums_of(row, &Figure::OF_STATS)?;
        let found = count.sums.stats.get(&(row.get(0)?, row.get(1)?, row.get(2)?));
        seen += u64::from(found.is_some());
        let counted = pick(found.unwrap_or(&no_sums()), &Figure::OF_STATS);
        wrong += u64::from(!agree(&sums, &counted, is_exact));
        Ok(())
    })?;
    Ok(wrong + (count.sums.stats.len() as u64 - seen))
}

/// Returns the sums of these figures from a row, whose first three columns are its key.
fn sums_of<const N: usize>(row: &Row<'_>, _: &[Figure; N]) -> rusqlite::Result<[i64; N]> {
    let mut sums = [0; N];
    for (at, sum) in sums.iter_mut().enumerate() {
        *sum = row.get(3 + at)?;
    }
    Ok(sums)
}

/// Returns whether stored sums agree with those of the events, which may be fewer after deletions by the bounds.
fn agree(stored: &[i64], found: &[i64], is_exact: bool) -> bool {
    stored.iter().zip(found).all(|(stored, found)| if is_exact { stored == found } else { stored >= found })
}

/// Counts contents that are missing or differ from their SHA-256, and references without an event.
fn check_attachments(connection: &Connection, files: &AttachmentFiles) -> rusqlite::Result<u64> {
    let lost: i64 = connection.query_row(queries::SELECT_LOST_ATTACHMENTS, [], |row| row.get(0))?;
    let mut wrong = lost.unsigned_abs();
    each(connection, queries::SELECT_ATTACHMENT_FILES, [], |row| {
        let digest: Digest = row.get(0)?;
        let size = row.get::<_, i64>(1)?.unsigned_abs();
        wrong += u64::from(!is_whole(files, &digest, size));
        Ok(())
    })?;
    Ok(wrong)
}

/// Counts whole texts without an event with a summary, frames that are no text, and texts with another size than their
/// event says.
fn check_whole_texts(connection: &Connection) -> rusqlite::Result<u64> {
    let mut wrong = 0;
    each(connection, queries::SELECT_WHOLE_TEXTS, [], |row| {
        let text = unpack_text(row.get_ref(0)?.as_blob()?);
        let bytes: Option<i64> = row.get(1)?;
        let size = text.and_then(|text| i64::try_from(text.len()).ok());
        wrong += u64::from(size.is_none() || size != bytes);
        Ok(())
    })?;
    Ok(wrong)
}

/// Number of bytes of a content that are read at a time.
const CHUNK: u64 = 1 << 20;

fn is_whole(files: &AttachmentFiles, digest: &Digest, size: u64) -> bool {
    if !files.has(digest, size).unwrap_or(false) {
        return false;
    }
    let (mut hash, mut at) = (Sha256::new(), 0);
    while at < size {
        let length = CHUNK.min(size - at);
        let Ok(bytes) = files.read(digest, at, usize::try_from(length).unwrap_or_default()) else {
            return false;
        };
        hash.update(bytes);
        at += length;
    }
    Digest::from(hash.finalize()) == *digest
}
