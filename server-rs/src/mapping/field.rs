//! The values that fields may have (rules EVT-04 to EVT-12).
//!
//! Pure. A value that breaks the rule of its field counts as absent.

use std::borrow::Cow;

use crate::contract::LIMITS;
use crate::event::SpanKind;
use crate::field::{Field, FieldKind};
use crate::mapping::path::Found;
use crate::number::{nanos_from_usd, parse_integer, parse_number};
use crate::text::trim_text;

/// A value that an event may have.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the kinds of values")]
pub enum Valid<'a> {
    Text(Cow<'a, str>),
    Word(&'static str),
    Number(i64),
}

/// Fields that follow from the rule, the name or the record.
const FIXED: [Field; 4] = [Field::EventId, Field::EventType, Field::Source, Field::SourceEvent];

/// Returns a field that a mapping may give.
pub fn field_of(name: &str) -> Option<Field> {
    Field::from_name(name.as_bytes()).filter(|field| {
        !FIXED.contains(field) && !matches!(field.spec().kind, FieldKind::Timestamp | FieldKind::Json)
    })
}

/// Returns the value if an event may have it in that field. With `has_digits` a text of digits is a number.
pub fn field_value<'a>(field: Field, value: Found<'a>, has_digits: bool) -> Option<Valid<'a>> {
    match field.spec().kind {
        FieldKind::Text => text_value(field, value.text()?).map(Valid::Text),
        FieldKind::Choice(words) => {
            let text = value.text()?;
            let word = if field.spec().is_trimmed { trim_text(&text) } else { &text };
            words.iter().find(|known| **known == word).map(|known| Valid::Word(known))
        }
        FieldKind::Integer => whole_of(value, has_digits).map(Valid::Number),
        FieldKind::Dollars => {
            let dollars = number_of(value, has_digits)?;
            (0.0..=LIMITS.max_cost_usd).contains(&dollars).then(|| Valid::Number(nanos_from_usd(dollars)))
        }
        FieldKind::Timestamp | FieldKind::Json => None,
    }
}

/// Returns a whole number from 0 to 2^53-1 (rule EVT-11).
pub fn whole_of(value: Found<'_>, has_digits: bool) -> Option<i64> {
    match value {
        Found::Json(json) if json.kind == SpanKind::Number => parse_integer(json.text),
        Found::Number(number) => parse_integer(&number.to_string()),
        Found::Whole(sum) => i64::try_from(sum).ok().filter(|sum| (0..=most()).contains(sum)),
        Found::Json(_) | Found::Text(_) | Found::List => {
            if has_digits {
                parse_integer(&digits_of(value)?)
            } else {
                None
            }
        }
    }
}

fn number_of(value: Found<'_>, has_digits: bool) -> Option<f64> {
    match value {
        Found::Json(json) if json.kind == SpanKind::Number => Some(parse_number(json.text)),
        Found::Number(number) => Some(number),
        Found::Whole(_) | Found::List => None,
        Found::Json(_) | Found::Text(_) => {
            if has_digits {
                Some(parse_number(&digits_of(value)?))
            } else {
                None
            }
        }
    }
}

fn digits_of(value: Found<'_>) -> Option<Cow<'_, str>> {
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
    value.text().filter(|text| is_digits(text))
}

fn most() -> i64 {
    i64::try_from(LIMITS.max_integer).unwrap_or(i64::MAX)
}

fn text_value(field: Field, text: Cow<'_, str>) -> Option<Cow<'_, str>> {
    let trimmed = match text {
        Cow::Borrowed(text) => Cow::Borrowed(trim_text(text)),
        Cow::Owned(text) if trim_text(&text).len() == text.len() => Cow::Owned(text),
        Cow::Owned(text) => Cow::Owned(trim_text(&text).to_owned()),
    };
    (!trimmed.is_empty() && trimmed.len() <= field.spec().max_bytes).then_some(trimmed)
}
