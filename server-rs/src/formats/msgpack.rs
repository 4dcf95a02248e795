//! Reads MessagePack: turns the events of a body into JSON tokens (rules FMT-04 and FMT-05).
//!
//! Invariant: a body is checked before the library decodes it. So an error of the library is an internal error of
//! this server.

use std::fmt;

use rmp_serde::Deserializer;
use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::error::{ErrorCode, Failure};
use crate::event::{RawEvent, Span, SpanKind};
use crate::field::Field;
use crate::formats::batch::RawBatch;
use crate::formats::canonical::Canonical;
use crate::formats::fault::{Fault, refusal};
use crate::formats::msgpack_check::{check_batch, check_event};
use crate::formats::msgpack_walker::is_map;
use crate::formats::tokens::Tokens;

/// Returns the one event of a body, and the text that its spans refer to.
pub fn read_msgpack_event(body: &[u8]) -> Result<(String, RawEvent), Failure> {
    check_event(body).map_err(invalid)?;
    let mut tokens = Tokens::with_capacity(body.len());
    let event = decode_event(body, &mut tokens)?;
    Ok((tokens.finish(), event))
}

/// Returns the events of a body. Events after the first `max_items` are counted but not kept.
pub fn read_msgpack_batch(body: &[u8], max_items: usize) -> Result<RawBatch, Failure> {
    let checked = check_batch(body, max_items).map_err(invalid)?;
    let places = checked.ok_or(Failure::new(ErrorCode::InvalidBatch))?;
    if places.count > max_items {
        return Ok(RawBatch { count: places.count, ..RawBatch::default() });
    }
    let mut tokens = Tokens::with_capacity(body.len());
    let events = places.events.into_iter().map(|place| decode_event(&body[place], &mut tokens));
    let events = events.collect::<Result<Vec<_>, _>>()?;
    Ok(RawBatch { body: tokens.finish(), events, count: places.count, lines: Vec::new() })
}

/// Returns a checked value as JSON text that keeps negative zeros (rule RPC-04).
pub(crate) fn json_of(value: &[u8]) -> Result<String, Failure> {
    let mut out = Vec::with_capacity(value.len());
    let mut library = Deserializer::from_read_ref(value);
    let written = Canonical::to_read_again(&mut out).deserialize(&mut library);
    written.map_err(|_| Failure::new(ErrorCode::Internal))?;
    String::from_utf8(out).map_err(|_| Failure::new(ErrorCode::Internal))
}

fn invalid(fault: Fault) -> Failure {
    refusal(ErrorCode::InvalidMsgpack, fault)
}

fn decode_event(bytes: &[u8], tokens: &mut Tokens) -> Result<RawEvent, Failure> {
    if !bytes.first().copied().is_some_and(is_map) {
        return Ok(RawEvent::not_an_object());
    }
    let mut library = Deserializer::from_read_ref(bytes);
    EventSeed(tokens).deserialize(&mut library).map_err(|_| Failure::new(ErrorCode::Internal))
}

/// Decodes a map of fields into the spans of its tokens.
struct EventSeed<'t>(&'t mut Tokens);

impl<'de> DeserializeSeed<'de> for EventSeed<'_> {
    type Value = RawEvent;

    fn deserialize<D: serde::Deserializer<'de>>(self, library: D) -> Result<RawEvent, D::Error> {
        library.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for EventSeed<'_> {
    type Value = RawEvent;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawEvent, A::Error> {
        let mut event = RawEvent::empty();
        while let Some(key) = map.next_key::<&'de str>()? {
            match Field::from_name(key.as_bytes()) {
                None => drop(map.next_value::<IgnoredAny>()?),
                Some(Field::Metadata) => {
                    event.set(Field::Metadata, map.next_value_seed(TokenSeed::<true>(self.0))?);
                }
                Some(field) => event.set(field, map.next_value_seed(TokenSeed::<false>(self.0))?),
            }
        }
        Ok(event)
    }
}

/// Decodes a value into a token; for a boolean or a container only its kind. Metadata that is a string is JSON text;
/// any other metadata becomes its canonical JSON text (rule FMT-05).
struct TokenSeed<'t, const IS_METADATA: bool>(&'t mut Tokens);

