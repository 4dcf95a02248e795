//! Checks one field at a time: its value, or the one problem that is reported for it (rules EVT-01 to EVT-12).
//!
//! Pure. Messages come from the vocabulary.

use crate::contract::{LIMITS, VOCABULARY, fill};
use crate::event::{Event, FieldError, FieldValue, RawEvent, Span, SpanKind, Text};
use crate::field::{Field, FieldKind};
use crate::number::{nanos_from_usd, parse_integer, parse_number};
use crate::text::{decode_token, trim_text};
use crate::timestamp::parse_timestamp;
use crate::truncate::{is_summary, truncate_metadata};

/// The fields of one event, and the problems found so far.
pub(crate) struct Checker<'a> {
    pub(crate) body: &'a str,
    pub(crate) raw: &'a RawEvent,
    pub(crate) problems: Vec<FieldError>,
}

impl<'a> Checker<'a> {
    fn problem<T>(&mut self, field: Field, message: impl Into<String>) -> Option<T> {
        self.problems.push(FieldError { field: field.name(), message: message.into() });
        None
    }

    fn token(&self, span: Span) -> &'a str {
        &self.body[span.start..span.end]
    }

    /// Returns the decoded, untrimmed text of a string and its place.
    fn decoded(&mut self, field: Field, not_a_string: &str) -> Option<Decoded<'a>> {
        let span = self.raw.get(field);
        let escaped = match span.kind {
            SpanKind::String => false,
            SpanKind::EscapedString => true,
            _ => return self.problem(field, not_a_string),
        };
        match decode_token(self.token(span), escaped) {
            Ok(std::borrow::Cow::Borrowed(text)) => Some(Decoded::InBody(text, span.start + 1)),
            Ok(std::borrow::Cow::Owned(text)) => Some(Decoded::Owned(text)),
            Err(_) => self.problem(field, VOCABULARY.field_messages.well_formed),
        }
    }

    /// Returns the value of a field by its rule; `None` when it is absent or has a problem. Metadata has no value
    /// here.
    pub(crate) fn value(&mut self, field: Field) -> Option<FieldValue> {
        match field.spec().kind {
            FieldKind::Text => self.text(field).map(FieldValue::Text),
            FieldKind::Choice(words) => self.choice(field, words).map(FieldValue::Word),
            FieldKind::Integer => self.integer(field).map(FieldValue::Number),
            FieldKind::Dollars => self.dollars(field).map(FieldValue::Number),
            FieldKind::Timestamp => self.timestamp(field).map(FieldValue::Number),
            // The problem is reported here, so that problems keep the order of the fields. `metadata` takes the text
            // later.
            FieldKind::Json if self.raw.get(field).kind == SpanKind::NotJson => {
                self.problem(field, VOCABULARY.field_messages.json_text)
            }
            FieldKind::Json => None,
        }
    }

    fn text(&mut self, field: Field) -> Option<Text> {
        let decoded = self.string(field)?;
        if !trim_text(decoded.text()).is_empty() {
            self.bounded(field, decoded)
        } else if field.spec().is_required {
            self.problem(field, VOCABULARY.field_messages.non_empty)
        } else {
            None
        }
    }

    /// Returns the string of a field; an absent string is a problem only when the field is required.
    fn string(&mut self, field: Field) -> Option<Decoded<'a>> {
        let messages = &VOCABULARY.field_messages;
        if field.spec().is_required {
            self.decoded(field, messages.string)
        } else if self.raw.get(field).is_absent() {
            None
        } else {
            self.decoded(field, messages.string_when_provided)
        }
    }

    fn bounded(&mut self, field: Field, decoded: Decoded<'a>) -> Option<Text> {
        let text = decoded.into_trimmed();
        let limit = field.spec().max_bytes;
        if text.of(self.body).len() > limit {
            let message = fill(VOCABULARY.field_messages.max_bytes, &[("limit", &limit.to_string())]);
            return self.problem(field, message);
        }
        Some(text)
    }

    fn choice(&mut self, field: Field, choices: &'static [&'static str]) -> Option<&'static str> {
        let decoded = self.string(field)?;
        let text = if field.spec().is_trimmed { trim_text(decoded.text()) } else { decoded.text() };
        if text.is_empty() && field.spec().is_required {
            return self.problem(field, VOCABULARY.field_messages.non_empty);
        }
        self.one_of(field, text, choices)
    }

    fn one_of(&mut self, field: Field, text: &str, choices: &'static [&'static str]) -> Option<&'static str> {
        if let Some(known) = choices.iter().find(|choice| **choice == text) {
            return Some(known);
        }
        self.problem(field, fill(VOCABULARY.field_messages.one_of, &[("values", &choices.join(", "))]))
    }

    fn integer(&mut self, field: Field) -> Option<i64> {
        let span = self.raw.get(field);
        if span.is_absent() {
            return None;
        }
        let value = if span.kind == SpanKind::Number { parse_integer(self.token(span)) } else { None };
        value.or_else(|| self.problem(field, VOCABULARY.field_messages.integer))
    }

    fn dollars(&mut self, field: Field) -> Option<i64> {
        let span = self.raw.get(field);
        if span.is_absent() {
            return None;
        }
        let value = if span.kind == SpanKind::Number { parse_number(self.token(span)) } else { f64::NAN };
        if value.is_nan() || value < 0.0 {
            self.problem(field, VOCABULARY.field_messages.number)
        } else if value > LIMITS.max_cost_usd {
            let limit = LIMITS.max_cost_usd.to_string();
            self.problem(field, fill(VOCABULARY.field_messages.max_number, &[("limit", &limit)]))
        } else {
            Some(nanos_from_usd(value))
        }
    }

    fn timestamp(&mut self, field: Field) -> Option<i64> {
        if self.raw.get(field).is_absent() {
            return None;
        }
        let decoded = self.decoded(field, VOCABULARY.field_messages.timestamp_string)?;
        parse_timestamp(decoded.text()).or_else(|| self.problem(field, VOCABULARY.field_messages.timestamp))
    }

    /// Gives an event its metadata, or a summary (rules MET-01, MET-02).
    pub(crate) fn metadata(&self, event: &mut Event, max_bytes: usize) {
        let span = self.raw.get(Field::Metadata);
        if span.is_absent() {
            event.set(Field::Metadata, FieldValue::Text(Text::Owned("{}".into())));
            return;
        }
        event.set(Field::Metadata, FieldValue::Text(Text::Range(span.start, span.end)));
        let text = &self.body[span.start..span.end];
        match truncate_metadata(text, max_bytes) {
            None => event.payload_truncated = is_summary(text),
            Some(summary) => event.summarise(summary),
        }
    }
}

enum Decoded<'a> {
    /// Text in the body, from this byte on.
    InBody(&'a str, usize),
    Owned(String),
}

impl<'a> Decoded<'a> {
    fn text(&self) -> &str {
        match self {
            Decoded::InBody(text, _) => text,
            Decoded::Owned(text) => text,
        }
    }

    fn into_trimmed(self) -> Text {
        match self {
            Decoded::InBody(text, start) => {
                let trimmed = trim_text(text);
                let from = start + (trimmed.as_ptr() as usize - text.as_ptr() as usize);
                Text::Range(from, from + trimmed.len())
            }
            Decoded::Owned(text) => Text::Owned(trim_text(&text).into()),
        }
    }
}
