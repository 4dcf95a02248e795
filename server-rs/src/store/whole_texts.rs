//! Keeps whole metadata next to rows with a summary (rule MET-04): frames of zstd, and the functions of the statements.

use rusqlite::Connection;
use rusqlite::functions::{Context, FunctionFlags};
use zstd::bulk::{compress, decompress};
use zstd::zstd_safe::get_frame_content_size;

use crate::contract::LIMITS;

/// Compression costs the time of a request, so it is the fastest one.
const LEVEL: i32 = 1;

/// Returns a text as a frame that declares its size; `None` for a text that is not kept.
pub fn pack_text(text: &str) -> Option<Vec<u8>> {
    if text.len() > LIMITS.whole_text_bytes {
        return None;
    }
    compress(text.as_bytes(), LEVEL).ok()
}

/// Returns the text of a frame, `None` for other bytes. The declared size bounds the memory that it takes.
pub fn unpack_text(frame: &[u8]) -> Option<String> {
    let declared = get_frame_content_size(frame).ok().flatten()?;
    let size = usize::try_from(declared).ok().filter(|size| *size <= LIMITS.whole_text_bytes)?;
    let bytes = decompress(frame, size).ok().filter(|bytes| bytes.len() == size)?;
    String::from_utf8(bytes).ok()
}

/// Adds the functions `unpack_text(frame)` and `pack_text(text)` to a connection.
pub fn add_whole_text_functions(connection: &Connection) -> rusqlite::Result<()> {
    let flags =
        FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_DIRECTONLY;
    connection.create_scalar_function("unpack_text", 1, flags, |context: &Context<'_>| {
        let frame = context.get_raw(0).as_blob().ok();
        frame.and_then(unpack_text).ok_or_else(not_whole)
    })?;
    connection.create_scalar_function("pack_text", 1, flags, |context: &Context<'_>| {
        let text = context.get_raw(0).as_str().ok();
        text.and_then(pack_text).ok_or_else(not_whole)
    })
}

fn not_whole() -> rusqlite::Error {
    rusqlite::Error::UserFunctionError("not a whole text".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_has_the_text_and_any_other_bytes_have_none() {
        let text = format!(r#"{{"é":"{}"}}"#, "\\ud800 x".repeat(40_000));
        let frame = pack_text(&text).expect("a frame");
        assert!(frame.len() < text.len() / 10);
        assert_eq!(unpack_text(&frame).as_deref(), Some(text.as_str()));
        let two = [frame.as_slice(), frame.as_slice()].concat();
        for bytes in [&b""[..], b"text", &frame[..frame.len() - 1], &two] {
            assert_eq!(unpack_text(bytes), None);
        }
        let no_text = compress(b"\xff", LEVEL).expect("a frame");
        assert_eq!(unpack_text(&no_text), None);
    }

    #[test]
    fn a_frame_must_declare_a_size_that_a_text_may_have() {
        // The magic number, a descriptor with a size of 8 bytes, and that size.
        let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0xe0];
        frame.extend_from_slice(&(1_u64 << 60).to_le_bytes());
        assert_eq!(unpack_text(&frame), None);
        let undeclared = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58, 0x01, 0x00, 0x00];
        assert_eq!(unpack_text(&undeclared), None);
    }
}
