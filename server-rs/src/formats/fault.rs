//! Names the first rule that a body breaks; the server checks before it decodes (rule FMT-03).

use crate::contract::VOCABULARY;
use crate::error::{ErrorCode, Failure};

/// The rule that a body breaks; `format_messages` of `contract/vocabulary.json` explains each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the file explains them")]
pub enum Fault {
    Truncated,
    Trailing,
    Depth,
    Key,
    Utf8,
    Finite,
    Binary,
    Extension,
    Reserved,
    Varint,
    Tag,
    Field,
    WireType,
    FieldType,
}

impl Fault {
    /// Returns its message.
    pub fn message(self) -> &'static str {
        let messages = &VOCABULARY.format_messages;
        match self {
            Fault::Truncated => messages.truncated,
            Fault::Trailing => messages.trailing,
            Fault::Depth => messages.depth,
            Fault::Key => messages.key,
            Fault::Utf8 => messages.utf8,
            Fault::Finite => messages.finite,
            Fault::Binary => messages.binary,
            Fault::Extension => messages.extension,
            Fault::Reserved => messages.reserved,
            Fault::Varint => messages.varint,
            Fault::Tag => messages.tag,
            Fault::Field => messages.field,
            Fault::WireType => messages.wire_type,
            Fault::FieldType => messages.field_type,
        }
    }
}

/// Checks that a text is UTF-8. Most texts are short and ASCII, for which the first check is faster.
pub(crate) fn check_utf8(text: &[u8]) -> Result<(), Fault> {
    if text.is_ascii() || std::str::from_utf8(text).is_ok() { Ok(()) } else { Err(Fault::Utf8) }
}

/// Returns the failure of a request whose body has this fault.
pub(crate) fn refusal(code: ErrorCode, fault: Fault) -> Failure {
    Failure::new(code).with("reason", fault.message())
}
