//! The metadata of older rows, a block of 256 rows in one zstd frame (docs/decisions/0114-sealed-texts.md).
//!
//! A connection keeps the blocks that it read last, because rows in the order of time or of a session change between them. Invariant: a kept block has the text of every row that the connection
//! sees. Blocks only lose texts, of rows that no longer exist, and a connection never sees an earlier state of the file.

use std::io::Read;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, OptionalExtension, params};

use zstd::zstd_safe::get_frame_content_size;

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
        let declared = get_frame_content_size(frame).ok().flatten().unwrap_or_default();
        let most = LENGTHS as u64 + TUNING.sealed_block_bytes.unsigned_abs();
        let mut bytes = Vec::with_capacity(usize::try_from(declared.min(most)).unwrap_or_default());
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

/// The blocks that a connection read last, newest last.
#[derive(Debug, Default, Clone)]
struct Kept(Arc<Mutex<Vec<Block>>>);

impl Kept {
    fn blocks(&self) -> MutexGuard<'_, Vec<Block>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a block, and drops the oldest ones while all together have more bytes than one may have.
    fn keep(&self, block: Block) {
        let mut blocks = self.blocks();
        blocks.retain(|kept| kept.id != block.id);
        blocks.push(block);
        let most = usize::try_from(TUNING.sealed_block_bytes).unwrap_or(usize::MAX);
        while blocks.len() > 1 && blocks.iter().map(|kept| kept.texts.len()).sum::<usize>() > most {
            blocks.remove(0);
        }
    }
}

/// Adds two functions. `has_block(id)` returns whether the connection keeps the block of a row. `sealed_text(id, texts)`
/// returns the text of a row, from a block that is kept where `texts` is NULL.
pub fn add_sealed_text_functions(connection: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DIRECTONLY;
    let kept = Kept::default();
    let asked = kept.clone();
    connection.create_scalar_function("has_block", 1, flags, move |context| {
        let block = context.get::<i64>(0)? / LIMITS.event_block_rows;
        Ok(asked.blocks().iter().any(|kept| kept.id == block))
    })?;
    connection.create_scalar_function("sealed_text", 2, flags, move |context| sealed_text(context, &kept))
}

