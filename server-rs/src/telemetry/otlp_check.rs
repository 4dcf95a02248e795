//! Checks a Protobuf request before reading it (rules FMT-06 and OTL-03).
//!
//! Invariant: the check allocates nothing, whatever the body declares. A body that passes is well-formed to its last
//! byte.

use crate::contract::LIMITS;
use crate::formats::fault::{Fault, check_utf8};
use crate::formats::protobuf_check::{Walker, WireForm};
use crate::telemetry::otlp::{Kind, Message, message_at};

/// Checks a body that is one message of this type.
pub fn check_message(body: &[u8], message: &'static Message) -> Result<(), Fault> {
    check_nested(body, message, 1)
}

/// Checks a nested message; `depth` counts the message itself.
fn check_nested(bytes: &[u8], message: &'static Message, depth: usize) -> Result<(), Fault> {
    if depth > LIMITS.json_depth {
        return Err(Fault::Depth);
    }
    let mut walker = Walker::new(bytes);
    while !walker.is_done() {
        let mut found = None;
        let value = walker.field(|number| {
            found = message.fields.iter().find(|field| field.number == number);
            found.map(|field| field.kind.wire_form())
        })?;
        match (value, found.map(|field| field.kind)) {
            (Some((WireForm::Text, text)), _) => check_utf8(text)?,
            (Some((_, inner)), Some(Kind::Message(place))) => {
                check_nested(inner, message_at(place), depth + 1)?;
            }
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::tests::bytes;
    use crate::telemetry::otlp::message_of;

    fn check(name: &str, body: &[u8]) -> Result<(), Fault> {
        check_message(body, message_of(name).expect("a message"))
    }

    #[test]
    fn the_check_names_the_first_broken_rule_at_any_depth() {
        let cases = [
            ("0a", Fault::Truncated),
            ("0a05", Fault::Truncated),
            ("0801", Fault::FieldType),
            ("0a021205", Fault::Truncated),
            ("0a0412020800", Fault::FieldType),
            ("0a06120412020800", Fault::FieldType),
            ("0a0712051203620180", Fault::Utf8),
            ("0a0212000f", Fault::WireType),
            ("0a02120002", Fault::Field),
        ];
        for (hex, fault) in cases {
            assert_eq!(check("LogsRequest", &bytes(hex)), Err(fault), "{hex}");
        }
        for hex in ["", "0a00", "0a021200", "0a0812061204620261ff", "f2070161"] {
            let expected = if hex.ends_with("ff") { Err(Fault::Utf8) } else { Ok(()) };
            assert_eq!(check("LogsRequest", &bytes(hex)), expected, "{hex}");
        }
    }

    #[test]
    fn messages_may_nest_128_levels_and_no_more() {
        // A nested array is two messages deeper.
        let nested = |messages: usize| {
            let mut body = Vec::new();
            for level in 0..messages - 1 {
                let tag = if (messages - level).is_multiple_of(2) { 0x2a } else { 0x0a };
                let mut outer = vec![tag];
                let mut length = body.len();
                while length > 0x7f {
                    outer.push((length & 0x7f) as u8 | 0x80);
                    length >>= 7;
                }
                outer.push(length as u8);
                outer.extend_from_slice(&body);
                body = outer;
            }
            body
        };
        assert_eq!(check("AnyValue", &nested(128)), Ok(()));
        assert_eq!(check("AnyValue", &nested(129)), Err(Fault::Depth));
    }
}
