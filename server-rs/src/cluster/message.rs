//! Writes an event as a message of the stream, and reads it back (rule CLU-03).
//!
//! Pure. The first line has the fields as JSON, and the rest is the metadata exactly as the event has it. A batch or an
//! event would nest it deeper than the limit.

use crate::event::{Event, Span, SpanKind};
use crate::field::{Field, FieldKind};
use crate::json::scan_line;
use crate::number::print_number;
use crate::render::stored::dollars_of;
use crate::scanner::Scanner;
use crate::store::event_key::EventKey;
use crate::timestamp::format_timestamp;
use crate::validate::validate_event;
use crate::waits::{NO_CHANGE, wait_label, wait_of};

/// An event for the stream, or a change of the copies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Its fields and its metadata.
    pub payload: Vec<u8>,
    /// The key of its `event_id` in hexadecimal, by which the stream recognises a repetition; `None` without one.
    pub key: Option<String>,
    /// Its change to the waits of its session.
    pub wait: Option<String>,
    /// Whether its metadata is a summary.
    pub is_truncated: bool,
    /// The name of a change; `None` for an event.
    pub change: Option<&'static str>,
}

/// Writes an event; `body` is the body that its texts refer to.
pub fn write_message(event: &Event, body: &str) -> Message {
    let metadata = event.text(Field::Metadata, body).unwrap_or_default();
    let mut payload = Vec::with_capacity(metadata.len() + 512);
    for field in Field::ALL {
        if !matches!(field, Field::Metadata) {
            member(&mut payload, field, event, body);
        }
    }
    payload.extend_from_slice(b"}\n");
    payload.extend_from_slice(metadata.as_bytes());
    Message {
        payload,
        key: key_of(event, body),
        wait: (event.wait != NO_CHANGE).then(|| wait_label(event.wait)),
        is_truncated: event.payload_truncated,
        change: None,
    }
}

/// Returns the event of a message, and the body that its texts refer to; `None` when a message is not an event.
pub fn read_message(payload: &[u8], wait: Option<&str>, is_truncated: bool) -> Option<(String, Event)> {
    let body = std::str::from_utf8(payload).ok()?.to_owned();
    let end = body.find('\n')?;
    let mut raw = scan_line(&body, 0, end).ok()?;
    raw.set(Field::Metadata, metadata_in(&body, end + 1)?);
    let mut event = validate_event(&body, &raw, usize::MAX).ok()?;
    event.payload_truncated = is_truncated;
    event.wait = wait.map_or(NO_CHANGE, wait_of);
    Some((body, event))
}

/// Returns the span of the one JSON value from `start` to the end of the text.
fn metadata_in(body: &str, start: usize) -> Option<Span> {
    let mut scanner = Scanner::starting_at(body.as_bytes(), start);
    let span = scanner.skip_value(0).ok()?;
    scanner.end().ok()?;
    (span.kind != SpanKind::Absent).then_some(span)
}

/// Returns the key by which every copy recognises the event. A hook that telemetry may report too has a second one (rule
/// HOK-04).
fn key_of(event: &Event, body: &str) -> Option<String> {
    let shared = EventKey::new(event.text(Field::EventId, body)?);
    let own = (event.wait != NO_CHANGE).then(|| shared.of_hook()).flatten();
    Some(format!("{:032x}", own.unwrap_or(shared).bits()))
}

/// Appends a field as a member; the first one opens the object.
fn member(out: &mut Vec<u8>, field: Field, event: &Event, body: &str) {
    let number = event.number(field);
    let text = event.text(field, body);
    if number.is_none() && text.is_none() {
        return;
    }
    out.extend_from_slice(if out.is_empty() { b"{\"" } else { b",\"" });
    out.extend_from_slice(field.name().as_bytes());
    out.extend_from_slice(b"\":");
    match (number, field.spec().kind) {
        (Some(nanos), FieldKind::Dollars) => print_number(out, dollars_of(nanos)),
        (Some(ms), FieldKind::Timestamp) => string(out, &format_timestamp(ms)),
        (Some(number), _) => out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes()),
        (None, _) => string(out, text.unwrap_or_default()),
    }
}

/// Appends a string.
fn string(out: &mut Vec<u8>, text: &str) {
    // Writing a string to memory cannot fail.
    drop(serde_json::to_writer(out, text));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::scan_event;
    use crate::waits::{DISMISSAL, WAIT_CHANGES};

    fn event(body: &str) -> Event {
        validate_event(body, &scan_event(body).expect("JSON"), 10_240).expect("valid")
    }

    fn texts(event: &Event, body: &str) -> Vec<(Option<String>, Option<i64>)> {
        let value = |field| (event.text(field, body).map(str::to_owned), event.number(field));
        Field::ALL.into_iter().map(value).collect()
    }

    #[test]
    fn a_message_keeps_every_field() {
        let nested = format!("{}{}", "[".repeat(126), "]".repeat(126));
        let metadata = format!("{{ \"a\" :\r\n1.50, \"b\":\"\\ud800\",\"c\":{nested}}}");
        let body = format!(
            r#"{{"session_id":" s\u000a\"é","agent_type":"a","event_type":"error","event_id":"x\r\ny","cost_usd":0.000000001,"duration_ms":0,"tokens_in":9007199254740991,"client_timestamp":"2026-11-27T13:00:00.123456+01:00","source":"otel","metadata":{metadata}}}"#
        );
        let sent = event(&body);
        let message = write_message(&sent, &body);
        let (text, read) = read_message(&message.payload, None, false).expect("an event");
        assert_eq!(texts(&read, &text), texts(&sent, &body));
        assert_eq!(message.key.map(|key| key.len()), Some(32));
    }

    #[test]
    fn every_change_to_waits_has_a_label_of_its_own_effect() {
        for (index, change) in WAIT_CHANGES.iter().enumerate().skip(DISMISSAL) {
            let found = wait_of(&wait_label(index));
            assert_eq!(WAIT_CHANGES[found], *change, "{index}");
            assert_eq!(found == DISMISSAL, index == DISMISSAL);
            assert_ne!(found, NO_CHANGE);
        }
        assert_eq!(wait_of("unknown"), NO_CHANGE);
    }

    #[test]
    fn other_messages_are_no_events() {
        let fields = r#"{"session_id":"s","agent_type":"a","event_type":"error"}"#;
        let read = |text: &str| read_message(text.as_bytes(), None, false);
        assert!(read(&format!("{fields}\n{{}}")).is_some());
        for text in
            ["", "x", fields, &format!("{fields}\n"), &format!("{fields}\n{{}}{{}}"), "{}\n{}", "[]\n{}"]
        {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(read_message(b"\xff\n{}", None, false), None);
    }
}
