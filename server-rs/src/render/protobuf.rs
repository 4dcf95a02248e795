//! Renders pages of events and snapshots in Protobuf (rule FMT-08): the messages `EventPage` and `Snapshot`.
//!
//! Fields come in the order of their numbers. The library's encoders write them straight from rows, since a message
//! would copy every text once more.

use prost::encoding::{WireType, encode_key, encode_varint};

use crate::field::{BY_NUMBER, COLUMNS, Column, ColumnKind};
use crate::render::Reached;
use crate::render::snapshot::SnapshotHead;
use crate::render::stored::{StoredRow, StoredValue};

/// Appends rows as the field `events` of an `EventPage`.
#[derive(Debug, Default)]
pub struct ProtobufRows {
    bytes: Vec<u8>,
    /// The current row; its length precedes it, so it is encoded first.
    row: Vec<u8>,
}

impl ProtobufRows {
    /// Appends a row.
    pub fn push(&mut self, row: &StoredRow<'_>) {
        self.row.clear();
        for place in BY_NUMBER {
            push_field(&mut self.row, &COLUMNS[place], &row[place]);
        }
        push_bytes(&mut self.bytes, 1, &self.row);
    }

    /// Returns a page of these rows (rule GET-01).
    pub fn page(mut self, reached: Reached) -> Vec<u8> {
        if let Some(next) = reached.next {
            push_integer(&mut self.bytes, 2, next);
        }
        if reached.scanned_to != 0 {
            push_integer(&mut self.bytes, 3, reached.scanned_to);
        }
        self.bytes
    }
}

/// Returns a snapshot with its data, an `EventPage` (rules SYN-05 and SYN-07).
pub fn protobuf_snapshot(head: &SnapshotHead<'_>, data: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(data.len() + 128);
    push_bytes(&mut out, 1, head.topic.as_bytes());
    push_bytes(&mut out, 2, head.epoch.as_bytes());
    if head.revision != 0 {
        push_integer(&mut out, 3, head.revision);
    }
    if let Some(since) = head.since {
        push_integer(&mut out, 4, since);
    }
    if head.is_reset {
        push_integer(&mut out, 5, 1);
    }
    push_bytes(&mut out, 6, data);
    out
}

/// Appends a field. Null is omitted, and so is the zero of a column that is never null (rule FMT-08).
fn push_field(out: &mut Vec<u8>, column: &Column, value: &StoredValue<'_>) {
    let number = column.protobuf;
    match (column.kind, value) {
        (_, StoredValue::Null) => {}
        (ColumnKind::Choice(words), StoredValue::Name(_, text)) => {
            if let Some(place) = words.iter().position(|word| **word == **text) {
                encode_key(number, WireType::Varint, out);
                encode_varint(place as u64 + 1, out);
            }
        }
        (_, StoredValue::Integer(value) | StoredValue::Timestamp(value)) => {
            if column.is_nullable || *value != 0 {
                push_integer(out, number, *value);
            }
        }
        (_, StoredValue::Dollars(value)) => {
            encode_key(number, WireType::SixtyFourBit, out);
            out.extend_from_slice(&value.to_le_bytes());
        }
        (_, StoredValue::Boolean(value)) => {
            if *value {
                push_integer(out, number, 1);
            }
        }
        (_, StoredValue::Text(text) | StoredValue::Json(text)) => push_bytes(out, number, text.as_bytes()),
        (_, StoredValue::Name(_, text)) => push_bytes(out, number, text.as_bytes()),
    }
}

fn push_integer(out: &mut Vec<u8>, number: u32, value: i64) {
    encode_key(number, WireType::Varint, out);
    encode_varint(value.cast_unsigned(), out);
}

fn push_bytes(out: &mut Vec<u8>, number: u32, bytes: &[u8]) {
    encode_key(number, WireType::LengthDelimited, out);
    encode_varint(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_and_zero_are_omitted() {
        let mut values: StoredRow<'_> = std::array::from_fn(|_| StoredValue::Null);
        let place = |name: &str| COLUMNS.iter().position(|column| column.name == name).expect("a column");
        values[place("tokens_in")] = StoredValue::Integer(0);
        values[place("duration_ms")] = StoredValue::Integer(0);
        values[place("payload_truncated")] = StoredValue::Boolean(false);
        values[place("id")] = StoredValue::Integer(300);
        values[place("status")] = StoredValue::Name(9, "error".into());
        values[place("cost_usd")] = StoredValue::Dollars(0.0);
        values[place("client_timestamp")] = StoredValue::Timestamp(-1);
        values[place("metadata")] = StoredValue::Json("{}".into());
        let mut rows = ProtobufRows::default();
        rows.push(&values);
        let row = b"\x20\x02\x50\0\x79\0\0\0\0\0\0\0\0\x80\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x92\x01\x02{}\x98\x01\xac\x02";
        let page = [b"\x0a".as_slice(), &[u8::try_from(row.len()).expect("short")], row, b"\x10\x05\x18\x05"]
            .concat();
        assert_eq!(rows.page(Reached { next: Some(5), scanned_to: 5 }), page);
    }

    #[test]
    fn a_snapshot_has_its_data_even_when_it_is_empty() {
        let head = SnapshotHead { topic: "events", epoch: "e", revision: 0, since: Some(0), is_reset: true };
        assert_eq!(protobuf_snapshot(&head, b""), b"\x0a\x06events\x12\x01e\x20\0\x28\x01\x32\0");
    }
}
