//! The metadata of older rows, a block of 256 rows in one zstd frame (docs/decisions/0114-sealed-texts.md).
//!
//! A connection keeps the block that it read last. Invariant: a kept block has the text of every row that the connection
//! sees. Blocks only lose texts, of rows that no longer exist, and a connection never sees an earlier state of the file.

use std::io::Read;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, OptionalExtension, params};

use crate::contract::{LIMITS, TUNING};
use crate::queries;
use crate::store::text_filter::TextFilter;

/// Number of rows of a block.
const ROWS: usize = 256;
/// Bytes of the lengths before the texts.
const LENGTHS: usize = 4 * ROWS;
/// The length of a row without a text in the block.
const NONE: u32 = u32::MAX;

/// The texts of a block by the places of their rows.
#[derive(Debug)]
struct Block {
    id: i64,
    /// Where the text of each place begins and ends in `texts`.
    bounds: Vec<Option<(usize, usize)>>,
    texts: String,
}

impl Block {
    /// Unpacks the frame of a block; `None` when it is none.
    fn unpack(id: i64, frame: &[u8]) -> Option<Self> {
        let mut bytes = Vec::new();
        let most = LENGTHS as u64 + TUNING.sealed_block_bytes.unsigned_abs();
        let decoder = zstd::stream::read::Decoder::with_buffer(frame).ok()?;
        decoder.take(most + 1).read_to_end(&mut bytes).ok()?;
        if bytes.len() as u64 > most {
            return None;
        }
        let lengths = bytes.get(..LENGTHS)?;
        let (mut bounds, mut end) = (Vec::with_capacity(ROWS), 0_usize);
        for length in lengths.chunks_exact(4) {
            let length = u32::from_le_bytes(length.try_into().ok()?);
            let start = end;
            if length != NONE {
                end = end.checked_add(usize::try_from(length).ok()?)?;
            }
            bounds.push((length != NONE).then_some((start, end)));
        }
        bytes.drain(..LENGTHS);
        let texts = String::from_utf8(bytes).ok()?;
        (end == texts.len()).then_some(Self { id, bounds, texts })
    }

    /// Returns the text of a row.
    fn text(&self, row: i64) -> Option<&str> {
        let place = usize::try_from(row % LIMITS.event_block_rows).ok()?;
        let (start, end) = (*self.bounds.get(place)?)?;
        self.texts.get(start..end)
    }
}

/// The block that a connection keeps.
#[derive(Debug, Default, Clone)]
struct Kept(Arc<Mutex<Option<Block>>>);

impl Kept {
    fn block(&self) -> MutexGuard<'_, Option<Block>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Adds two functions. `has_block(id)` returns whether the connection keeps the block of a row. `sealed_text(id, texts)`
/// returns the text of a row, from the block that is kept where `texts` is NULL.
pub fn add_sealed_text_functions(connection: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DIRECTONLY;
    let kept = Kept::default();
    let asked = kept.clone();
    connection.create_scalar_function("has_block", 1, flags, move |context| {
        let block = context.get::<i64>(0)? / LIMITS.event_block_rows;
        Ok(asked.block().as_ref().is_some_and(|kept| kept.id == block))
    })?;
    connection.create_scalar_function("sealed_text", 2, flags, move |context| sealed_text(context, &kept))
}

fn sealed_text(context: &Context<'_>, kept: &Kept) -> rusqlite::Result<ToSqlOutput<'static>> {
    let row: i64 = context.get(0)?;
    let id = row / LIMITS.event_block_rows;
    let mut block = kept.block();
    if let ValueRef::Blob(frame) = context.get_raw(1) {
        *block = Block::unpack(id, frame);
    }
    let text = block.as_ref().filter(|block| block.id == id).and_then(|block| block.text(row));
    let text = text.ok_or_else(|| rusqlite::Error::UserFunctionError("metadata is missing".into()))?;
    Ok(ToSqlOutput::Owned(Value::Text(text.to_owned())))
}

/// Returns the bytes of the texts of a block by the places of their rows; `None` when the frame is none of a block.
pub fn text_lengths(id: i64, frame: &[u8]) -> Option<Vec<Option<i64>>> {
    let block = Block::unpack(id, frame)?;
    let length = |(start, end): (usize, usize)| i64::try_from(end - start).unwrap_or(i64::MAX);
    Some(block.bounds.into_iter().map(|bounds| bounds.map(length)).collect())
}

/// What a search needs of a sealed block.
pub struct SealedBlock {
    /// Bytes of the metadata of its rows.
    pub metadata_bytes: i64,
    /// A [`TextFilter`].
    pub filter: Vec<u8>,
    /// Whether a row has whole metadata next to it, which the filter does not know.
    pub has_whole: bool,
}

/// Returns a sealed block; `None` when it is not sealed.
pub fn find_sealed_block(connection: &Connection, id: i64) -> rusqlite::Result<Option<SealedBlock>> {
    let mut select = connection.prepare_cached(queries::SELECT_SEALED_BLOCK)?;
    select
        .query_row([id], |row| {
            Ok(SealedBlock { metadata_bytes: row.get(0)?, filter: row.get(1)?, has_whole: row.get(2)? })
        })
        .optional()
}

/// Seals a block, or writes a sealed one again after a deletion. A block of short metadata alone has a filter, too. Call it
/// in a transaction.
pub fn seal_block(connection: &Connection, id: i64) -> rusqlite::Result<()> {
    let mut packed = vec![0xff; LENGTHS];
    let (mut count, mut metadata_bytes, mut filter) = (0, 0, TextFilter::default());
    let mut select = connection.prepare_cached(queries::SELECT_BLOCK_TEXTS)?;
    let mut rows = select.query([id])?;
    while let Some(row) = rows.next()? {
        let (place, is_inline): (u16, bool) = (row.get(0)?, row.get(2)?);
        let metadata = row.get_ref(1)?.as_bytes()?;
        count += 1;
        metadata_bytes += metadata.len();
        filter.add(metadata);
        filter.add(row.get_ref(3)?.as_bytes()?);
        if !is_inline {
            let length = u32::try_from(metadata.len()).unwrap_or(NONE);
            let at = 4 * usize::from(place);
            packed[at..at + 4].copy_from_slice(&length.to_le_bytes());
            packed.extend_from_slice(metadata);
        }
    }
    drop(rows);
    if count == 0 {
        return connection.prepare_cached(queries::DELETE_SEALED_BLOCK)?.execute([id]).map(drop);
    }
    let frame = zstd::bulk::compress(&packed, TUNING.sealing_level)
        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
    let bytes = i64::try_from(metadata_bytes).unwrap_or(i64::MAX);
    let mut upsert = connection.prepare_cached(queries::UPSERT_SEALED_BLOCK)?;
    upsert.execute(params![id, bytes, filter.to_bytes(), frame]).map(drop)
}

/// Writes a block again if it is sealed, after rows of it were deleted.
pub fn seal_again(connection: &Connection, id: i64) -> rusqlite::Result<()> {
    match find_sealed_block(connection, id)? {
        Some(_) => seal_block(connection, id),
        None => Ok(()),
    }
}
