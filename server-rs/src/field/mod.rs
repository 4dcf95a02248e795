//! The fields of an event as the contract describes them (`contract/fields.json`).

/// Columns of a row, generated from the file.
mod columns;
/// Table of fields, generated from the file.
mod table;

pub use columns::{BY_NUMBER, COLUMNS};
pub use table::Field;
use table::SPECS;

/// The validation rule of a field (rules EVT-01 to EVT-11).
#[derive(Debug, Clone, Copy)]
pub enum FieldKind {
    /// A bounded string.
    Text,
    /// One word of a list of the vocabulary.
    Choice(&'static [&'static str]),
    /// A whole number from 0 to 2^53-1.
    Integer,
    /// US dollars, stored as nano-dollars.
    Dollars,
    /// An RFC 3339 date-time, stored as Unix milliseconds.
    Timestamp,
    /// Any JSON value.
    Json,
}

/// The value of a field that an event lacks.
#[derive(Debug, Clone, Copy)]
pub enum Absent {
    /// No value.
    Null,
    /// This number.
    Number(i64),
    /// This word of the vocabulary.
    Word(&'static str),
}

/// One field of `contract/fields.json`.
#[derive(Debug)]
#[expect(missing_docs, reason = "the other members are those of the file, which explains them")]
pub struct FieldSpec {
    pub name: &'static str,
    /// The parameter of its filter in the statements for event pages.
    pub parameter: &'static str,
    pub kind: FieldKind,
    pub is_required: bool,
    pub is_trimmed: bool,
    pub max_bytes: usize,
    pub column: &'static str,
    pub is_dictionary: bool,
    pub absent: Absent,
}

/// The stored form of a column.
#[derive(Debug, Clone, Copy)]
pub enum ColumnKind {
    /// Not stored: always this number.
    Constant(i64),
    /// The key of a session.
    Session,
    /// A name id.
    Name,
    /// The name id of a word from a list of the vocabulary.
    Choice(&'static [&'static str]),
    /// A text, or the 16 bytes of a UUID.
    Text,
    /// A whole number.
    Integer,
    /// Nano-dollars.
    Dollars,
    /// Unix milliseconds.
    Timestamp,
    /// 0 or 1.
    Boolean,
    /// JSON text.
    Json,
}

/// Arrow types of columns (rule FMT-09).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the type of its name")]
pub enum ArrowType {
    Int8,
    Int64,
    Float64,
    Bool,
    Utf8,
    Timestamp,
    Dictionary,
}

/// One column of a row.
#[derive(Debug)]
#[expect(missing_docs, reason = "the other members are those of the file, which explains them")]
pub struct Column {
    pub name: &'static str,
    pub kind: ColumnKind,
    /// Its number in Protobuf.
    pub protobuf: u32,
    pub arrow: ArrowType,
    pub is_nullable: bool,
}

impl Field {
    /// Number of fields.
    pub const COUNT: usize = Field::ALL.len();

    /// Returns the field's entry in the contract.
    pub fn spec(self) -> &'static FieldSpec {
        &SPECS[self as usize]
    }

    /// Returns the name on the wire.
    pub fn name(self) -> &'static str {
        self.spec().name
    }

    /// Returns the parameter of this filter in the statements for event pages.
    pub fn parameter(self) -> &'static str {
        self.spec().parameter
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_is_found_by_its_name() {
        for (index, field) in Field::ALL.into_iter().enumerate() {
            assert_eq!(field as usize, index);
            assert_eq!(Field::from_name(field.name().as_bytes()), Some(field));
        }
        assert_eq!(Field::from_name(b"session"), None);
    }
}
