//! Turns an agent's hook into an event by the mapping of its agent (rules HOK-01 to HOK-03).
//!
//! Pure. The agent defines its payload, so the server refuses no content. A value that breaks its field's rule counts
//! as absent, and the metadata keeps the whole object. Only a payload that is not an object is a problem.

use std::borrow::Cow;
use std::sync::LazyLock;

use crate::contract::VOCABULARY;
use crate::event::{Event, FieldError, FieldValue, Span, Text};
use crate::field::Field;
use crate::json::{Keys, scan_object};
use crate::mapping::AGENTS;
use crate::mapping::event_id::same_id;
use crate::mapping::field::field_value;
use crate::mapping::hooks::HookMapping;
use crate::mapping::path::{Found, Json, Source};
use crate::mapping::rule::{Meaning, first_rule};
use crate::mapping::value::{Texts, put_fields, put_value};
use crate::scanner::Scan;
use crate::truncate::truncate_payload;
use crate::validate::default_status;
use crate::waits::wait_change;

/// A mapping, and what a server needs to read payloads by it.
#[derive(Debug)]
pub struct Mapping {
    spec: &'static HookMapping,
    /// The path of its route.
    path: String,
    /// Keys at the start of a payload's summary.
    pub(crate) summary_keys: Keys,
    /// Every key of a payload that the mapping reads.
    keys: Keys,
}

/// The source of every event of a hook.
const SOURCE: &str = "hook";

static MAPPINGS: LazyLock<Vec<Mapping>> = LazyLock::new(|| {
    let hooks = AGENTS.iter().filter_map(|agent| Some((&agent.name, agent.hooks.as_ref()?)));
    let mappings = hooks.map(|(name, spec)| Mapping {
        spec,
        path: format!("/api/hooks/{name}"),
        summary_keys: Keys::new(spec.summary.clone()),
        keys: Keys::new(spec.keys.clone()),
    });
    mappings.collect()
});

/// The paths of the routes of hooks.
pub static HOOK_PATHS: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| MAPPINGS.iter().map(|mapping| &*mapping.path).collect());

/// Returns the mapping of the route with this path.
pub fn mapping_of(path: &str) -> Option<&'static Mapping> {
    MAPPINGS.iter().find(|mapping| mapping.path == path)
}

/// Returns the keys at the start of the summary of a payload of this agent; `None` for an agent without hooks.
pub fn summary_keys_of(agent_type: &str) -> Option<&'static Keys> {
    MAPPINGS.iter().find(|mapping| mapping.spec.agent_type == agent_type).map(|mapping| &mapping.summary_keys)
}

/// The values of a payload at the keys of a mapping.
struct Payload<'a> {
    body: &'a str,
    spans: Vec<Span>,
}

impl<'a> Source<'a> for Payload<'a> {
    const HAS_DIGITS: bool = false;

    fn get(&self, key: usize) -> Option<Found<'a>> {
        let span = self.spans[key];
        if span.is_absent() {
            return None;
        }
        let text = &self.body[span.start..span.end];
        Some(Found::Json(Json { text, kind: span.kind, is_printed: false }))
    }
}

/// A body that texts of its events may lie in.
struct Body<'a>(&'a str);

impl Texts for Body<'_> {
    fn put(&mut self, text: Cow<'_, str>) -> Text {
        let from = match &text {
            Cow::Borrowed(text) => (text.as_ptr() as usize).checked_sub(self.0.as_ptr() as usize),
            Cow::Owned(_) => None,
        };
        match from.filter(|from| from + text.len() <= self.0.len()) {
            Some(from) => Text::Range(from, from + text.len()),
            None => Text::Owned(text.into()),
        }
    }
}

