//! Describes stored rows, for the formats that are not based on text (rules FMT-08 and FMT-09).
//!
//! Pure. Names and sessions are ids with the texts that the store has looked up.

use std::borrow::Cow;
use std::rc::Rc;

use crate::field::COLUMNS;

/// The value of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum StoredValue<'a> {
    /// No value.
    Null,
    /// A whole number.
    Integer(i64),
    /// US dollars.
    Dollars(f64),
    /// Unix milliseconds.
    Timestamp(i64),
    /// True or false.
    Boolean(bool),
    /// A text of this row alone.
    Text(Cow<'a, str>),
    /// A text that other rows share; within one column, the same id means the same text.
    Name(i64, Rc<str>),
    /// JSON text.
    Json(Cow<'a, str>),
}

/// The values of a row, in the order of `COLUMNS`.
pub type StoredRow<'a> = [StoredValue<'a>; COLUMNS.len()];

/// Returns the id of a row.
pub fn stored_id_of(row: &StoredRow<'_>) -> i64 {
    if let Some(StoredValue::Integer(id)) = row.first() { *id } else { 0 }
}

/// Returns the metadata of a row; empty when it has none.
pub fn stored_metadata_of<'a>(row: &'a StoredRow<'_>) -> &'a str {
    if let Some(StoredValue::Json(text)) = row.last() { text } else { "" }
}

/// Returns the 16 bytes of a UUID as text (RFC 9562, section 4).
pub fn text_of(uuid: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = String::with_capacity(36);
    for (index, byte) in uuid.iter().enumerate() {
        if matches!(index, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    text
}

/// Returns US dollars from stored nano-dollars, with the same division as the view `events_readable`.
#[expect(clippy::cast_precision_loss, reason = "as SQLite does in the view")]
pub fn dollars_of(nanos: i64) -> f64 {
    nanos as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_the_bytes_of_a_uuid_as_text() {
        let bytes: Vec<u8> = (0..16).map(|n| n * 17).collect();
        assert_eq!(text_of(&bytes), "00112233-4455-6677-8899-aabbccddeeff");
    }
}
