//! Turns a record into an event, as its agent's file defines it (rules OTL-06 to OTL-09).
//!
//! Pure. Invariant: the record and the values that it shares with others bound the size of its event.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::contract::LIMITS;
use crate::field::{Field, FieldKind};
use crate::number::{parse_integer, parse_number, print_number};
use crate::telemetry::agents::{Agent, Entry, Key, Meaning, Source, is_for_children};
use crate::telemetry::counters::Reason;
use crate::telemetry::event_id::hashed_id;
use crate::telemetry::otlp::Signal;
use crate::telemetry::records::{Group, Record};
use crate::telemetry::values::{Attributes, plain_text, string_of, text_json};
use crate::text::trim_text;
use crate::timestamp::format_timestamp;

/// The result of mapping a record.
#[derive(Debug, PartialEq, Eq)]
pub enum Mapped {
    /// The JSON text of an event, on one line.
    Event(String),
    /// No event, as intended.
    Noise,
    /// No event, for this reason.
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

/// A record with the further sources of its keys.
struct View<'a> {
    record: &'a Record,
    resource: &'a Attributes,
    parents: &'a Parents,
}

impl<'a> View<'a> {
    /// Returns the JSON text of a key's value.
    fn get(&self, key: Key) -> Option<Cow<'a, str>> {
        let record = self.record;
        let id = |id: &'a Option<String>| id.as_deref().map(|id| Cow::Owned(text_json(id)));
        match key {
            Key::Attribute(name) => {
                record.attributes.get(name).or_else(|| self.resource.get(name)).map(Cow::Borrowed)
            }
            Key::Parent(name) => {
                let parent = self.parents.spans.get(record.parent_span_id.as_deref()?)?;
                parent.get(name).map(Cow::Borrowed)
            }
            Key::TraceId => id(&record.trace_id),
            Key::SpanId => id(&record.span_id),
            Key::ParentSpanId => id(&record.parent_span_id),
        }
    }

    fn first(&self, keys: &[Key]) -> Option<Cow<'a, str>> {
        keys.iter().find_map(|key| self.get(*key))
    }

    /// Returns the text of a key's value, of any type.
    fn text(&self, key: Key) -> Option<String> {
        self.get(key).map(|json| plain_text(&json))
    }

    /// Returns the record's name without the prefix; empty when it has none.
    fn name(&self, agent: &Agent) -> String {
        let is_named = |text: &String| !text.is_empty();
        let string = |json: &str| string_of(json).filter(is_named);
        let of_keys = agent.name_keys.iter().find_map(|key| string(&self.get(*key)?));
        let own = || self.record.name.clone().filter(is_named);
        let of_body = || string(self.record.body.as_deref()?);
        let name = of_keys.or_else(own).or_else(of_body).unwrap_or_default();
        agent.short_name(&name).to_owned()
    }

    /// Returns the whole milliseconds from the start of a span to its end.
    fn duration_ms(&self) -> Option<u64> {
        let [Some(start), Some(end)] = self.record.times else { return None };
        (self.record.signal == Signal::Spans).then(|| Some(end.checked_sub(start)? / NANOS_PER_MS)).flatten()
    }

    /// Returns the time of the record: the start of a span; for a log its time, otherwise its observed time.
    fn timestamp(&self) -> Option<String> {
        let [first, second] = self.record.times;
        let time = if self.record.signal == Signal::Spans { first } else { first.or(second) };
        Some(format_timestamp(i64::try_from(time? / NANOS_PER_MS).ok()?))
    }
}

/// Maps a record of this agent.
pub fn map_record(record: &Record, group: &Group, parents: &Parents, agent: &Agent) -> Mapped {
    let view = View { record, resource: &group.resource, parents };
    let name = view.name(agent);
    match agent.entry_of(record.signal, &name, |key| view.text(key)) {
        None => Mapped::Rejected(Reason::UnknownEvent),
        Some(Entry::Noise) => Mapped::Noise,
        Some(Entry::Event(meaning)) => match event_json(&view, agent, meaning, &name) {
            Ok(json) => Mapped::Event(json),
            Err(reason) => Mapped::Rejected(reason),
        },
    }
}

fn event_json(view: &View<'_>, agent: &Agent, meaning: &Meaning, name: &str) -> Result<String, Reason> {
    let mut event = Attributes::default();
    for source in agent.fields.iter().chain(&meaning.fields) {
        if let Some(first) = view.first(&source.keys) {
            // An invalid value replaces an earlier one, and the field is absent.
            let value = field_value(view, source, &first);
            event.set(source.field.name(), value.unwrap_or_else(|| "null".to_owned()));
        }
    }
    let session_id = event.get(Field::SessionId.name()).and_then(string_of).ok_or(Reason::NoSession)?;
    let agent_type = match view.first(&agent.agent_type_keys) {
        Some(json) => field_text(Field::AgentType, &json).ok_or(Reason::Invalid)?,
        None => agent.agent_type.to_owned(),
    };
    let has_error = meaning
        .status
        .as_ref()
        .is_some_and(|rule| view.text(rule.key).is_some_and(|text| rule.is_error(&text)));
    let mut set = |field: Field, text: &str| event.set(field.name(), text_json(text));
    set(Field::AgentType, &agent_type);
    set(Field::EventType, meaning.event_type);
    set(Field::Source, SOURCE);
    set(Field::SourceEvent, &format!("{}{name}", agent.name_prefix));
    set(Field::EventId, &event_id(view, agent, meaning, name, [&agent_type, &session_id]));
    if has_error || view.record.has_failed {
        set(Field::Status, "error");
    }
    if let Some(time) = view.timestamp() {
        set(Field::ClientTimestamp, &time);
    }
    if let Some(duration) = view.duration_ms() {
        event.set(Field::DurationMs.name(), duration.to_string());
    }
    event.set(Field::Metadata.name(), metadata(view.record, agent, name));
    Ok(event.json())
}