fn sealed_text(context: &Context<'_>, kept: &Kept) -> rusqlite::Result<ToSqlOutput<'static>> {
    let row: i64 = context.get(0)?;
    let id = row / LIMITS.event_block_rows;
    if let ValueRef::Blob(frame) = context.get_raw(1)
        && let Some(block) = Block::unpack(id, frame)
    {
        kept.keep(block);
    }
    let blocks = kept.blocks();
    let text = blocks.iter().find(|block| block.id == id).and_then(|block| block.text(row));
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

/// Writes a block again if it is sealed, after rows of it were deleted. Its earlier bytes are overwritten, since they have
/// texts of rows that a client may delete later (rule RET-07).
pub fn seal_again(connection: &Connection, id: i64) -> rusqlite::Result<()> {
    if find_sealed_block(connection, id)?.is_none() {
        return Ok(());
    }
    let usual: i64 = connection.pragma_query_value(None, "secure_delete", |row| row.get(0))?;
    connection.pragma_update(None, "secure_delete", true)?;
    let sealed = seal_block(connection, id);
    connection.pragma_update(None, "secure_delete", usual)?;
    sealed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::whole_texts::add_whole_text_functions;

    const BLOCK: i64 = 3;
    const FIRST: i64 = BLOCK * LIMITS.event_block_rows;

    fn database() -> rusqlite::Result<Connection> {
        let connection = Connection::open_in_memory()?;
        crate::store::schema::create_schema(&connection)?;
        add_sealed_text_functions(&connection)?;
        add_whole_text_functions(&connection)?;
        Ok(connection)
    }

    fn insert(connection: &Connection, id: i64, metadata: &str) -> rusqlite::Result<()> {
        let is_long = metadata.len() > TUNING.inline_metadata_bytes;
        let row = "INSERT INTO events (id, created_at, session, agent_type, event_type, status, source,
            payload_truncated, tokens_in, tokens_out, cache_read_tokens, cache_write_tokens, metadata)
            VALUES (?1, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, ?2)";
        connection.execute(row, params![id, (!is_long).then_some(metadata)])?;
        if is_long {
            connection.execute(queries::INSERT_EVENT_TEXT, params![id, metadata])?;
        }
        Ok(())
    }

    /// Seals the block, and removes the texts that are in it.
    fn seal(connection: &Connection) -> rusqlite::Result<()> {
        seal_block(connection, BLOCK)?;
        connection.execute(queries::DELETE_BLOCK_TEXTS, [BLOCK]).map(drop)
    }

    fn frame(connection: &Connection) -> rusqlite::Result<Option<Vec<u8>>> {
        connection.query_row("SELECT texts FROM sealed_texts", [], |row| row.get(0)).optional()
    }

    fn metadata_of(connection: &Connection, id: i64) -> rusqlite::Result<Option<String>> {
        connection.query_row(queries::SELECT_EVENT, [id], |row| row.get("metadata")).optional()
    }

    /// Returns numbers below a bound, the same ones in each run.
    fn random_numbers() -> impl FnMut(usize) -> usize {
        let mut state = 11_u32;
        move |bound| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as usize % bound
        }
    }

    /// Returns the frame of a block with these lengths by place, and these bytes.
    fn frame_of(lengths: &[(usize, u32)], texts: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0xff; LENGTHS];
        for (place, length) in lengths {
            bytes[4 * place..4 * place + 4].copy_from_slice(&length.to_le_bytes());
        }
        bytes.extend_from_slice(texts);
        zstd::bulk::compress(&bytes, 3).expect("a frame")
    }

    #[test]
    fn a_sealed_block_returns_the_text_of_each_of_its_rows() -> rusqlite::Result<()> {
        let alphabet = ["a", "Z", "0", " ", "\"", "\\", "é", "水", "😀"];
        let mut random = random_numbers();
        for _ in 0..20 {
            let connection = database()?;
            let mut expected = vec![None; ROWS];
            for (id, text) in (FIRST..).zip(&mut expected) {
                if random(4) == 0 {
                    continue;
                }
                let length = if random(8) == 0 { random(3_000) } else { random(20) };
                let metadata: String = (0..length).map(|_| alphabet[random(alphabet.len())]).collect();
                insert(&connection, id, &metadata)?;
                *text = Some(metadata);
            }
            seal(&connection)?;
            let left: i64 = connection.query_row("SELECT count(*) FROM event_texts", [], |row| row.get(0))?;
            assert_eq!(left, 0);
            for (id, text) in (FIRST..).zip(&expected) {
                assert_eq!(&metadata_of(&connection, id)?, text);
            }
            let sealed = find_sealed_block(&connection, BLOCK)?.expect("a sealed block");
            let bytes: usize = expected.iter().flatten().map(String::len).sum();
            assert_eq!(usize::try_from(sealed.metadata_bytes), Ok(bytes));
            let lengths = text_lengths(BLOCK, &frame(&connection)?.expect("a frame")).expect("a block");
            for (length, text) in lengths.into_iter().zip(&expected) {
                let long =
                    text.as_ref().map(String::len).filter(|length| *length > TUNING.inline_metadata_bytes);
                assert_eq!(length.map(usize::try_from), long.map(Ok));
            }
        }
        Ok(())
    }

    #[test]
    fn a_block_is_written_again_without_deleted_rows_and_goes_with_its_last_row() -> rusqlite::Result<()> {
        let connection = database()?;
        for id in 1..4 {
            insert(&connection, FIRST + id, &format!("a text of the row {id}"))?;
        }
        insert(&connection, FIRST + 4, "{}")?;
        seal_again(&connection, BLOCK)?;
        assert_eq!(frame(&connection)?, None);
        seal(&connection)?;
        connection.execute("DELETE FROM events WHERE id = ?1", [FIRST + 2])?;
        seal_again(&connection, BLOCK)?;
        let bytes = zstd::stream::decode_all(&*frame(&connection)?.expect("a frame")).expect("bytes");
        assert!(!String::from_utf8_lossy(&bytes).contains("the row 2"));
        assert_eq!(metadata_of(&connection, FIRST + 3)?.as_deref(), Some("a text of the row 3"));
        connection.execute("DELETE FROM events WHERE id <> ?1", [FIRST + 4])?;
        seal_again(&connection, BLOCK)?;
        assert_eq!(metadata_of(&connection, FIRST + 4)?.as_deref(), Some("{}"));
        let lengths = text_lengths(BLOCK, &frame(&connection)?.expect("a frame"));
        assert_eq!(lengths, Some(vec![None; ROWS]));
        connection.execute("DELETE FROM events", [])?;
        seal_again(&connection, BLOCK)?;
        assert_eq!(frame(&connection)?, None);
        Ok(())
    }

    #[test]
    fn a_frame_that_is_no_block_is_an_error_of_the_statement() -> rusqlite::Result<()> {
        let connection = database()?;
        let text = |id: i64, frame: Option<&[u8]>| {
            connection
                .query_row("SELECT sealed_text(?1, ?2)", params![id, frame], |row| row.get::<_, String>(0))
                .map_err(|error| error.to_string())
        };
        let missing = Err("metadata is missing".to_owned());
        let whole = frame_of(&[(0, 20)], &[b'a'; 20]);
        let hostile: [&[u8]; 8] = [
            b"",
            b"no frame",
            &whole[..whole.len() - 1],
            &zstd::bulk::compress(&[0xff; LENGTHS - 1], 3).expect("a frame"),
            &frame_of(&[(0, 21)], &[b'a'; 20]),
            &frame_of(&[(0, 19)], &[b'a'; 20]),
            &frame_of(&[(0, NONE - 1), (1, NONE - 1), (2, NONE - 1)], &[b'a'; 20]),
            &frame_of(&[(0, 20)], &[0xff; 20]),
        ];
        for (at, frame) in hostile.into_iter().enumerate() {
            assert_eq!(text_lengths(BLOCK, frame), None, "frame {at}");
            assert_eq!(text(FIRST, Some(frame)), missing, "frame {at}");
            assert_eq!(text(FIRST, None), missing, "frame {at}");
        }
        assert_eq!(text(FIRST + 1, Some(&whole)), missing, "a row without a text");
        assert_eq!(text(FIRST + 256, None), missing, "a row of another block");
        assert_eq!(text(FIRST, None), Ok("a".repeat(20)));
        let inside = frame_of(&[(0, 1), (1, 1)], "é".as_bytes());
        assert_eq!(text(FIRST, Some(&inside)), missing, "a text that ends inside a character");
        Ok(())
    }

    #[test]
    fn a_block_with_more_bytes_than_the_bound_is_refused() {
        let most = TUNING.sealed_block_bytes;
        let length_of = |length: i64| {
            let (bytes, size) = (vec![b'a'; usize::try_from(length).ok()?], u32::try_from(length).ok()?);
            text_lengths(BLOCK, &frame_of(&[(7, size)], &bytes))?[7]
        };
        assert_eq!(length_of(most), Some(most));
        assert_eq!(length_of(most + 1), None);
    }
}
