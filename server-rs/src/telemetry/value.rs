//! Holds one value of an OTLP message, in JSON or Protobuf, and reads it by its type (rules OTL-02 and OTL-03).
//!
//! A value of another type than requested is absent.

use std::borrow::Cow;

use crate::contract::LIMITS;
use crate::event::SpanKind;
use crate::number::parse_number;
use crate::telemetry::message::{Form, Node};
use crate::telemetry::otlp::{Kind, OtlpField, message_at};
use crate::text::{decode_token, hex_value};

/// Largest number of digits of a 64-bit integer.
const MOST_DIGITS: usize = 20;

/// One value of a field.
#[derive(Debug, Clone, Copy)]
pub(super) enum Raw<'a> {
    Json(&'a str, SpanKind),
    Varint(u64),
    Fixed(u64),
    Bytes(&'a [u8]),
}

/// One present field of a message.
#[derive(Clone, Copy)]
pub struct Value<'a> {
    /// The field.
    pub field: &'static OtlpField,
    pub(super) raw: Raw<'a>,
}

impl<'a> Value<'a> {
    /// Creates a value in JSON.
    pub(super) fn of_json(field: &'static OtlpField, text: &'a str, kind: SpanKind) -> Self {
        Self { field, raw: Raw::Json(text, kind) }
    }

    /// Returns the text of a JSON list.
    pub(super) fn json_list(self) -> Option<&'a str> {
        if let Raw::Json(text, SpanKind::Array) = self.raw { Some(text) } else { None }
    }

    /// Returns the message.
    pub fn node(self) -> Option<Node<'a>> {
        let Kind::Message(place) = self.field.kind else { return None };
        let form = match self.raw {
            Raw::Json(text, SpanKind::Object) => Form::Json(text),
            Raw::Bytes(bytes) => Form::Protobuf(bytes),
            Raw::Json(..) | Raw::Varint(_) | Raw::Fixed(_) => return None,
        };
        Some(Node { form, message: message_at(place) })
    }

    /// Returns a well-formed text.
    pub fn text(self) -> Option<Cow<'a, str>> {
        match self.raw {
            Raw::Json(token, SpanKind::String) => decode_token(token, false).ok(),
            Raw::Json(token, SpanKind::EscapedString) => decode_token(token, true).ok(),
            Raw::Bytes(bytes) => {
                std::str::from_utf8(bytes).ok().filter(|text| !text.contains('\0')).map(Cow::Borrowed)
            }
            Raw::Json(..) | Raw::Varint(_) | Raw::Fixed(_) => None,
        }
    }

    /// Returns the bytes of a Protobuf value.
    pub fn bytes(self) -> Option<&'a [u8]> {
        if let Raw::Bytes(bytes) = self.raw { Some(bytes) } else { None }
    }

    /// Returns a boolean.
    pub fn bool(self) -> Option<bool> {
        match self.raw {
            Raw::Json(text, SpanKind::Bool) => Some(text == "true"),
            Raw::Varint(value) => Some(value != 0),
            Raw::Json(..) | Raw::Fixed(_) | Raw::Bytes(_) => None,
        }
    }

    /// Returns an unsigned number above 0: a time. A JSON number counts as the integer value of its double.
    pub fn time(self) -> Option<u64> {
        let time = match self.raw {
            Raw::Fixed(time) => time,
            Raw::Json(text, SpanKind::Number) => time_of(parse_number(text))?,
            Raw::Json(text, kind) => u64::try_from(whole(text, kind)?).ok()?,
            Raw::Varint(_) | Raw::Bytes(_) => return None,
        };
        (time > 0).then_some(time)
    }

    /// Returns the number of an enum value.
    pub fn code(self) -> Option<u64> {
        match self.raw {
            Raw::Varint(code) => Some(code),
            Raw::Json(text, SpanKind::Number) => u64::try_from(whole(text, SpanKind::Number)?).ok(),
            Raw::Json(..) | Raw::Fixed(_) | Raw::Bytes(_) => None,
        }
    }

    /// Returns an id in lower-case hexadecimal; `None` for another length or all zeros.
    pub fn id(self) -> Option<String> {
        let Kind::Id(length) = self.field.kind else { return None };
        let id = match self.raw {
            Raw::Bytes(bytes) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
            _ => self.text()?.to_ascii_lowercase(),
        };
        let is_id = id.len() == 2 * length && id.bytes().all(|digit| hex_value(digit).is_some());
        (is_id && id.bytes().any(|digit| digit != b'0')).then_some(id)
    }

    /// Returns a signed 64-bit number.
    pub fn integer(self) -> Option<i64> {
        match self.raw {
            Raw::Varint(value) => Some(value.cast_signed()),
            Raw::Json(text, kind) => i64::try_from(whole(text, kind)?).ok(),
            Raw::Fixed(_) | Raw::Bytes(_) => None,
        }
    }

    /// Returns a double, which may not be finite.
    pub fn double(self) -> Option<f64> {
        match self.raw {
            Raw::Fixed(bits) => Some(f64::from_bits(bits)),
            Raw::Json(text, SpanKind::Number) => Some(parse_number(text)),
            Raw::Json(..) => matches!(&*self.text()?, "NaN" | "Infinity" | "-Infinity").then_some(f64::NAN),
            Raw::Varint(_) | Raw::Bytes(_) => None,
        }
    }
}

/// Returns a whole number in JSON: a number of at most 2^53-1, or a text of digits.
fn whole(token: &str, kind: SpanKind) -> Option<i128> {
    if kind == SpanKind::Number {
        let value = parse_number(token);
        #[expect(clippy::cast_precision_loss, reason = "2^53-1 is a double")]
        let is_exact = value.fract() == 0.0 && value.abs() <= LIMITS.max_integer as f64;
        #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and below 2^53")]
        return is_exact.then_some(value as i128);
    }
    if !matches!(kind, SpanKind::String | SpanKind::EscapedString) {
        return None;
    }
    let text = decode_token(token, kind == SpanKind::EscapedString).ok()?;
    let digits = text.strip_prefix('-').unwrap_or(&text);
    let is_plain =
        (1..=MOST_DIGITS).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_digit());
    is_plain.then(|| text.parse().ok()).flatten()
}

/// Returns the time of a double; `None` for a fraction, and for a value above 64 bits.
fn time_of(value: f64) -> Option<u64> {
    const END: f64 = 18_446_744_073_709_551_616.0;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked to be whole, not negative and below 2^64"
    )]
    (value.fract() == 0.0 && (0.0..END).contains(&value)).then_some(value as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::telemetry::otlp::message_of;

    #[test]
    fn a_time_is_a_text_of_digits_or_a_double() {
        let field = &message_of("LogRecord").expect("a message").fields[0];
        let time = |text: &str| {
            let kind = if text.starts_with('"') { SpanKind::String } else { SpanKind::Number };
            Value::of_json(field, text, kind).time()
        };
        assert_eq!(time("18446744073709549568"), Some(18_446_744_073_709_549_568));
        assert_eq!(time("1e3"), Some(1000));
        assert_eq!(time(r#""18446744073709551615""#), Some(u64::MAX));
        for none in
            ["18446744073709551616", "1.5", "-1", "0", r#""18446744073709551616""#, r#""0""#, r#""1e3""#]
        {
            assert_eq!(time(none), None, "{none}");
        }
    }
}
