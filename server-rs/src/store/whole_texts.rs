//! Keeps whole metadata next to rows with a summary (rule MET-04): frames of zstd, and the functions of the statements.

use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::{Connection, params};
use zstd::bulk::{compress, decompress};
use zstd::zstd_safe::get_frame_content_size;

use crate::contract::LIMITS;
use crate::queries;

/// Compression costs the time of a request, so it is the fastest one.
const LEVEL: i32 = 1;

/// A text that is not kept, or bytes that are no frame of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a whole text")]
pub struct NotWhole;

/// Returns a text as a frame that declares its size.
pub fn pack_text(text: &str) -> Result<Vec<u8>, NotWhole> {
    if text.len() > LIMITS.whole_text_bytes {
        return Err(NotWhole);
    }
    compress(text.as_bytes(), LEVEL).map_err(|_| NotWhole)
}

/// Returns the text of a frame. The declared size bounds the memory that it takes.
pub fn unpack_text(frame: &[u8]) -> Result<String, NotWhole> {
    let declared = get_frame_content_size(frame).ok().flatten().ok_or(NotWhole)?;
    let size = usize::try_from(declared).ok().filter(|size| *size <= LIMITS.whole_text_bytes);
    let size = size.ok_or(NotWhole)?;
    let bytes = decompress(frame, size).map_err(|_| NotWhole)?;
    if bytes.len() != size {
        return Err(NotWhole);
    }
    String::from_utf8(bytes).map_err(|_| NotWhole)
}

/// Stores the whole metadata of an event.
pub fn insert_whole_text(connection: &Connection, id: i64, frame: &[u8]) -> rusqlite::Result<()> {
    connection.prepare_cached(queries::INSERT_WHOLE_TEXT)?.execute(params![id, frame]).map(drop)
}

/// Adds the functions `unpack_text(frame)` and `pack_text(text)` to a connection.
pub fn add_whole_text_functions(connection: &Connection) -> rusqlite::Result<()> {
    let flags =
        FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_DIRECTONLY;
    let failed = |error: NotWhole| rusqlite::Error::UserFunctionError(error.into());
    connection.create_scalar_function("unpack_text", 1, flags, move |context: &Context<'_>| {
        unpack_text(context.get_raw(0).as_blob().unwrap_or_default()).map_err(failed)
    })?;
    connection.create_scalar_function("pack_text", 1, flags, move |context: &Context<'_>| {
        let text = context.get_raw(0).as_str().map_err(|_| failed(NotWhole))?;
        pack_text(text).map_err(failed)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_has_the_text_and_any_other_bytes_are_an_error() {
        let text = format!(r#"{{"é":"{}"}}"#, "\\ud800 x".repeat(40_000));
        let frame = pack_text(&text).expect("a frame");
        assert!(frame.len() < text.len() / 10);
        assert_eq!(unpack_text(&frame).as_deref(), Ok(text.as_str()));
        let two = [frame.as_slice(), frame.as_slice()].concat();
        for bytes in [&b""[..], b"text", &frame[..frame.len() - 1], &two] {
            assert_eq!(unpack_text(bytes), Err(NotWhole));
        }
        let no_text = compress(b"\xff", LEVEL).expect("a frame");
        assert_eq!(unpack_text(&no_text), Err(NotWhole));
    }

    #[test]
    fn a_frame_that_declares_too_many_bytes_takes_no_memory() {
        // The magic number, one segment with 8 bytes of size, 2 to the power of 60 bytes.
        let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0xe0];
        frame.extend_from_slice(&(1_u64 << 60).to_le_bytes());
        assert_eq!(unpack_text(&frame), Err(NotWhole));
        let undeclared = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58, 0x01, 0x00, 0x00];
        assert_eq!(unpack_text(&undeclared), Err(NotWhole));
    }
}
