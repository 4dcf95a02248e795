//! Reads Protobuf: turns the events of a body into JSON tokens (rules FMT-06 and FMT-07).
//!
//! Invariant: a body is checked before the library decodes it. So an error of the library is an internal error of
//! this server.

use bytes::Bytes;
use prost::Message;

use crate::error::{ErrorCode, Failure};
use crate::event::{RawEvent, Span};
use crate::field::{Field, FieldKind};
use crate::formats::batch::RawBatch;
use crate::formats::event_message::EventMessage;
use crate::formats::fault::{Fault, refusal};
use crate::formats::protobuf_check::{check_batch, check_event};
use crate::formats::tokens::Tokens;
use crate::timestamp::{format_timestamp, is_in_range};

/// Text for the number of an unknown word; no list contains this text (rule FMT-07).
const NO_WORD: &str = "?";
/// Text for a time outside the range; it is not a timestamp (rule FMT-07).
const NO_TIME: &str = "";

/// The value of one field of a message.
#[derive(Debug, Clone, Copy)]
pub(super) enum Sent<'a> {
    Text(&'a [u8]),
    Choice(i32),
    Integer(u64),
    Dollars(f64),
    Timestamp(i64),
    Json(&'a [u8]),
}

/// Returns the one event of a body, and the text that its spans refer to.
pub fn read_protobuf_event(body: Vec<u8>) -> Result<(String, RawEvent), Failure> {
    check_event(&body).map_err(invalid)?;
    let mut tokens = Tokens::with_capacity(body.len());
    let event = decode_event(body.into(), &mut tokens)?;
    Ok((tokens.finish(), event))
}

/// Returns the events of a body. Events after the first `max_items` are counted but not kept.
pub fn read_protobuf_batch(body: Vec<u8>, max_items: usize) -> Result<RawBatch, Failure> {
    let places = check_batch(&body, max_items).map_err(invalid)?;
    if places.count > max_items {
        return Ok(RawBatch { count: places.count, ..RawBatch::default() });
    }
    let body = Bytes::from(body);
    let mut tokens = Tokens::with_capacity(body.len());
    let events = places.events.into_iter().map(|place| decode_event(body.slice(place), &mut tokens));
    let events = events.collect::<Result<Vec<_>, _>>()?;
    Ok(RawBatch { body: tokens.finish(), events, count: places.count, lines: Vec::new() })
}

fn invalid(fault: Fault) -> Failure {
    refusal(ErrorCode::InvalidProtobuf, fault)
}

fn decode_event(bytes: Bytes, tokens: &mut Tokens) -> Result<RawEvent, Failure> {
    let message = EventMessage::decode(bytes).map_err(|_| Failure::new(ErrorCode::Internal))?;
    let mut event = RawEvent::empty();
    message.visit(|field, sent| event.set(field, token(field, sent, tokens)));
    Ok(event)
}

/// Writes the token of a value. A value that JSON cannot express becomes a token with the same problem (rule FMT-07).
fn token(field: Field, sent: Sent<'_>, tokens: &mut Tokens) -> Span {
    match sent {
        // The check guarantees that the text is UTF-8.
        Sent::Text(text) => tokens.text(std::str::from_utf8(text).unwrap_or_default()),
        // Numbers of words begin at 1; 0 means absent.
        Sent::Choice(0) => Span::ABSENT,
        Sent::Choice(number) => tokens.text(word_of(field, number).unwrap_or(NO_WORD)),
        Sent::Integer(number) => tokens.integer(number),
        Sent::Dollars(number) => tokens.number(number),
        Sent::Timestamp(ms) if is_in_range(ms) => tokens.text(&format_timestamp(ms)),
        Sent::Timestamp(_) => tokens.text(NO_TIME),
        Sent::Json(text) => tokens.metadata(text),
    }
}

fn word_of(field: Field, number: i32) -> Option<&'static str> {
    let FieldKind::Choice(words) = field.spec().kind else { return None };
    words.get(usize::try_from(number).ok()?.checked_sub(1)?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validate::validate_event;

    fn problems(event: &[u8]) -> Vec<String> {
        let minimal = b"\x0a\x01s\x12\x01a\x18\x01".as_slice();
        let (body, raw) = read_protobuf_event([minimal, event].concat()).expect("well-formed");
        let problems = validate_event(&body, &raw, 10_240).err().unwrap_or_default();
        problems.iter().map(|problem| format!("{}: {}", problem.field, problem.message)).collect()
    }

    #[test]
    fn values_that_json_cannot_express_have_the_problems_of_their_fields() {
        let nan = [b"\x79".as_slice(), &f64::NAN.to_le_bytes()].concat();
        let infinite = [b"\x79".as_slice(), &f64::INFINITY.to_le_bytes()].concat();
        let cases = [
            (nan.as_slice(), "cost_usd: must be a non-negative number when provided"),
            (&infinite, "cost_usd: must be at most 1000000"),
            (b"\x20\x04", "status: must be one of: success, error, timeout"),
            (
                b"\x18\x0c",
                "event_type: must be one of: tool_use, session_start, session_end, error, llm_request, llm_response, response, file_change, git_commit, plan_step, user_prompt",
            ),
            (b"\x18\x00", "event_type: must be a string"),
            (
                b"\x58\x80\x80\x80\x80\x80\x80\x80\x10",
                "tokens_in: must be a non-negative integer when provided",
            ),
            (b"\x80\x01\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "client_timestamp: must be a valid timestamp"),
            (b"\x92\x01\x02\xc3\x28", "metadata: must be JSON text"),
            (b"\x92\x01\x01{", "metadata: must be JSON text"),
        ];
        for (event, problem) in cases {
            assert_eq!(problems(event), [problem], "{event:?}");
        }
    }

    #[test]
    fn zeros_and_unknown_fields_count_as_absent() {
        let zero = [b"\x79".as_slice(), &(-0.0_f64).to_le_bytes()].concat();
        for event in [b"\x20\x00".as_slice(), b"\x92\x01\x00", b"\xc2\x3e\x01x", b"\xb0\x01\x05", &zero] {
            assert_eq!(problems(event), Vec::<String>::new(), "{event:?}");
        }
    }
}
