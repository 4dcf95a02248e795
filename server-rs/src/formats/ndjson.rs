//! Reads NDJSON: finds the events of a body, one a line, without copying them (rule FMT-02).
//!
//! Invariant: a line that is not JSON counts as one event and does not affect other lines.

use crate::error::{ErrorCode, Failure};
use crate::event::RawEvent;
use crate::formats::batch::RawBatch;
use crate::json::scan_line;

/// Replaces each byte of a line that is not UTF-8; the result is not JSON.
const NOT_JSON: u8 = b'?';

/// Returns the events of a body. Events after the first `max_items` are counted but not kept.
pub fn read_lines(body: Vec<u8>, max_items: usize) -> RawBatch {
    let body = String::from_utf8(body).unwrap_or_else(|error| replace_lines(error.into_bytes()));
    let bytes = body.as_bytes();
    let (mut events, mut lines, mut count) = (Vec::new(), Vec::new(), 0);
    let (mut at, mut line) = (0, 1);
    // A body may have millions of empty lines, so this skips white space byte by byte.
    while let Some(&byte) = bytes.get(at) {
        if matches!(byte, b' ' | b'\t' | b'\r' | b'\n') {
            line += usize::from(byte == b'\n');
            at += 1;
            continue;
        }
        let end = end_of_line(bytes, at);
        if count < max_items {
            events.push(scan_line(&body, at, end).unwrap_or_else(|_| RawEvent::not_json()));
            lines.push(line);
        }
        count += 1;
        at = end;
    }
    RawBatch { body, events, count, lines }
}

/// Returns the one event of a one-line body, and its text.
pub fn read_line(body: Vec<u8>) -> Result<(String, RawEvent), Failure> {
    let RawBatch { body, mut events, count, .. } = read_lines(body, 1);
    match events.pop() {
        Some(event) if count == 1 && event.is_json => Ok((body, event)),
        _ => Err(Failure::new(ErrorCode::InvalidJson)),
    }
}

/// Returns the text of a body that is not UTF-8. It replaces the invalid lines, so that the others stay readable.
fn replace_lines(mut body: Vec<u8>) -> String {
    for line in body.split_mut(|&byte| byte == b'\n') {
        if std::str::from_utf8(line).is_err() {
            line.fill(NOT_JSON);
        }
    }
    String::from_utf8(body).unwrap_or_default()
}

/// Returns the end of the line that continues at `start`.
fn end_of_line(bytes: &[u8], start: usize) -> usize {
    bytes[start..].iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |length| start + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_numbers_count_empty_lines() {
        let batch = read_lines(b"\r\n{}\n \t\n[1]\r\n{\n\xff\n{} ".to_vec(), 9);
        assert_eq!((batch.count, &*batch.lines), (5, [2, 4, 5, 6, 7].as_slice()));
        let shapes: Vec<_> = batch.events.iter().map(|event| (event.is_object, event.is_json)).collect();
        assert_eq!(shapes, [(true, true), (false, true), (false, false), (false, false), (true, true)]);
    }

    #[test]
    fn lines_above_the_limit_are_counted_but_not_kept() {
        let batch = read_lines(b"{}\n\n{}\n?\n \n{}".to_vec(), 1);
        assert_eq!((batch.events.len(), batch.count), (1, 4));
        assert_eq!(read_lines(Vec::new(), 1).count, 0);
    }

    #[test]
    fn a_body_with_one_event_has_exactly_one_line() {
        assert!(read_line(b"\n{}\n\n".to_vec()).is_ok());
        for body in ["", "\n", "{}\n{}", "{}{}", "?"] {
            assert!(read_line(body.into()).is_err(), "{body}");
        }
    }
}
