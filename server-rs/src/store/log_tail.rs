//! Finds frames of the write-ahead log that SQLite does not recover (rule STO-12).
//!
//! The format is that of <https://sqlite.org/fileformat2.html#walformat>: a header of 32 bytes, then frames of 24 bytes
//! and a page. A frame belongs to the current log when it has the salt of the header.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use rusqlite::Connection;

use crate::store::path::sibling;

const HEADER_BYTES: u64 = 32;
const FRAME_HEADER_BYTES: u64 = 24;

/// Returns the number of frames in the log of the database at `path`, also of incomplete ones; 0 without a log. Call it
/// before SQLite opens the database.
pub fn count_frames(path: &Path) -> u64 {
    // A start must not fail because of a report.
    count(path).unwrap_or(0)
}

fn count(path: &Path) -> std::io::Result<u64> {
    let Ok(mut log) = File::open(sibling(path, "-wal")) else {
        return Ok(0);
    };
    let mut header = [0; HEADER_BYTES as usize];
    if log.metadata()?.len() < HEADER_BYTES {
        return Ok(0);
    }
    log.read_exact(&mut header)?;
    let page = u64::from(u32::from_be_bytes([header[8], header[9], header[10], header[11]]));
    let (mut frames, mut at) = (0, HEADER_BYTES);
    let mut frame = [0; FRAME_HEADER_BYTES as usize];
    while read_at(&mut log, &mut frame, at).is_ok() && frame[8..16] == header[16..24] {
        frames += 1;
        at += FRAME_HEADER_BYTES + page;
    }
    Ok(frames)
}

fn read_at(file: &mut File, bytes: &mut [u8], at: u64) -> std::io::Result<()> {
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(bytes)
}

/// Returns how many of the frames SQLite did not recover: their transaction has no end, or they are damaged.
pub fn lost_frames(connection: &Connection, frames: u64) -> rusqlite::Result<u64> {
    let recovered: i64 = connection.query_row("PRAGMA wal_checkpoint(NOOP)", [], |row| row.get(1))?;
    Ok(frames.saturating_sub(u64::try_from(recovered).unwrap_or(0)))
}
