//! Describes an event before it is stored: the places of its fields in a body, their values, and its outcome.
//!
//! Wire names are those of the contract. Text that needs no change stays in the body and is passed as a range; only
//! SQLite copies it.

use crate::contract::vocabulary::{event_type, status};
use crate::field::{Absent, Field};

/// The kind of JSON value that a span holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the kinds of JSON values")]
pub enum SpanKind {
    Absent,
    Null,
    Bool,
    Number,
    String,
    /// A string with at least one escape.
    EscapedString,
    Object,
    Array,
    /// Text that should be JSON but is not (rule FMT-05).
    NotJson,
}

/// The place of a JSON value in a body: bytes from `start` up to `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "said above")]
pub struct Span {
    pub start: usize,
    pub end: usize,
    pub kind: SpanKind,
}

impl Span {
    /// The span of an absent value.
    pub const ABSENT: Span = Span { start: 0, end: 0, kind: SpanKind::Absent };

    /// Returns whether the value is absent; `null` counts as absent (rule EVT-10).
    pub fn is_absent(self) -> bool {
        matches!(self.kind, SpanKind::Absent | SpanKind::Null)
    }
}

/// The spans of an event in a body, before validation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawEvent {
    /// Whether it is a JSON object (rule EVT-14).
    pub is_object: bool,
    /// Whether it is JSON (rule FMT-02).
    pub is_json: bool,
    spans: [Span; Field::COUNT],
}

impl RawEvent {
    /// Returns an object without fields.
    pub fn empty() -> Self {
        Self { is_object: true, is_json: true, spans: [Span::ABSENT; Field::COUNT] }
    }

    /// Returns an item that is JSON but not an object.
    pub fn not_an_object() -> Self {
        Self { is_object: false, ..Self::empty() }
    }

    /// Returns a line that is not JSON.
    pub fn not_json() -> Self {
        Self { is_json: false, ..Self::not_an_object() }
    }

    /// Returns the span of a field.
    pub fn get(&self, field: Field) -> Span {
        self.spans[field as usize]
    }

    /// Sets the span of a field; a later span replaces an earlier one.
    pub fn set(&mut self, field: Field, span: Span) {
        self.spans[field as usize] = span;
    }
}

/// Text of an event: a range of the body, or the result of decoding its escapes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Text {
    /// Bytes from the first up to the second position.
    Range(usize, usize),
    /// Text that differs from the body's bytes.
    Owned(Box<str>),
}

impl Text {
    /// Returns the text; `body` is the body that a range refers to.
    pub fn of<'a>(&'a self, body: &'a str) -> &'a str {
        match self {
            Text::Range(start, end) => &body[*start..*end],
            Text::Owned(text) => text,
        }
    }
}

/// The normalised value of one field.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldValue {
    /// No value; null in a row.
    Absent,
    /// A range of the body, or text of its own.
    Text(Text),
    /// A word of the vocabulary.
    Word(&'static str),
    /// A whole number: a count, milliseconds, nano-dollars or Unix milliseconds.
    Number(i64),
}

/// A valid, normalised event (rules EVT-01 to EVT-12, MET-02): one value per field.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    values: [FieldValue; Field::COUNT],
    /// Whether the metadata is a summary.
    pub payload_truncated: bool,
    /// The whole metadata, where this server made the summary and keeps the text (rule MET-04).
    pub whole: Option<Text>,
    /// The same text as it is stored, once it is compressed.
    pub frame: Option<Box<[u8]>>,
    /// The effect on waits: an index into [`crate::waits::WAIT_CHANGES`].
    pub wait: usize,
}

impl Event {
    /// Creates an event whose fields have their absent values.
    pub fn empty() -> Self {
        let values = Field::ALL.map(|field| match field.spec().absent {
            Absent::Null => FieldValue::Absent,
            Absent::Number(number) => FieldValue::Number(number),
            Absent::Word(word) => FieldValue::Word(word),
        });
        Self { values, payload_truncated: false, whole: None, frame: None, wait: 0 }
    }

    /// Gives a field its value.
    pub fn set(&mut self, field: Field, value: FieldValue) {
        self.values[field as usize] = value;
    }

    /// Gives the event a summary, and keeps its metadata as the whole text.
    pub fn summarise(&mut self, summary: String) {
        let summary = FieldValue::Text(Text::Owned(summary.into_boxed_str()));
        let metadata = std::mem::replace(&mut self.values[Field::Metadata as usize], summary);
        if let FieldValue::Text(text) = metadata {
            self.whole = Some(text);
        }
        self.payload_truncated = true;
    }

    /// Returns a copy of the event as a step, which counts no call, no prompt and no error (rule HOK-04).
    pub fn to_step(&self) -> Self {
        let mut step = self.clone();
        step.set(Field::EventType, FieldValue::Word(event_type::PLAN_STEP));
        step.set(Field::Status, FieldValue::Word(status::SUCCESS));
        step
    }

    /// Returns the text or the word of a field; `body` is the body that ranges refer to.
    pub fn text<'a>(&'a self, field: Field, body: &'a str) -> Option<&'a str> {
        match &self.values[field as usize] {
            FieldValue::Text(text) => Some(text.of(body)),
            FieldValue::Word(word) => Some(word),
            FieldValue::Absent | FieldValue::Number(_) => None,
        }
    }

    /// Returns the word of a field with a fixed list of words.
    pub fn word(&self, field: Field) -> Option<&'static str> {
        if let FieldValue::Word(word) = &self.values[field as usize] { Some(word) } else { None }
    }

    /// Returns whether a field has the value of an event without it.
    pub fn is_absent(&self, field: Field) -> bool {
        match (&self.values[field as usize], field.spec().absent) {
            (FieldValue::Absent, Absent::Null) => true,
            (FieldValue::Number(number), Absent::Number(absent)) => *number == absent,
            _ => false,
        }
    }

    /// Returns the number of a field.
    pub fn number(&self, field: Field) -> Option<i64> {
        if let FieldValue::Number(number) = self.values[field as usize] { Some(number) } else { None }
    }
}

/// A problem of one field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldError {
    /// The field's name, or `body` for an item that is not an object.
    pub field: &'static str,
    /// A message of the vocabulary.
    pub message: String,
}

/// The result of one event of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Stored under this id.
    Stored(i64),
    /// Its `event_id` was already accepted.
    Duplicate,
    /// Invalid, with its problems.
    Rejected(Vec<FieldError>),
}

/// The results of a batch's events, in their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcomes {
    /// One per event.
    pub events: Vec<Outcome>,
    /// The line of each event, from 1; empty for a format without lines.
    pub lines: Vec<usize>,
}
