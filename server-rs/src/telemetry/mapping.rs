//! Turns a record into an event by the mapping of its agent (rules OTL-06 to OTL-09).
//!
//! Pure. Invariant: the size of an event is bounded by its record and by the values that the record shares with others.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::event::{Event, FieldValue, Text};
use crate::field::Field;
use crate::mapping::event_id::{Items, same_id};
use crate::mapping::field::field_value;
use crate::mapping::path::{Found, Json, Source};
use crate::mapping::rule::{Meaning, Rule, first_rule};
use crate::mapping::telemetry::Key;
use crate::mapping::value::{Texts, put_fields, put_value};
use crate::telemetry::agents::{Agent, is_for_children};
use crate::telemetry::counters::Reason;
use crate::telemetry::otlp::Signal;
use crate::telemetry::records::{Group, Record};
use crate::telemetry::values::{Attributes, push_member, text_json};
use crate::validate::default_status;

/// The result of mapping a record.
pub type Mapped = Result<Event, NoEvent>;

/// Why a record is no event.
#[derive(Debug, PartialEq, Eq)]
pub enum NoEvent {
    /// As intended.
    Noise,
    /// For this reason.
    Rejected(Reason),
}

/// The attributes that a request's spans pass to their children, by span id.
#[derive(Debug, Default)]
pub struct Parents {
    spans: HashMap<String, Attributes>,
}

impl Parents {
    /// Records the attributes that children of this span may use.
    pub fn note(&mut self, span: &Record) {
        let Some(id) = &span.span_id else { return };
        for (key, json) in span.attributes.iter().filter(|(key, json)| is_for_children(key, json)) {
            self.spans.entry(id.clone()).or_default().set(key, json.to_owned());
        }
    }
}

/// The source of every event of telemetry.
const SOURCE: &str = "otel";
const NANOS_PER_MS: u64 = 1_000_000;

/// The texts of all events of a request, one after the other.
struct AllTexts<'b>(&'b mut String);

impl Texts for AllTexts<'_> {
    fn put(&mut self, text: Cow<'_, str>) -> Text {
        let start = self.0.len();
        self.0.push_str(&text);
        Text::Range(start, self.0.len())
    }
}

/// A record, read by the mapping of its agent.
struct Reading<'a> {
    agent: &'static Agent,
    record: &'a Record,
    resource: &'a Attributes,
    parents: &'a Parents,
}

/// Maps a record of this agent. The texts of its event are appended to `body`.
pub fn map_record(
    record: &Record,
    group: &Group,
    parents: &Parents,
    agent: &'static Agent,
    body: &mut String,
) -> Mapped {
    let reading = Reading { agent, record, resource: &group.resource, parents };
    let name = reading.name();
    let entries = if record.signal == Signal::Spans { &agent.spec.spans } else { &agent.spec.logs };
    let rule = match first_rule(entries, agent.spec.name.short(&name), &reading) {
        Meaning::Rule(rule) => rule,
        Meaning::Noise => return Err(NoEvent::Noise),
        Meaning::Unknown => return Err(NoEvent::Rejected(Reason::UnknownEvent)),
    };
    let start = body.len();
    reading.event(rule, &name, body).map_err(|reason| {
        body.truncate(start);
        NoEvent::Rejected(reason)
    })
}

impl<'a> Source<'a> for Reading<'a> {
    const HAS_DIGITS: bool = true;

    fn get(&self, key: usize) -> Option<Found<'a>> {
        let id = |id: &'a Option<String>| id.as_deref().map(|id| Found::Text(Cow::Borrowed(id)));
        match &self.agent.spec.keys[key] {
            Key::TraceId => id(&self.record.trace_id),
            Key::SpanId => id(&self.record.span_id),
            Key::ParentSpanId => id(&self.record.parent_span_id),
            key => self.attribute(key).map(|json| Found::Json(Json::printed(json))),
        }
    }
}

