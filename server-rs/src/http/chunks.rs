//! Finds the end of a chunked body, and checks its grammar (rule HTT-08).
//!
//! Only server-rs has this file: the server must find the end before hyper sees the bytes, since the next request's
//! head begins there. Node's parser does both.

use crate::contract::LIMITS;
use crate::http::head::is_token;

/// Finds the end of a chunked body (RFC 9112, section 7.1).
#[derive(Debug, Default)]
pub struct ChunkScanner {
    place: Place,
    trailer_bytes: usize,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Before the first digit of a size.
    #[default]
    Size,
    /// After at least one digit.
    MoreSize(u64),
    /// At the beginning of an extension's name.
    Extension(u64),
    /// In an extension's name or value.
    ExtensionToken(u64),
    /// In the quotes of an extension's value.
    ExtensionQuoted(u64),
    /// After the backslash of a quoted pair.
    ExtensionEscape(u64),
    /// After the closing quote.
    ExtensionEnd(u64),
    /// After the CR of a size line.
    SizeEnd(u64),
    /// Inside a chunk.
    Data(u64),
    /// After a chunk, before its CR and its LF.
    DataCr,
    /// After a chunk's CR.
    DataLf,
    /// At the beginning of a trailer line.
    Trailer,
    /// Inside a trailer line.
    TrailerLine,
    /// After the CR of a trailer line.
    TrailerLf,
    /// After the CR that ends the body.
    LastLf,
    /// After the body.
    Done,
}

/// A chunked body that breaks its grammar.
#[derive(Debug, PartialEq, Eq)]
pub struct BadChunk;

impl ChunkScanner {
    /// Scans bytes; returns how many of them belong to the body.
    pub fn scan(&mut self, bytes: &[u8]) -> Result<usize, BadChunk> {
        let mut at = 0;
        while at < bytes.len() && !self.is_done() {
            if let Place::Data(left) = self.place {
                let taken = usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len() - at);
                at += taken;
                let left = left - taken as u64;
                self.place = if left == 0 { Place::DataCr } else { Place::Data(left) };
                continue;
            }
            self.place = self.place.step(bytes[at])?;
            self.trailer_bytes += usize::from(matches!(self.place, Place::TrailerLine | Place::TrailerLf));
            if self.trailer_bytes > LIMITS.trailer_bytes {
                return Err(BadChunk);
            }
            at += 1;
        }
        Ok(at)
    }

    /// Returns whether the body has ended.
    pub fn is_done(&self) -> bool {
        self.place == Place::Done
    }
}

impl Place {
    fn step(self, byte: u8) -> Result<Self, BadChunk> {
        use Place::{
            Data, DataCr, DataLf, Done, Extension, ExtensionEnd, ExtensionEscape, ExtensionQuoted,
            ExtensionToken, LastLf, MoreSize, Size, SizeEnd, Trailer, TrailerLf, TrailerLine,
        };
        let digit = crate::text::hex_value(byte).map(u64::from);
        match (self, byte) {
            (Size, _) => digit.map(MoreSize).ok_or(BadChunk),
            (MoreSize(size), b'\r') => Ok(SizeEnd(size)),
            (MoreSize(size), b';') => Ok(Extension(size)),
            (MoreSize(size), _) => {
                let next = digit.and_then(|digit| size.checked_mul(16)?.checked_add(digit));
                next.map(MoreSize).ok_or(BadChunk)
            }
            (ExtensionToken(size) | ExtensionEnd(size), b'\r') => Ok(SizeEnd(size)),
            (ExtensionToken(size) | ExtensionEnd(size), b';') => Ok(Extension(size)),
            (ExtensionToken(size), b'=') => Ok(ExtensionToken(size)),
            (ExtensionToken(size), b'"') => Ok(ExtensionQuoted(size)),
            (Extension(size) | ExtensionToken(size), _) if is_token(byte) => Ok(ExtensionToken(size)),
            (ExtensionQuoted(size), b'"') => Ok(ExtensionEnd(size)),
            (ExtensionQuoted(size), b'\\') => Ok(ExtensionEscape(size)),
            (ExtensionQuoted(size) | ExtensionEscape(size), b'\t' | 0x20..=0x7e) => Ok(ExtensionQuoted(size)),
            (SizeEnd(0), b'\n') | (TrailerLf, b'\n') => Ok(Trailer),
            (SizeEnd(size), b'\n') => Ok(Data(size)),
            (DataCr, b'\r') => Ok(DataLf),
            (DataLf, b'\n') => Ok(Size),
            (Trailer, b'\r') => Ok(LastLf),
            (Trailer, _) if is_token(byte) => Ok(TrailerLine),
            (TrailerLine, b'\r') => Ok(TrailerLf),
            (TrailerLine, b'\t' | 0x20..=0x7e | 0x80..=0xff) => Ok(TrailerLine),
            (LastLf, b'\n') => Ok(Done),
            _ => Err(BadChunk),
        }
    }
}
