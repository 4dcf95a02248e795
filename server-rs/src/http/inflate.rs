//! Inflates compressed bodies to their very end (rule BOD-03).

use std::io::Read;

use flate2::{Decompress, FlushDecompress, Status};
use http::header::{CONTENT_ENCODING, HeaderMap};

use crate::contract::LIMITS;
use crate::error::{ErrorCode, Failure};

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

/// Least room for each step of inflating.
const INFLATE_BYTES: usize = 32 * 1024;

/// Returns the encoding of a body; any other encoding is a failure.
pub(super) fn encoding_of(headers: &HeaderMap) -> Result<Encoding, Failure> {
    let unsupported = || Failure::new(ErrorCode::UnsupportedEncoding);
    let mut values = headers.get_all(CONTENT_ENCODING).iter();
    let (first, None) = (values.next(), values.next()) else {
        return Err(unsupported());
    };
    let Some(value) = first else {
        return Ok(Encoding::Identity);
    };
    match value.to_str().map(str::to_ascii_lowercase).as_deref() {
        Ok("identity") => Ok(Encoding::Identity),
        Ok("gzip") => Ok(Encoding::Gzip),
        Ok("zstd") => Ok(Encoding::Zstd),
        _ => Err(unsupported()),
    }
}

/// Inflates bytes to at most `limit` bytes.
pub(super) fn inflate(encoding: Encoding, bytes: &[u8], limit: u64) -> Result<Vec<u8>, InflateError> {
    match encoding {
        Encoding::Identity => Ok(bytes.to_vec()),
        Encoding::Gzip => inflate_members(bytes, limit),
        Encoding::Zstd => {
            let mut decoder =
                zstd::stream::read::Decoder::with_buffer(bytes).map_err(|_| InflateError::Broken)?;
            decoder.window_log_max(LIMITS.zstd_window_log).map_err(|_| InflateError::Broken)?;
            read_up_to(decoder, limit)
        }
    }
}

/// Inflates consecutive members (RFC 1952, section 2.2); any other remainder is malformed. zlib reads their headers
/// itself, since flate2's own reader refuses a file name of 64 KiB.
fn inflate_members(mut bytes: &[u8], limit: u64) -> Result<Vec<u8>, InflateError> {
    let mut inflated = Vec::new();
    let mut member = Decompress::new_gzip(GZIP_WINDOW_LOG);
    loop {
        inflated.reserve(INFLATE_BYTES);
        let before = member.total_in();
        let status = member.decompress_vec(bytes, &mut inflated, FlushDecompress::None);
        let taken = usize::try_from(member.total_in() - before).map_err(|_| InflateError::Broken)?;
        bytes = bytes.get(taken..).ok_or(InflateError::Broken)?;
        if inflated.len() as u64 > limit {
            return Err(InflateError::TooLarge);
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

fn read_up_to(reader: impl Read, limit: u64) -> Result<Vec<u8>, InflateError> {
    let mut inflated = Vec::new();
    reader.take(limit + 1).read_to_end(&mut inflated).map_err(|_| InflateError::Broken)?;
    if inflated.len() as u64 > limit { Err(InflateError::TooLarge) } else { Ok(inflated) }
}