impl<'a> Reading<'a> {
    /// Returns the JSON text of an attribute: of the record or its resource, or of the parent span.
    fn attribute(&self, key: &Key) -> Option<&'a str> {
        match key {
            Key::Attribute(name) => self.record.attributes.get(name).or_else(|| self.resource.get(name)),
            Key::Parent(name) => self.parents.spans.get(self.record.parent_span_id.as_deref()?)?.get(name),
            Key::TraceId | Key::SpanId | Key::ParentSpanId => None,
        }
    }

    /// Returns the first text that is not empty; empty without one.
    fn name(&self) -> Cow<'a, str> {
        let is_named = |text: &Cow<'_, str>| !text.is_empty();
        let of_paths = || {
            let paths = self.agent.spec.name.from.iter();
            paths.filter_map(|path| path.value(self)?.text()).find(is_named)
        };
        let own = || self.record.name.as_deref().map(Cow::Borrowed).filter(is_named);
        of_paths().or_else(own).or_else(|| self.body_text()).unwrap_or_default()
    }

    fn body_text(&self) -> Option<Cow<'a, str>> {
        Found::Json(Json::printed(self.record.body.as_deref()?)).text()
    }

    /// Returns the event, or the reason to reject the record.
    fn event(&self, rule: &'static Rule, name: &str, body: &mut String) -> Result<Event, Reason> {
        let spec = self.agent.spec;
        let mut event = Event::empty();
        let mut texts = AllTexts(body);
        event.set(Field::Status, FieldValue::Word(default_status(rule.event_type)));
        put_fields(&mut event, &mut texts, &spec.fields, self);
        put_fields(&mut event, &mut texts, &rule.fields, self);
        if event.text(Field::SessionId, texts.0).is_none() {
            return Err(Reason::NoSession);
        }
        if !self.agent.type_rule.is_some_and(|rule| rule.is_there(self)) {
            let own = FieldValue::Text(texts.put(Cow::Borrowed(&spec.agent_type)));
            event.set(Field::AgentType, own);
        } else if event.text(Field::AgentType, texts.0).is_none() {
            return Err(Reason::Invalid);
        }
        let source_event = Found::Text(spec.name.full(Cow::Borrowed(name)));
        if let Some(value) = field_value(Field::SourceEvent, source_event, false) {
            put_value(&mut event, &mut texts, Field::SourceEvent, value);
        }
        let id = self.event_id(rule, spec.name.short(name), &event, texts.0);
        event.set(Field::EventId, FieldValue::Text(texts.put(Cow::Owned(id))));
        event.set(Field::EventType, FieldValue::Word(rule.event_type));
        event.set(Field::Source, FieldValue::Word(SOURCE));
        self.set_times(&mut event);
        if self.record.has_failed {
            event.set(Field::Status, FieldValue::Word("error"));
        }
        let start = texts.0.len();
        self.push_metadata(spec.name.short(name), texts.0);
        event.set(Field::Metadata, FieldValue::Text(Text::Range(start, texts.0.len())));
        Ok(event)
    }

    /// Sets the time of the record: the start of a span, which has a duration; of a log its time, otherwise its
    /// observed time.
    fn set_times(&self, event: &mut Event) {
        let [first, second] = self.record.times;
        let is_span = self.record.signal == Signal::Spans;
        let mut set = |field, nanos: u64| {
            if let Ok(ms) = i64::try_from(nanos / NANOS_PER_MS) {
                event.set(field, FieldValue::Number(ms));
            }
        };
        if let Some(time) = if is_span { first } else { first.or(second) } {
            set(Field::ClientTimestamp, time);
        }
        if is_span
            && let (Some(start), Some(end)) = (first, second)
            && let Some(nanos) = end.checked_sub(start)
        {
            set(Field::DurationMs, nanos);
        }
    }

    fn event_id(&self, rule: &Rule, name: &str, event: &Event, body: &str) -> String {
        let [agent_type, session_id] =
            [Field::AgentType, Field::SessionId].map(|field| event.text(field, body).unwrap_or_default());
        if let Some(same) = &rule.same
            && let Some(subject) = same.subject(self)
        {
            return same_id(&same.kind, agent_type, session_id, &subject);
        }
        let (record, mut items) = (self.record, Items::default());
        for text in [agent_type, record.signal.name(), name] {
            items.text(Some(text));
        }
        for time in record.times {
            items.text(time.map(|time| itoa::Buffer::new().format(time).to_owned()).as_deref());
        }
        for id in [&record.trace_id, &record.span_id, &record.parent_span_id] {
            items.text(id.as_deref());
        }
        for value in self.agent.spec.id.iter().map(|key| self.get(*key)) {
            match value {
                Some(Found::Json(json)) => items.json(Some(json.text)),
                value => items.text(value.and_then(Found::text).as_deref()),
            }
        }
        items.id()
    }

    /// Appends the JSON text of attributes, body and ids (rule OTL-08).
    fn push_metadata(&self, name: &str, body: &mut String) {
        let record = self.record;
        let is_name = self.body_text().is_some_and(|text| self.agent.spec.name.short(&text) == name);
        let quoted = |text: Option<&str>| text.map(|text| Cow::Owned(text_json(text)));
        let [start, end] = match record.signal {
            Signal::Spans => record.times.map(|time| quoted(time.map(|time| time.to_string()).as_deref())),
            Signal::Logs | Signal::Metrics => [None, None],
        };
        let mut others: [(&str, Option<Cow<'_, str>>); 6] = [
            ("body", record.body.as_deref().filter(|_| !is_name).map(Cow::Borrowed)),
            ("trace_id", quoted(record.trace_id.as_deref())),
            ("span_id", quoted(record.span_id.as_deref())),
            ("parent_span_id", quoted(record.parent_span_id.as_deref())),
            ("start", start),
            ("end", end),
        ];
        body.push('{');
        for (key, json) in record.attributes.iter().filter(|(key, _)| !self.agent.spec.omit.contains(*key)) {
            // The record's own value takes the place of an attribute of its name.
            let own = others.iter_mut().find(|(name, _)| *name == key).and_then(|(_, value)| value.take());
            push_member(body, key, own.as_deref().unwrap_or(json));
        }
        for (key, json) in others {
            if let Some(json) = json {
                push_member(body, key, &json);
            }
        }
        body.push('}');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::telemetry::agents::AGENTS;

    fn record(signal: Signal, attributes: &[(&str, &str)]) -> Record {
        let mut all = Attributes::default();
        for (key, json) in attributes {
            all.set(key, (*json).to_owned());
        }
        Record {
            signal,
            attributes: all,
            name: None,
            body: None,
            times: [None; 2],
            trace_id: None,
            span_id: None,
            parent_span_id: None,
            has_failed: false,
        }
    }

    /// Returns the fields of the event that a record becomes.
    fn map(record: &Record, agent: &str, parents: &Parents) -> Result<serde_json::Value, NoEvent> {
        let agent = AGENTS.iter().find(|known| known.spec.agent_type == agent).expect("an agent");
        let mut body = String::from("earlier");
        let event = map_record(record, &Group::default(), parents, agent, &mut body)?;
        let fields = Field::ALL.into_iter().filter_map(|field| {
            let value = match (field, event.text(field, &body)) {
                (Field::Metadata, Some(json)) => serde_json::from_str(json).expect("JSON"),
                (_, Some(text)) => text.into(),
                (_, None) => event.number(field)?.into(),
            };
            Some((field.name().to_owned(), value))
        });
        Ok(serde_json::Value::Object(fields.collect()))
    }

    #[test]
    fn a_model_request_has_tokens_and_cost() {
        let mut log = record(
            Signal::Logs,
            &[
                ("event.name", r#""api_request""#),
                ("session.id", r#"" s ""#),
                ("user.id", r#""u""#),
                ("input_tokens", r#""0012""#),
                ("output_tokens", "3"),
                ("cache_read_tokens", "-1"),
                ("cost_usd", "0.25"),
                ("duration_ms", "1.5"),
            ],
        );
        log.body = Some(r#""claude_code.api_request""#.to_owned());
        log.times = [None, Some(1_500_000)];
        let event = map(&log, "claude_code", &Parents::default()).expect("an event");
        let expected = serde_json::json!({
            "session_id": "s", "agent_type": "claude_code", "event_type": "llm_response", "status": "success",
            "event_id": event["event_id"], "source_event": "claude_code.api_request", "tokens_in": 12,
            "tokens_out": 3, "cache_read_tokens": 0, "cache_write_tokens": 0, "cache_write_1h_tokens": 0,
            "cost_usd": 250_000_000, "client_timestamp": 1, "source": "otel",
            "metadata": {
                "event.name": "api_request", "session.id": " s ", "input_tokens": "0012", "output_tokens": 3,
                "cache_read_tokens": -1, "cost_usd": 0.25, "duration_ms": 1.5,
            },
        });
        assert_eq!(event, expected);
    }

    #[test]
    fn cached_tokens_are_not_counted_twice() {
        let tokens = |input: &str, cached: &str| {
            let log = record(
                Signal::Logs,
                &[
                    ("event.name", r#""codex.sse_event""#),
                    ("event.kind", r#""response.completed""#),
                    ("conversation.id", r#""c""#),
                    ("input_token_count", input),
                    ("cached_token_count", cached),
                ],
            );
            let event = map(&log, "codex", &Parents::default()).expect("an event");
            event["tokens_in"].clone()
        };
        assert_eq!(tokens(r#""10""#, "4"), 6);
        assert_eq!(tokens("10", r#""40""#), 0);
        assert_eq!(tokens("10", r#""x""#), 10);
        assert_eq!(tokens(r#""ten""#, "4"), 0);
    }

    #[test]
    fn a_span_has_its_duration_and_its_parent_s_attributes() {
        let mut parent = record(
            Signal::Spans,
            &[("session.id", r#""s""#), ("tool_name", r#""Bash""#), ("tool_use_id", r#""t""#)],
        );
        parent.name = Some("claude_code.tool".to_owned());
        parent.span_id = Some("00000000000000aa".to_owned());
        parent.times = [Some(1_000_000), Some(3_999_999)];
        parent.has_failed = true;
        let mut child = record(
            Signal::Spans,
            &[("session.id", r#""s""#), ("decision", r#""accept""#), ("duration_ms", "9")],
        );
        child.name = Some("claude_code.tool.blocked_on_user".to_owned());
        child.parent_span_id = parent.span_id.clone();
        child.times = [Some(5), Some(4)];
        let mut parents = Parents::default();
        parents.note(&parent);
        let [parent, child] =
            [parent, child].map(|span| map(&span, "claude_code", &parents).expect("an event"));
        assert_eq!((&parent["duration_ms"], &parent["status"]), (&2.into(), &"error".into()));
        assert_eq!(parent["metadata"]["end"], "3999999");
        assert_eq!((&child["tool_name"], &child["call_id"]), (&"Bash".into(), &"t".into()));
        assert_eq!((&child["duration_ms"], &child["status"]), (&9.into(), &"success".into()));
    }

    #[test]
    fn a_record_that_is_not_an_event_has_a_reason() {
        let name = ("event.name", r#""api_request""#);
        let table = [
            (vec![("event.name", r#""brand_new""#)], Reason::UnknownEvent),
            (vec![], Reason::UnknownEvent),
            (vec![name], Reason::NoSession),
            (vec![name, ("session.id", r#""  ""#)], Reason::NoSession),
            (vec![name, ("session.id", "7")], Reason::NoSession),
        ];
        for (attributes, reason) in table {
            let mapped = map(&record(Signal::Logs, &attributes), "claude_code", &Parents::default());
            assert_eq!(mapped, Err(NoEvent::Rejected(reason)), "{attributes:?}");
        }
        let noise = record(Signal::Logs, &[("event.name", r#""hook_registered""#)]);
        assert_eq!(map(&noise, "claude_code", &Parents::default()), Err(NoEvent::Noise));
        let chat =
            [("gen_ai.operation.name", r#""chat""#), ("session.id", r#""s""#), ("gen_ai.agent.name", "7")];
        let mapped = map(&record(Signal::Spans, &chat), "gen_ai", &Parents::default());
        assert_eq!(mapped, Err(NoEvent::Rejected(Reason::Invalid)));
    }

    #[test]
    fn records_of_one_call_share_an_id_and_other_records_differ() {
        let id = |sequence: &str, call: Option<&str>| {
            let mut attributes = vec![
                ("event.name", r#""tool_result""#),
                ("session.id", r#""s""#),
                ("event.sequence", sequence),
            ];
            attributes.extend(call.map(|call| ("tool_use_id", call)));
            let event = map(&record(Signal::Logs, &attributes), "claude_code", &Parents::default());
            event.expect("an event")["event_id"].clone()
        };
        assert_eq!(id("1", Some(r#""t""#)), id("2", Some(r#""t""#)));
        assert_ne!(id("1", Some(r#""t""#)), id("1", Some(r#""u""#)));
        assert_eq!(id("1", None), id("1", Some(r#""""#)));
        assert_ne!(id("1", None), id("2", None));
    }
}
