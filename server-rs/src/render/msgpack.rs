//! Renders pages of events and snapshots in MessagePack (rule FMT-08).
//!
//! Every value has its shortest form, which the library writes.

use rmp::encode::{write_array_len, write_bool, write_f64, write_map_len, write_nil, write_sint, write_str};

use crate::field::COLUMNS;
use crate::render::Reached;
use crate::render::snapshot::SnapshotHead;
use crate::render::stored::{StoredRow, StoredValue};
use crate::timestamp::format_timestamp;

/// 2^53 - 1: above it, several whole numbers have the same double.
const MOST_WHOLE: f64 = 9_007_199_254_740_991.0;

/// Appends rows as maps.
#[derive(Debug, Default)]
pub struct MsgpackRows {
    bytes: Vec<u8>,
    count: usize,
    /// The last time and its text: events of one request share it.
    time: (i64, String),
}

// The library returns errors that cannot occur when writing to memory; they are dropped.
impl MsgpackRows {
    /// Appends a row.
    pub fn push(&mut self, row: &StoredRow<'_>) {
        self.count += 1;
        drop(write_map_len(&mut self.bytes, length(COLUMNS.len())));
        for (column, value) in COLUMNS.iter().zip(row) {
            drop(write_str(&mut self.bytes, column.name));
            self.value(value);
        }
    }

    fn value(&mut self, value: &StoredValue<'_>) {
        let bytes = &mut self.bytes;
        match value {
            StoredValue::Null => drop(write_nil(bytes)),
            StoredValue::Integer(value) => drop(write_sint(bytes, *value)),
            #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and below 2^53")]
            StoredValue::Dollars(value) if value.fract() == 0.0 && value.abs() <= MOST_WHOLE => {
                drop(write_sint(bytes, *value as i64));
            }
            StoredValue::Dollars(value) => drop(write_f64(bytes, *value)),
            StoredValue::Timestamp(ms) => {
                if self.time.0 != *ms || self.time.1.is_empty() {
                    self.time = (*ms, format_timestamp(*ms));
                }
                drop(write_str(bytes, &self.time.1));
            }
            StoredValue::Boolean(value) => drop(write_bool(bytes, *value)),
            StoredValue::Text(text) | StoredValue::Json(text) => drop(write_str(bytes, text)),
            StoredValue::Name(_, text) => drop(write_str(bytes, text)),
        }
    }

    /// Returns a page of these rows (rule GET-01).
    pub fn page(&self, reached: Reached) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.bytes.len() + 48);
        drop(write_map_len(&mut out, 3));
        drop(write_str(&mut out, "events"));
        drop(write_array_len(&mut out, length(self.count)));
        out.extend_from_slice(&self.bytes);
        drop(write_str(&mut out, "next"));
        match reached.next {
            None => drop(write_nil(&mut out)),
            Some(next) => drop(write_sint(&mut out, next)),
        }
        drop(write_str(&mut out, "scanned_to"));
        drop(write_sint(&mut out, reached.scanned_to));
        out
    }
}

/// Returns a snapshot with its data, a page in MessagePack (rules SYN-05 and SYN-07).
pub fn msgpack_snapshot(head: &SnapshotHead<'_>, data: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(data.len() + 128);
    drop(write_map_len(&mut out, 4 + u32::from(head.since.is_some()) + u32::from(head.is_reset)));
    let mut text = |name: &str, value: &str| {
        drop(write_str(&mut out, name));
        drop(write_str(&mut out, value));
    };
    text("topic", head.topic);
    text("epoch", head.epoch);
    text("revision", &head.revision.to_string());
    if let Some(since) = head.since {
        text("since", &since.to_string());
    }
    if head.is_reset {
        drop(write_str(&mut out, "reset"));
        drop(write_bool(&mut out, true));
    }
    drop(write_str(&mut out, "data"));
    out.extend_from_slice(data);
    out
}

fn length(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_their_shortest_form() {
        let cases = [
            (StoredValue::Null, b"\xc0".as_slice()),
            (StoredValue::Integer(127), b"\x7f"),
            (StoredValue::Integer(128), b"\xcc\x80"),
            (StoredValue::Dollars(2.0), b"\x02"),
            (StoredValue::Dollars(0.5), b"\xcb\x3f\xe0\0\0\0\0\0\0"),
            (StoredValue::Boolean(true), b"\xc3"),
            (StoredValue::Timestamp(0), b"\xb81970-01-01T00:00:00.000Z"),
            (StoredValue::Json("{}".into()), b"\xa2{}"),
            (StoredValue::Name(7, "a".into()), b"\xa1a"),
        ];
        for (value, bytes) in cases {
            let mut rows = MsgpackRows::default();
            rows.value(&value);
            assert_eq!(rows.bytes, bytes, "{value:?}");
        }
        let end = MsgpackRows::default().page(Reached { next: None, scanned_to: 0 });
        assert_eq!(end, b"\x83\xa6events\x90\xa4next\xc0\xaascanned_to\0");
        let page = MsgpackRows::default().page(Reached { next: Some(7), scanned_to: 7 });
        assert_eq!(page, b"\x83\xa6events\x90\xa4next\x07\xaascanned_to\x07");
    }

    #[test]
    fn a_snapshot_is_the_map_of_its_json_object() {
        let head = SnapshotHead { topic: "events", epoch: "e", revision: 7, since: Some(5), is_reset: false };
        let bytes = b"\x85\xa5topic\xa6events\xa5epoch\xa1e\xa8revision\xa17\xa5since\xa15\xa4data\x80";
        assert_eq!(msgpack_snapshot(&head, b"\x80"), bytes);
    }
}
