//! Turns an agent's hook into an event, as `contract/hooks` defines it (rules HOK-01 to HOK-03).
//!
//! Pure. The agent defines its payload, so the server refuses no content. A value that breaks its field's rule counts
//! as absent, and the metadata keeps the whole object. Only a payload that is not an object is a problem.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use serde_json::Value;

use crate::contract::{HOOK_FILES, VOCABULARY};
use crate::event::{Event, FieldError, FieldValue, RawEvent, Span, SpanKind, Text};
use crate::field::{Field, FieldKind};
use crate::fields::Checker;
use crate::json::{Keys, scan_object};
use crate::scanner::Scan;
use crate::telemetry::event_id::Same;
use crate::text::decode_token;
use crate::truncate::truncate_payload;
use crate::validate::default_status;
use crate::waits::{NO_CHANGE, WAIT_KEYS, WaitRule, wait_rules};

/// The parts of a file of `hooks/` that a server needs.
#[derive(Debug)]
pub struct Mapping {
    name_key: &'static str,
    agent_type: &'static str,
    source: &'static str,
    fields: Vec<Source>,
    /// Keys at the start of a payload's summary.
    pub(crate) summary_keys: Keys,
    hooks: HashMap<&'static str, Meaning>,
    other: Meaning,
    /// Every key that the mapping reads.
    keys: Keys,
}

/// The source of a field.
#[derive(Debug)]
struct Source {
    field: Field,
    key: &'static str,
    /// The hooks that have it; all hooks where there is no list.
    hooks: Option<Vec<&'static str>>,
    /// Whether only the last segment of a path counts.
    is_last_segment: bool,
    default: Option<&'static str>,
}

/// The event of a hook, in words of the vocabulary.
#[derive(Debug)]
struct Meaning {
    event_type: &'static str,
    status: &'static str,
    /// The hook's name; `None` in the meaning of all hooks that the file does not name.
    name: Option<&'static str>,
    /// The subject that telemetry may report too (rule OTL-09).
    same: Option<Same>,
    waits: &'static [WaitRule],
}

static SPECS: LazyLock<[Value; HOOK_FILES.len()]> =
    LazyLock::new(|| HOOK_FILES.map(|(_, text)| serde_json::from_str(text).unwrap_or_default()));
static MAPPINGS: LazyLock<Vec<Mapping>> = LazyLock::new(|| {
    let mappings = SPECS.iter().map(Mapping::read);
    mappings.collect::<Option<_>>().expect("the mappings are checked by the tests of this module")
});

/// Returns the mapping of the route with this path.
pub fn mapping_of(path: &str) -> Option<&'static Mapping> {
    let name = path.strip_prefix("/api/hooks/")?;
    MAPPINGS.get(HOOK_FILES.iter().position(|(file, _)| *file == name)?)
}

impl Mapping {
    /// Reads a file of `hooks/`; returns `None` when a word of the file is not a word of the vocabulary.
    fn read(spec: &'static Value) -> Option<Self> {
        let text = |name: &str| spec[name].as_str();
        let agent_type = text("agent_type")?;
        let hooks: HashMap<_, _> = spec["hooks"]
            .as_object()?
            .iter()
            .map(|(name, spec)| Some((&**name, Meaning::read(agent_type, Some(name), spec)?)))
            .collect::<Option<_>>()?;
        let name_key = text("name_key")?;
        let fields = Some(spec["fields"].as_array()?.iter().map(Source::read).collect::<Option<Vec<_>>>()?)
            // The server cannot store an event without a session.
            .filter(|all| all.iter().any(|one| one.field == Field::SessionId && one.default.is_some()))?;
        let summary_keys = spec["summary_keys"].as_array()?.iter().map(|key| key.as_str().map(str::to_owned));
        let same_keys = hooks.values().filter_map(|hook| Some(hook.same.as_ref()?.key));
        let keys: BTreeSet<_> = [name_key]
            .into_iter()
            .chain(fields.iter().map(|source| source.key))
            .chain(WAIT_KEYS.iter().copied())
            .chain(same_keys)
            .collect();
        Some(Self {
            name_key,
            agent_type,
            source: known(VOCABULARY.sources, text("source")?)?,
            keys: Keys::new(keys.into_iter().map(str::to_owned).collect()),
            fields,
            summary_keys: Keys::new(summary_keys.collect::<Option<_>>()?),
            hooks,
            other: Meaning::read(agent_type, None, &spec["other"])?,
        })
    }

    /// Returns the meaning of a hook; `name` is the span of its name in the payload.
    fn meaning_of(&self, body: &str, name: Span) -> &Meaning {
        string_at(body, name).and_then(|text| self.hooks.get(&*text)).unwrap_or(&self.other)
    }
}

/// Returns the text of a string; `None` for any other value.
fn string_at(body: &str, span: Span) -> Option<Cow<'_, str>> {
    let escaped = span.kind == SpanKind::EscapedString;
    (escaped || span.kind == SpanKind::String)
        .then(|| decode_token(&body[span.start..span.end], escaped).ok())
        .flatten()
}

impl Source {
    /// Returns whether hooks of this meaning have the field.
    fn is_of(&self, meaning: &Meaning) -> bool {
        self.hooks.as_ref().is_none_or(|hooks| meaning.name.is_some_and(|name| hooks.contains(&name)))
    }

    /// Returns its value in a payload by the rule of the field, or its default.
    fn value(&self, checker: &mut Checker<'_>) -> Option<FieldValue> {
        let value = if self.is_last_segment {
            checker.part_of_text(self.field, last_segment).map(FieldValue::Text)
        } else {
            checker.value(self.field)
        };
        value.or_else(|| self.default.map(|default| FieldValue::Text(Text::Owned(default.into()))))
    }

