//! Names the formats of bodies and answers, and reads bodies in them as events (rules FMT-01 to FMT-07).
//!
//! Invariant: every format becomes spans of a text, so that the rules of events exist once (decision 53).

/// Reasons to refuse a body.
pub mod fault;
/// The events of a batch, before validation.
pub mod batch;
/// A file with one event a line.
pub mod ndjson;
/// Writes values as JSON tokens.
pub mod tokens;
/// Walks a MessagePack value without decoding it.
pub mod msgpack_walker;
/// Writes values as canonical JSON text.
pub mod canonical;
/// Checks MessagePack bodies.
pub mod msgpack_check;
/// Turns MessagePack into tokens.
pub mod msgpack;
/// Checks Protobuf bodies.
pub mod protobuf_check;
/// The generated message of an event.
mod event_message;
/// Turns Protobuf into tokens.
pub mod protobuf;

use std::sync::LazyLock;

use crate::contract::{FORMATS, FormatSpec};
use crate::error::{ErrorCode, Failure};
use crate::event::RawEvent;
use crate::json::{scan_batch, scan_event};
use batch::RawBatch;

/// The formats, in the order of `formats.json`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the format of its name")]
pub enum Format {
    Json,
    Ndjson,
    Msgpack,
    Protobuf,
    Arrow,
}

static SPECS: LazyLock<Vec<&'static FormatSpec>> = LazyLock::new(|| {
    let spec = |format: &Format| FORMATS.formats.get(format.name());
    Format::ALL.iter().map(|format| spec(format).expect("tests/contract.rs compares the two lists")).collect()
});

impl Format {
    /// All formats.
    pub const ALL: [Format; 5] =
        [Format::Json, Format::Ndjson, Format::Msgpack, Format::Protobuf, Format::Arrow];

    /// Returns the name in the contract.
    pub fn name(self) -> &'static str {
        match self {
            Format::Json => "json",
            Format::Ndjson => "ndjson",
            Format::Msgpack => "msgpack",
            Format::Protobuf => "protobuf",
            Format::Arrow => "arrow",
        }
    }

    /// Returns the format of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// Returns the format's entry in the contract.
    pub fn spec(self) -> &'static FormatSpec {
        SPECS[self as usize]
    }

    /// Returns whether its answers hold only rows, in several pages (rule FMT-09).
    pub fn is_export(self) -> bool {
        matches!(self, Format::Ndjson | Format::Arrow)
    }
}

/// Returns the one event of a body, and the text that its spans refer to.
pub fn read_event(format: Format, body: Vec<u8>) -> Result<(String, RawEvent), Failure> {
    match format {
        Format::Json => {
            let body = text_of(body)?;
            let event = scan_event(&body).map_err(|_| Failure::new(ErrorCode::InvalidJson))?;
            Ok((body, event))
        }
        Format::Ndjson => ndjson::read_line(body),
        Format::Msgpack => msgpack::read_msgpack_event(&body),
        Format::Protobuf => protobuf::read_protobuf_event(body),
        Format::Arrow => Err(Failure::new(ErrorCode::Internal)),
    }
}

/// Returns the events of a body. Events after the first `max_items` are counted but not kept (rule ING-09).
pub fn read_batch(format: Format, body: Vec<u8>, max_items: usize) -> Result<RawBatch, Failure> {
    match format {
        Format::Json => {
            let body = text_of(body)?;
            let scanned = scan_batch(&body, max_items).map_err(|_| Failure::new(ErrorCode::InvalidJson))?;
            let batch = scanned.ok_or(Failure::new(ErrorCode::InvalidBatch))?;
            Ok(RawBatch { body, events: batch.events, count: batch.count, lines: Vec::new() })
        }
        Format::Ndjson => Ok(ndjson::read_lines(body, max_items)),
        Format::Msgpack => msgpack::read_msgpack_batch(&body, max_items),
        Format::Protobuf => protobuf::read_protobuf_batch(body, max_items),
        Format::Arrow => Err(Failure::new(ErrorCode::Internal)),
    }
}

/// Returns the text of a JSON body (rule BOD-01).
pub(crate) fn text_of(body: Vec<u8>) -> Result<String, Failure> {
    String::from_utf8(body).map_err(|_| Failure::new(ErrorCode::InvalidJson))
}

#[cfg(test)]
pub(crate) mod tests {
    /// Decodes hexadecimal digits.
    pub(crate) fn bytes(hex: &str) -> Vec<u8> {
        let digits: Vec<u8> = hex.bytes().filter_map(crate::text::hex_value).collect();
        digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
    }
}
