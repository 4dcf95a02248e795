//! Inflates compressed bodies to their very end (rule BOD-03).

use std::thread::yield_now;

use flate2::{Decompress, FlushDecompress, Status};
use http::header::{CONTENT_ENCODING, HeaderMap};
use zstd::zstd_safe::{DCtx, DParameter, InBuffer, OutBuffer, get_frame_content_size};

use crate::contract::LIMITS;
use crate::error::{ErrorCode, Failure};
use crate::http::head::trim_blank;

/// The compression of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Identity,
    Gzip,
    Zstd,
}

/// Reasons why inflating fails.
#[derive(Debug)]
pub(super) enum InflateError {
    TooLarge,
    Broken,
}

/// The window of gzip has one size (RFC 1951, section 2).
const GZIP_WINDOW_LOG: u8 = 15;

/// The most bytes of one step of inflating. After each step the thread lets others run. Otherwise the kernel runs it
/// for several milliseconds while the thread of a small request waits for a processor.
const STEP_BYTES: usize = 64 * 1024;

/// Returns the encoding of a body; any other encoding, and several of them, are a failure. `identity` and empty items of
/// the list have no effect (RFC 9110, sections 5.6.1 and 8.4).
pub(super) fn encoding_of(headers: &HeaderMap) -> Result<Encoding, Failure> {
    let mut encoding = Encoding::Identity;
    let items =
        headers.get_all(CONTENT_ENCODING).iter().flat_map(|value| value.as_bytes().split(|&b| b == b','));
    for item in items {
        let next = match trim_blank(item).to_ascii_lowercase().as_slice() {
            b"" | b"identity" => continue,
            b"gzip" | b"x-gzip" => Encoding::Gzip,
            b"zstd" => Encoding::Zstd,
            _ => return Err(ErrorCode::UnsupportedEncoding.into()),
        };
        if encoding != Encoding::Identity {
            return Err(ErrorCode::UnsupportedEncoding.into());
        }
        encoding = next;
    }
    Ok(encoding)
}

/// Inflates bytes to at most `limit` bytes.
pub(super) fn inflate(encoding: Encoding, bytes: &[u8], limit: u64) -> Result<Vec<u8>, InflateError> {
    match encoding {
        Encoding::Identity => Ok(bytes.to_vec()),
        Encoding::Gzip => inflate_members(bytes, limit),
        Encoding::Zstd => inflate_frames(bytes, limit),
    }
}

/// Inflates consecutive members (RFC 1952, section 2.2); any other remainder is malformed. zlib reads their headers
/// itself, since flate2's own reader refuses a file name of 64 KiB.
fn inflate_members(mut bytes: &[u8], limit: u64) -> Result<Vec<u8>, InflateError> {
    let mut inflated = Vec::new();
    let mut step = vec![0; STEP_BYTES];
    let mut member = Decompress::new_gzip(GZIP_WINDOW_LOG);
    loop {
        let (read, written) = (member.total_in(), member.total_out());
        let status = member.decompress(bytes, &mut step, FlushDecompress::None);
        let size = |bytes: u64| usize::try_from(bytes).map_err(|_| InflateError::Broken);
        bytes = bytes.get(size(member.total_in() - read)?..).ok_or(InflateError::Broken)?;
        inflated.extend_from_slice(step.get(..size(member.total_out() - written)?).unwrap_or_default());
        if inflated.len() as u64 > limit {
            return Err(InflateError::TooLarge);
        }
        if inflated.len() > STEP_BYTES {
            yield_now();
        }
        match status {
            Ok(Status::Ok) => {}
            Ok(Status::StreamEnd) if bytes.is_empty() => return Ok(inflated),
            Ok(Status::StreamEnd) => member = Decompress::new_gzip(GZIP_WINDOW_LOG),
            // zlib makes no progress although the output has room: the compressed data is cut off.
            Ok(Status::BufError) | Err(_) => return Err(InflateError::Broken),
        }
    }
}

/// Inflates consecutive frames (RFC 8878, section 3). A declared size is checked here: while it streams, zstd does not
/// check it when the last block is empty.
fn inflate_frames(bytes: &[u8], limit: u64) -> Result<Vec<u8>, InflateError> {
    let mut inflated = Vec::new();
    let mut step = vec![0; STEP_BYTES];
    let mut context = DCtx::try_create().ok_or(InflateError::Broken)?;
    let window = DParameter::WindowLogMax(LIMITS.zstd_window_log);
    context.set_parameter(window).map_err(|_| InflateError::Broken)?;
    let mut sent = InBuffer::around(bytes);
    let mut start = 0;
    let mut declared = content_size(bytes);
    loop {
        let mut out = OutBuffer::around(step.as_mut_slice());
        let missing = context.decompress_stream(&mut out, &mut sent).map_err(|_| InflateError::Broken)?;
        let written = out.as_slice().len();
        inflated.extend_from_slice(out.as_slice());
        if inflated.len() as u64 > limit {
            return Err(InflateError::TooLarge);
        }
        if inflated.len() > STEP_BYTES {
            yield_now();
        }
        let rest = bytes.get(sent.pos()..).ok_or(InflateError::Broken)?;
        if missing == 0 {
            if declared.is_some_and(|size| size != (inflated.len() - start) as u64) {
                return Err(InflateError::Broken);
            }
            if rest.is_empty() {
                return Ok(inflated);
            }
            (start, declared) = (inflated.len(), content_size(rest));
        } else if rest.is_empty() && written < STEP_BYTES {
            // The output has room: the compressed data is cut off.
            return Err(InflateError::Broken);
        }
    }
}

/// Returns the size that a frame declares for its content.
fn content_size(frame: &[u8]) -> Option<u64> {
    get_frame_content_size(frame).ok().flatten()
}