    fn read(spec: &'static Value) -> Option<Self> {
        let is_last_segment = match spec["take"].as_str() {
            None => false,
            Some("last_segment") => true,
            Some(_) => return None,
        };
        let field = Field::from_name(spec["field"].as_str()?.as_bytes())?;
        let is_text = matches!(field.spec().kind, FieldKind::Text);
        if !is_text && (is_last_segment || !spec["default"].is_null()) {
            return None;
        }
        let hooks = match spec["hooks"].as_array() {
            None => None,
            Some(names) => Some(names.iter().map(Value::as_str).collect::<Option<Vec<_>>>()?),
        };
        let (key, default) = (spec["key"].as_str()?, spec["default"].as_str());
        Some(Self { field, key, hooks, is_last_segment, default })
    }
}

impl Meaning {
    fn read(agent_type: &str, name: Option<&'static str>, spec: &'static Value) -> Option<Self> {
        let event_type = known(VOCABULARY.event_types, spec["event_type"].as_str()?)?;
        let status = spec["status"].as_str().unwrap_or_else(|| default_status(event_type));
        let status = known(VOCABULARY.statuses, status)?;
        let same = Same::read(&spec["same"])?;
        let waits = name.map_or(&[] as &[_], |name| wait_rules(agent_type, name));
        Some(Self { event_type, status, name, same, waits })
    }
}

/// Returns the word of the vocabulary that equals this one.
fn known(words: &'static [&'static str], word: &str) -> Option<&'static str> {
    words.iter().copied().find(|known| *known == word)
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
    let span_of = |key: &str| mapping.keys.exact(key.as_bytes()).map_or(Span::ABSENT, |at| spans[at]);
    let meaning = mapping.meaning_of(body, span_of(mapping.name_key));
    let (mut raw, mut event) = (RawEvent::empty(), Event::empty());
    for source in mapping.fields.iter().filter(|source| source.is_of(meaning)) {
        raw.set(source.field, span_of(source.key));
        // A problem in the checker makes the field absent.
        if let Some(value) = source.value(&mut Checker { body, raw: &raw, problems: Vec::new() }) {
            event.set(source.field, value);
        }
    }
    if let Some(same) = &meaning.same
        && let Some(name) = string_at(body, span_of(same.key)).filter(|name| !name.is_empty())
        && let Some(session_id) = event.text(Field::SessionId, body)
    {
        let id = same.id(mapping.agent_type, session_id, &name);
        event.set(Field::EventId, FieldValue::Text(Text::Owned(id.into())));
    }
    event.wait = wait_of(meaning, |key| string_at(body, span_of(key)));
    let summary =
        truncate_payload(&body[object.start..object.end], max_metadata_bytes, &mapping.summary_keys);
    event.set(Field::AgentType, FieldValue::Text(Text::Owned(mapping.agent_type.into())));
    event.set(Field::EventType, FieldValue::Word(meaning.event_type));
    event.set(Field::Status, FieldValue::Word(meaning.status));
    event.set(Field::Source, FieldValue::Word(mapping.source));
    event.payload_truncated = summary.is_some();
    let metadata =
        summary.map_or(Text::Range(object.start, object.end), |text| Text::Owned(text.into_boxed_str()));
    event.set(Field::Metadata, FieldValue::Text(metadata));
    Ok(Ok(event))
}

/// Returns the index of a hook's effect on waits: that of the first rule that its payload meets (rule WAI-01).
fn wait_of<'a>(meaning: &Meaning, value_at: impl Fn(&str) -> Option<Cow<'a, str>>) -> usize {
    let meets = |rule: &&WaitRule| {
        rule.key.is_none_or(|key| value_at(key).is_some_and(|value| rule.values.contains(&&*value)))
    };
    meaning.waits.iter().find(meets).map_or(NO_CHANGE, |rule| rule.change)
}

/// Returns the text after the last `/` or `\`, ignoring such characters at the end.
pub fn last_segment(path: &str) -> &str {
    let path = path.trim_end_matches(['/', '\\']);
    path.rsplit(['/', '\\']).next().unwrap_or(path)
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
    fn the_mapping_uses_only_words_of_the_vocabulary() {
        assert!(SPECS.iter().all(|spec| Mapping::read(spec).is_some()), "every word is known");
        for broken in [
            ("source", "x"),
            ("name_key", "7"),
            ("other", "{}"),
            ("fields", r#"[{"field":"x","key":"x"}]"#),
            ("fields", r#"[{"field":"session_id","key":"x"}]"#),
            ("fields", r#"[{"field":"duration_ms","key":"x","take":"last_segment"}]"#),
            ("summary_keys", "[7]"),
        ] {
            let mut spec = SPECS[0].clone();
            spec[broken.0] = serde_json::from_str(broken.1).unwrap_or_else(|_| broken.1.into());
            assert!(Mapping::read(Box::leak(Box::new(spec))).is_none(), "{broken:?}");
        }
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
        let call = Same { kind: "call", key: "tool_use_id" };
        let prompt = Same { kind: "prompt", key: "prompt_id" };
        let table = [
            (r#""PostToolUse","tool_use_id":"t"#, Some(call.id("claude_code", "s", "t"))),
            (r#""PostToolUseFailure","tool_use_id":"\u0074"#, Some(call.id("claude_code", "s", "t"))),
            (r#""UserPromptSubmit","prompt_id":"p"#, Some(prompt.id("claude_code", "s", "p"))),
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
        let call = Same { kind: "call", key: "tool_use_id" };
        assert_eq!(event.text(Field::SessionId, body), Some("a"));
        assert_eq!(event.text(Field::EventId, body), Some(&*call.id("codex", "a", "t")));
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
