//! Reads NDJSON: finds the events of a body, one a line, where they lie (rule FMT-02).
//!
//! Invariant: a line that is no JSON counts as one event and changes no other line.

use crate::error::{ErrorCode, Failure};
use crate::event::RawEvent;
use crate::formats::batch::RawBatch;
use crate::json::scan_line;

/// Replaces each byte of a line that is not UTF-8; such a line is no JSON.
const NOT_JSON: u8 = b'?';

/// The events of a body. Those after the first `max_items` are counted and not kept.
pub fn read_lines(body: Vec<u8>, max_items: usize) -> RawBatch {
    let body = String::from_utf8(body).unwrap_or_else(|error| replace_lines(error.into_bytes()));
    let (mut events, mut lines, mut count) = (Vec::new(), Vec::new(), 0);
    let mut start = 0;
    for (index, line) in body.split('\n').enumerate() {
        let end = start + line.len();
        if count >= max_items {
            count += usize::from(!is_blank(line.as_bytes()));
        } else if let Some(event) =
            scan_line(&body, start, end).unwrap_or_else(|_| Some(RawEvent::not_json()))
        {
            events.push(event);
            lines.push(index + 1);
            count += 1;
        }
        start = end + 1;
    }
    RawBatch { body, events, count, lines }
}

/// The one event of a body that has one line, and its text.
pub fn read_line(body: Vec<u8>) -> Result<(String, RawEvent), Failure> {
    let RawBatch { body, mut events, count, .. } = read_lines(body, 1);
    match events.pop() {
        Some(event) if count == 1 && event.is_json => Ok((body, event)),
        _ => Err(Failure::new(ErrorCode::InvalidJson)),
    }
}

/// The text of a body that is not UTF-8. Lines that are not are replaced, so that the others can be read.
fn replace_lines(mut body: Vec<u8>) -> String {
    for line in body.split_mut(|&byte| byte == b'\n') {
        if std::str::from_utf8(line).is_err() {
            line.fill(NOT_JSON);
        }
    }
    String::from_utf8(body).unwrap_or_default()
}

/// Whether a line holds only the white space of JSON.
fn is_blank(line: &[u8]) -> bool {
    line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_with_the_empty_ones() {
        let batch = read_lines(b"\r\n{}\n \t\n[1]\r\n{\n\xff\n{} ".to_vec(), 9);
        assert_eq!((batch.count, &*batch.lines), (5, [2, 4, 5, 6, 7].as_slice()));
        let shapes: Vec<_> = batch.events.iter().map(|event| (event.is_object, event.is_json)).collect();
        assert_eq!(shapes, [(true, true), (false, true), (false, false), (false, false), (true, true)]);
    }

    #[test]
    fn lines_above_the_limit_are_counted_and_not_kept() {
        let batch = read_lines(b"{}\n\n{}\n?\n \n{}".to_vec(), 1);
        assert_eq!((batch.events.len(), batch.count), (1, 4));
        assert_eq!(read_lines(Vec::new(), 1).count, 0);
    }

    #[test]
    fn one_event_is_one_line() {
        assert!(read_line(b"\n{}\n\n".to_vec()).is_ok());
        for body in ["", "\n", "{}\n{}", "{}{}", "?"] {
            assert!(read_line(body.into()).is_err(), "{body}");
        }
    }
}