/// Returns the value of a field by its rule, as JSON text.
fn field_value(view: &View<'_>, source: &Source, first: &str) -> Option<String> {
    match source.field.spec().kind {
        FieldKind::Text => Some(text_json(&field_text(source.field, first)?)),
        FieldKind::Dollars => {
            let mut json = Vec::new();
            print_number(
                &mut json,
                Some(parse_number(&number_of(first)?)).filter(|dollars| dollars.is_finite())?,
            );
            String::from_utf8(json).ok()
        }
        FieldKind::Integer => {
            let integer = |json: &str| parse_integer(&number_of(json)?).map(i128::from);
            let sum =
                |keys: &[Key]| -> i128 { keys.iter().filter_map(|key| integer(&view.get(*key)?)).sum() };
            let value = (integer(first)? + sum(&source.plus) - sum(&source.less)).max(0);
            (value <= i128::from(LIMITS.max_integer)).then(|| value.to_string())
        }
        FieldKind::Choice(_) | FieldKind::Timestamp | FieldKind::Json => None,
    }
}

/// Returns the trimmed text of a field; `None` when it breaks rule EVT-12.
fn field_text(field: Field, json: &str) -> Option<String> {
    let text = string_of(json)?;
    let trimmed = trim_text(&text);
    (!trimmed.is_empty() && trimmed.len() <= field.spec().max_bytes).then(|| trimmed.to_owned())
}

/// Returns the number of a JSON text; a text of digits counts as a number.
fn number_of(json: &str) -> Option<Cow<'_, str>> {
    if json.starts_with(|first: char| first == '-' || first.is_ascii_digit()) {
        return Some(Cow::Borrowed(json));
    }
    let text = string_of(json)?;
    let is_digits = !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
    is_digits.then_some(Cow::Owned(text))
}

fn event_id(view: &View<'_>, agent: &Agent, meaning: &Meaning, name: &str, owner: [&str; 2]) -> String {
    let [agent_type, session_id] = owner;
    if let Some(same) = &meaning.same
        && let Some(value) = view.get(Key::read(same.key)).and_then(|json| string_of(&json))
        && !value.is_empty()
    {
        return same.id(agent_type, session_id, &value);
    }
    let record = view.record;
    let text = |text: &str| Some(text_json(text));
    let mut items = vec![text(agent_type), text(record.signal.name()), text(name)];
    items.extend(record.times.map(|time| time.map(|time| text_json(&time.to_string()))));
    items
        .extend([Key::TraceId, Key::SpanId, Key::ParentSpanId].map(|key| view.get(key).map(Cow::into_owned)));
    items.extend(agent.event_id.iter().map(|key| view.get(*key).map(Cow::into_owned)));
    hashed_id(&items)
}

/// Returns the JSON text of the record's contents (rule OTL-08).
fn metadata(record: &Record, agent: &Agent, name: &str) -> String {
    let mut all = Attributes::default();
    for (key, json) in record.attributes.iter().filter(|(key, _)| !agent.dropped_keys.contains(key)) {
        all.set(key, json.to_owned());
    }
    if let Some(body) = &record.body
        && string_of(body).is_none_or(|text| agent.short_name(&text) != name)
    {
        all.set("body", body.clone());
    }
    let ids = [
        ("trace_id", &record.trace_id),
        ("span_id", &record.span_id),
        ("parent_span_id", &record.parent_span_id),
    ];
    for (key, id) in ids {
        if let Some(id) = id {
            all.set(key, text_json(id));
        }
    }
    if record.signal == Signal::Spans {
        for (key, time) in ["start", "end"].into_iter().zip(record.times) {
            if let Some(time) = time {
                all.set(key, text_json(&time.to_string()));
            }
        }
    }
    all.json()
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

    fn map(record: &Record, agent: &str, parents: &Parents) -> Result<serde_json::Value, Mapped> {
        let agent = AGENTS.iter().find(|known| known.agent_type == agent).expect("an agent");
        match map_record(record, &Group::default(), parents, agent) {
            Mapped::Event(json) => Ok(serde_json::from_str(&json).expect("JSON")),
            other => Err(other),
        }
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
            "session_id": "s", "agent_type": "claude_code", "event_type": "llm_response", "source": "otel",
            "source_event": "claude_code.api_request", "event_id": event["event_id"],
            "client_timestamp": "1970-01-01T00:00:00.001Z", "duration_ms": null, "tokens_in": 12, "tokens_out": 3,
            "cache_read_tokens": null, "cost_usd": 0.25,
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
        assert_eq!(tokens(r#""ten""#, "4"), serde_json::Value::Null);
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
        assert_eq!((&child["duration_ms"], &child["status"]), (&9.into(), &serde_json::Value::Null));
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
            assert_eq!(mapped, Err(Mapped::Rejected(reason)), "{attributes:?}");
        }
        let noise = record(Signal::Logs, &[("event.name", r#""hook_registered""#)]);
        assert_eq!(map(&noise, "claude_code", &Parents::default()), Err(Mapped::Noise));
        let chat =
            [("gen_ai.operation.name", r#""chat""#), ("session.id", r#""s""#), ("gen_ai.agent.name", "7")];
        let mapped = map(&record(Signal::Spans, &chat), "gen_ai", &Parents::default());
        assert_eq!(mapped, Err(Mapped::Rejected(Reason::Invalid)));
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