impl<'de, const IS_METADATA: bool> DeserializeSeed<'de> for TokenSeed<'_, IS_METADATA> {
    type Value = Span;

    fn deserialize<D: serde::Deserializer<'de>>(self, library: D) -> Result<Span, D::Error> {
        library.deserialize_any(self)
    }
}

impl<'de, const IS_METADATA: bool> Visitor<'de> for TokenSeed<'_, IS_METADATA> {
    type Value = Span;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E: Error>(self) -> Result<Span, E> {
        Ok(self.0.bare(SpanKind::Null))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Span, E> {
        if IS_METADATA {
            return self.0.canonical(|out| Canonical::new(out).visit_bool(value));
        }
        Ok(self.0.bare(SpanKind::Bool))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Span, E> {
        Ok(self.0.integer(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Span, E> {
        Ok(self.0.integer(value))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Span, E> {
        Ok(self.0.number(value))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Span, E> {
        Ok(if IS_METADATA { self.0.metadata(text.as_bytes()) } else { self.0.text(text) })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Span, A::Error> {
        if IS_METADATA {
            return self.0.canonical(|out| Canonical::new(out).visit_seq(values));
        }
        while values.next_element::<IgnoredAny>()?.is_some() {}
        Ok(self.0.bare(SpanKind::Array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Span, A::Error> {
        if IS_METADATA {
            return self.0.canonical(|out| Canonical::new(out).visit_map(members));
        }
        while members.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(self.0.bare(SpanKind::Object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pack(value: &serde_json::Value) -> Vec<u8> {
        rmp_serde::to_vec(value).expect("a value")
    }

    #[test]
    fn messagepack_values_become_tokens() {
        let event = serde_json::json!({
            "session_id": "a\"\\\n", "tokens_in": 7, "cost_usd": 0.5, "branch": null, "project": [1, {"a": 2}],
            "other": {"a": [1]}, "metadata": " {\"b\" : 1}\n",
        });
        let (body, event) = read_msgpack_event(&pack(&event)).expect("well-formed");
        let token = |field: Field| &body[event.get(field).start..event.get(field).end];
        assert_eq!(token(Field::SessionId), "\"a\"\\\n\"");
        assert_eq!((token(Field::TokensIn), token(Field::CostUsd)), ("7", "0.5"));
        assert_eq!(token(Field::Metadata), "{\"b\" : 1}");
        assert!(event.get(Field::Branch).is_absent());
        assert_eq!(event.get(Field::Project).kind, SpanKind::Array);
    }

    #[test]
    fn metadata_that_is_not_a_string_becomes_canonical_json() {
        let event = serde_json::json!({"metadata": {"b": [1.0, -1, 1.5, true, null], "a\u{1f600}": "\u{1}\"", "a\u{ffff}": {}}});
        let (body, _) = read_msgpack_event(&pack(&event)).expect("well-formed");
        assert_eq!(body, "{\"a\u{1f600}\":\"\\u0001\\\"\",\"a\u{ffff}\":{},\"b\":[1,-1,1.5,true,null]}");
        let twice = [b"\x81\xa8metadata".as_slice(), b"\x83\xa1b\x01\xa1a\x02\xa1b\x03"].concat();
        assert_eq!(read_msgpack_event(&twice).expect("well-formed").0, "{\"a\":2,\"b\":3}");
    }

    #[test]
    fn a_value_that_is_not_a_map_is_not_an_event() {
        for value in
            [serde_json::json!([]), serde_json::json!(1), serde_json::json!("x"), serde_json::json!(null)]
        {
            let (_, event) = read_msgpack_event(&pack(&value)).expect("well-formed");
            assert!(!event.is_object && event.is_json);
        }
        let batch =
            read_msgpack_batch(&pack(&serde_json::json!({"x": 1, "events": [{}, 1]})), 2).expect("a batch");
        assert_eq!(batch.events.iter().map(|event| event.is_object).collect::<Vec<_>>(), [true, false]);
    }
}