/// Reads a payload as an event, or returns its one problem. `max_metadata_bytes` is the flag's value.
pub fn read_hook(
    mapping: &'static Mapping,
    body: &str,
    max_metadata_bytes: usize,
) -> Scan<Result<Event, Vec<FieldError>>> {
    let mut spans = vec![Span::ABSENT; mapping.keys.names().len()];
    let object = scan_object(body, |key, value| {
        // Of equal keys the last counts, so a later one replaces an earlier one.
        if let Some(at) = mapping.keys.find(key, body.as_bytes()) {
            spans[at] = value;
        }
    })?;
    let Some(object) = object else {
        let message = VOCABULARY.field_messages.object.to_owned();
        return Ok(Err(vec![FieldError { field: "body", message }]));
    };
    let mut event = event_of(mapping.spec, &Payload { body, spans }, &mut Body(body));
    let summary =
        truncate_payload(&body[object.start..object.end], max_metadata_bytes, &mapping.summary_keys);
    event.set(Field::Metadata, FieldValue::Text(Text::Range(object.start, object.end)));
    if let Some(summary) = summary {
        event.summarise(summary);
    }
    Ok(Ok(event))
}

/// Returns the event of a payload, without its metadata.
fn event_of(spec: &'static HookMapping, payload: &Payload<'_>, texts: &mut Body<'_>) -> Event {
    let mut event = Event::empty();
    let name = spec.name.from.iter().filter_map(|path| path.value(payload)).find(Found::is_text);
    let name = name.and_then(Found::text);
    let short = name.as_deref().map_or("", |name| spec.name.short(name));
    let Meaning::Rule(rule) = first_rule(&spec.records, short, payload) else {
        debug_assert!(false, "a mapping of hooks has a rule for every payload");
        return event;
    };
    event.set(Field::Status, FieldValue::Word(default_status(rule.event_type)));
    put_fields(&mut event, texts, &spec.fields, payload);
    put_fields(&mut event, texts, &rule.fields, payload);
    if let Some(same) = &rule.same
        && let Some(subject) = same.subject(payload)
        && let Some(session_id) = event.text(Field::SessionId, texts.0)
    {
        let id = same_id(&same.kind, &spec.agent_type, session_id, &subject);
        event.set(Field::EventId, FieldValue::Text(Text::Owned(id.into())));
    }
    if let Some(name) = name
        && let Some(value) = field_value(Field::SourceEvent, Found::Text(spec.name.full(name)), false)
    {
        put_value(&mut event, texts, Field::SourceEvent, value);
    }
    event.set(Field::AgentType, FieldValue::Text(Text::Owned(spec.agent_type.as_str().into())));
    event.set(Field::EventType, FieldValue::Word(rule.event_type));
    event.set(Field::Source, FieldValue::Word(SOURCE));
    event.wait = wait_change(rule.state(payload));
    event
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::waits::{WAIT_CHANGES, WaitEnds};

    fn read(body: &str) -> Event {
        read_of("claude-code", body, 10_240)
    }

    fn read_of(name: &str, body: &str, max_metadata_bytes: usize) -> Event {
        let mapping = mapping_of(&format!("/api/hooks/{name}")).expect("a mapping");
        read_hook(mapping, body, max_metadata_bytes).expect("valid JSON").expect("an object")
    }

    #[test]
    fn the_hook_name_determines_its_event() {
        let table = [
            (r#""SessionStart""#, "session_start", "success", false),
            (r#""PostToolUse""#, "tool_use", "success", true),
            (r#""PostToolUse\u0046ailure""#, "tool_use", "error", true),
            (r#""PermissionDenied""#, "plan_step", "error", true),
            (r#""StopFailure""#, "error", "error", false),
            (r#""PreToolUse""#, "plan_step", "success", true),
            (r#""Brand New""#, "plan_step", "success", false),
            (r#"" Stop""#, "plan_step", "success", false),
            (r#""\ud800""#, "plan_step", "success", false),
            ("7", "plan_step", "success", false),
            ("null", "plan_step", "success", false),
            (r#""Stop","hook_event_name":null"#, "plan_step", "success", false),
            (r#"[],"hook_event_n\u0061me":"Stop""#, "response", "success", false),
        ];
        for (name, event_type, status, has_tool) in table {
            let body = format!(r#"{{"hook_event_name":{name},"tool_name":"Bash"}}"#);
            let event = read(&body);
            let text = |field| event.text(field, &body);
            assert_eq!(
                (text(Field::EventType), text(Field::Status)),
                (Some(event_type), Some(status)),
                "{name}"
            );
            assert_eq!(text(Field::ToolName).is_some(), has_tool, "{name}");
            assert_eq!((text(Field::Source), text(Field::AgentType)), (Some("hook"), Some("claude_code")));
        }
    }

    #[test]
    fn a_hook_has_the_wait_of_the_first_rule_that_its_payload_meets() {
        let table = [
            (r#""PermissionRequest""#, Some("permission"), WaitEnds::Nothing),
            (r#""PermissionRequest","tool_name":"ExitPlanMode""#, Some("question"), WaitEnds::Nothing),
            (r#""PreToolUse","tool_name":"AskUser\u0051uestion""#, Some("question"), WaitEnds::Agent),
            (r#""PreToolUse","tool_name":"Bash""#, None, WaitEnds::Agent),
            (
                r#""Notification","notification_type":"permission_prompt""#,
                Some("permission"),
                WaitEnds::Nothing,
            ),
            (r#""Notification","notification_type":"auth_success""#, None, WaitEnds::Nothing),
            (r#""Notification","notification_type":7"#, None, WaitEnds::Nothing),
            (r#""Stop""#, Some("turn_finished"), WaitEnds::Agent),
            (r#""SessionEnd""#, None, WaitEnds::Session),
            (r#""MessageDisplay""#, None, WaitEnds::Nothing),
        ];
        for (name, begins, ends) in table {
            let change = WAIT_CHANGES[read(&format!(r#"{{"hook_event_name":{name}}}"#)).wait];
            assert_eq!((change.begins, change.ends), (begins, ends), "{name}");
        }
    }

    #[test]
    fn a_hook_has_the_event_id_of_the_telemetry_for_the_same_call() {
        let table = [
            (r#""PostToolUse","tool_use_id":"t"#, Some(same_id("call", "claude_code", "s", "t"))),
            (r#""PostToolUseFailure","tool_use_id":"\u0074"#, Some(same_id("call", "claude_code", "s", "t"))),
            (r#""UserPromptSubmit","prompt_id":"p"#, Some(same_id("prompt", "claude_code", "s", "p"))),
            (r#""PreToolUse","tool_use_id":"t"#, None),
            (r#""PostToolUse","tool_use_id":""#, None),
            (r#""PostToolUse","tool":""#, None),
        ];
        for (name, id) in table {
            let body = format!(r#"{{"session_id":" s ","hook_event_name":{name}"}}"#);
            assert_eq!(read(&body).text(Field::EventId, &body), id.as_deref(), "{name}");
        }
    }

    #[test]
    fn a_subagent_of_codex_has_its_own_session() {
        let body = r#"{"hook_event_name":"PostToolUse","session_id":"s","agent_id":"a","tool_use_id":"t"}"#;
        let event = read_of("codex", body, 256);
        assert_eq!(event.text(Field::SessionId, body), Some("a"));
        assert_eq!(event.text(Field::EventId, body), Some(&*same_id("call", "codex", "a", "t")));
        assert!(mapping_of("/api/hooks/other").is_none() && mapping_of("/v1/logs").is_none());
    }

    #[test]
    fn a_model_switch_reports_the_new_model() {
        for (hook, model) in [("PostModelSwitch", Some("new")), ("Stop", None)] {
            let body = format!(r#"{{"to_model":"new","from_model":"old","hook_event_name":"{hook}"}}"#);
            assert_eq!(read(&body).text(Field::Model, &body), model, "{hook}");
        }
    }

    #[test]
    fn a_value_that_breaks_its_rule_counts_as_absent() {
        let long = format!(r#""{}""#, "x".repeat(257));
        let table = [
            (r#""s""#, "s"),
            (r#"" \u0073 ""#, "s"),
            (r#""a","session_id":"b""#, "b"),
            ("7", "unknown"),
            ("null", "unknown"),
            (r#""  ""#, "unknown"),
            (r#""a\u0000""#, "unknown"),
            (r#""\udc00""#, "unknown"),
            (r#"{"a":1}"#, "unknown"),
            (&long, "unknown"),
        ];
        for (value, expected) in table {
            let body = format!(r#"{{"session_id":{value}}}"#);
            assert_eq!(read(&body).text(Field::SessionId, &body), Some(expected), "{value}");
        }
        for (value, expected) in [
            ("12", Some(12)),
            ("1e2", Some(100)),
            ("-1", None),
            ("1.5", None),
            (r#""1""#, None),
            ("null", None),
        ] {
            let event = read(&format!(r#"{{"duration_ms":{value}}}"#));
            assert_eq!(event.number(Field::DurationMs), expected, "{value}");
        }
    }

    #[test]
    fn a_project_is_the_last_segment_of_a_path() {
        let table = [
            ("/home/u/app", Some("app")),
            ("/home/u/app//", Some("app")),
            (r"C:\\work\\my app\\", Some("my app")),
            (r"\/a\/b", Some("b")),
            ("app", Some("app")),
            ("/a/ b ", Some("b")),
            ("/a/ ", None),
            ("/", None),
            (r"\\/\\", None),
            ("", None),
            (r"/\ud800/b", None),
        ];
        for (cwd, expected) in table {
            let body = format!(r#"{{"cwd":"{cwd}"}}"#);
            assert_eq!(read(&body).text(Field::Project, &body), expected, "{cwd}");
        }
        // The limit applies to the segment, not to the path.
        let body = format!(r#"{{"cwd":"/{}/{}"}}"#, "a".repeat(2000), "b".repeat(1024));
        assert_eq!(read(&body).text(Field::Project, &body).map(str::len), Some(1024));
        let body = format!(r#"{{"cwd":"/{}"}}"#, "b".repeat(1025));
        assert_eq!(read(&body).text(Field::Project, &body), None);
    }

    #[test]
    fn hook_metadata_is_the_object_as_sent() {
        let body = " \n{ \"a\" : [1.0, 1e2],\"event_id\":\"x\",\"metadata\":{} }\n ";
        let event = read(body);
        assert_eq!(event.text(Field::Metadata, body), Some(body.trim()));
        assert_eq!((event.text(Field::EventId, body), event.payload_truncated), (None, false));
        assert_eq!(read("{}").text(Field::Metadata, "{}"), Some("{}"));
        let long = format!(r#"{{"z":"{}","hook_event_name":"Stop"}}"#, "z".repeat(300));
        let event = read_of("claude-code", &long, 256);
        let cut_at = |z: &str| {
            format!(
                r#"{{"_truncated":true,"_original_bytes":{},"hook_event_name":"Stop","z":"{z}…"}}"#,
                long.len()
            )
        };
        let expected = cut_at(&"z".repeat(256 - cut_at("").len()));
        assert_eq!((event.text(Field::Metadata, &long), event.payload_truncated), (Some(&*expected), true));
    }

    #[test]
    fn only_a_payload_that_is_not_an_object_is_refused() {
        let mapping = &MAPPINGS[0];
        for body in ["[]", "7", "null", r#""{}""#, " true "] {
            let problems = read_hook(mapping, body, 256).expect("valid JSON").expect_err("no object");
            assert_eq!(problems, [FieldError { field: "body", message: "must be a JSON object".to_owned() }]);
        }
        for body in ["", "{", "{}{}", r#"{"a":}"#] {
            assert!(read_hook(mapping, body, 256).is_err(), "{body}");
        }
    }
}
