//! Describes an event on its way in: where its fields are in a body, their values, and its outcome.
//!
//! Wire names are those of the contract. Text that needs no change stays where it is, in the body, and is
//! carried as a range; nothing is copied until SQLite takes it.

/// The fields of an event as sent, in the order in which their problems are reported (contract, "An event as sent").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the field of its name")]
pub enum Field {
    SessionId,
    AgentType,
    EventType,
    Status,
    EventId,
    ToolName,
    Branch,
    Project,
    Model,
    DurationMs,
    TokensIn,
    TokensOut,
    CacheReadTokens,
    CacheWriteTokens,
    CostUsd,
    ClientTimestamp,
    Source,
    Metadata,
}

const NAMES: [(Field, &str); 18] = [
    (Field::SessionId, "session_id"),
    (Field::AgentType, "agent_type"),
    (Field::EventType, "event_type"),
    (Field::Status, "status"),
    (Field::EventId, "event_id"),
    (Field::ToolName, "tool_name"),
    (Field::Branch, "branch"),
    (Field::Project, "project"),
    (Field::Model, "model"),
    (Field::DurationMs, "duration_ms"),
    (Field::TokensIn, "tokens_in"),
    (Field::TokensOut, "tokens_out"),
    (Field::CacheReadTokens, "cache_read_tokens"),
    (Field::CacheWriteTokens, "cache_write_tokens"),
    (Field::CostUsd, "cost_usd"),
    (Field::ClientTimestamp, "client_timestamp"),
    (Field::Source, "source"),
    (Field::Metadata, "metadata"),
];

impl Field {
    /// How many there are.
    pub const COUNT: usize = NAMES.len();

    /// The field of this name. By length and bytes at once: most of a body's keys are looked up here.
    pub fn from_name(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"session_id" => Field::SessionId,
            b"agent_type" => Field::AgentType,
            b"event_type" => Field::EventType,
            b"status" => Field::Status,
            b"event_id" => Field::EventId,
            b"tool_name" => Field::ToolName,
            b"branch" => Field::Branch,
            b"project" => Field::Project,
            b"model" => Field::Model,
            b"duration_ms" => Field::DurationMs,
            b"tokens_in" => Field::TokensIn,
            b"tokens_out" => Field::TokensOut,
            b"cache_read_tokens" => Field::CacheReadTokens,
            b"cache_write_tokens" => Field::CacheWriteTokens,
            b"cost_usd" => Field::CostUsd,
            b"client_timestamp" => Field::ClientTimestamp,
            b"source" => Field::Source,
            b"metadata" => Field::Metadata,
            _ => return None,
        })
    }

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        NAMES[self as usize].1
    }
}

/// What kind of JSON value a span holds.
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
}

/// A JSON value's place in a body: bytes from `start` up to `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "said above")]
pub struct Span {
    pub start: usize,
    pub end: usize,
    pub kind: SpanKind,
}

impl Span {
    /// No value at all.
    pub const ABSENT: Span = Span { start: 0, end: 0, kind: SpanKind::Absent };

    /// `null` counts as absent (rule EVT-10).
    pub fn is_absent(self) -> bool {
        matches!(self.kind, SpanKind::Absent | SpanKind::Null)
    }
}

/// An event as it lies in a body, unchecked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawEvent {
    /// Rule EVT-14.
    pub is_object: bool,
    spans: [Span; NAMES.len()],
}

impl RawEvent {
    /// An object without fields.
    pub fn empty() -> Self {
        Self { is_object: true, spans: [Span::ABSENT; NAMES.len()] }
    }

    /// JSON, but no object.
    pub fn not_an_object() -> Self {
        Self { is_object: false, ..Self::empty() }
    }

    /// Where a field lies.
    pub fn get(&self, field: Field) -> Span {
        self.spans[field as usize]
    }

    /// Notes where a field lies; a later one replaces an earlier one.
    pub fn set(&mut self, field: Field, span: Span) {
        self.spans[field as usize] = span;
    }
}

/// Text of an event: a range of the body, or what decoding its escapes made of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Text {
    /// Bytes from the first up to the second.
    Range(usize, usize),
    /// Text that does not stand in the body as it is.
    Owned(Box<str>),
}

impl Text {
    /// The text, given the body that it may lie in.
    pub fn of<'a>(&'a self, body: &'a str) -> &'a str {
        match self {
            Text::Range(start, end) => &body[*start..*end],
            Text::Owned(text) => text,
        }
    }
}

/// A valid event, normalised (rules EVT-01 to EVT-12, MET-02).
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the fields of the contract")]
pub struct Event {
    pub session_id: Text,
    pub agent_type: Text,
    pub event_type: &'static str,
    pub status: &'static str,
    pub source: &'static str,
    pub event_id: Option<Text>,
    pub tool_name: Option<Text>,
    pub branch: Option<Text>,
    pub project: Option<Text>,
    pub model: Option<Text>,
    pub duration_ms: Option<i64>,
    pub tokens_in: i64,
    pub tokens_out: i64,
    pub cache_read_tokens: i64,
    pub cache_write_tokens: i64,
    /// Nano-dollars.
    pub cost_nanos: Option<i64>,
    /// Unix milliseconds.
    pub client_timestamp: Option<i64>,
    pub metadata: Text,
    pub payload_truncated: bool,
}

/// What is wrong with one field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldError {
    /// The field's name, or `body` for an item that is no object.
    pub field: &'static str,
    /// A message of the vocabulary.
    pub message: String,
}

/// What became of one event of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Stored under this id.
    Stored(i64),
    /// Its `event_id` was accepted before.
    Duplicate,
    /// Invalid, for these reasons.
    Rejected(Vec<FieldError>),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_is_found_by_its_name() {
        for (field, name) in NAMES {
            assert_eq!(Field::from_name(name.as_bytes()), Some(field));
            assert_eq!(field.name(), name);
        }
        assert_eq!(Field::from_name(b"session"), None);
    }
}
