//! Finds the agent and the meaning of a record, as `contract/agents` defines them (rules OTL-05 and OTL-06).
//!
//! Pure. The files are read once. Over 250 lines because it checks every word of the files, which TypeScript uses as
//! parsed.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use serde_json::Value;

use crate::contract::{AGENT_FILES, LIMITS, VOCABULARY};
use crate::field::{Field, FieldKind};
use crate::telemetry::event_id::Same;
use crate::telemetry::otlp::{AGENT_NAMES, Signal};
use crate::telemetry::values::{Attributes, string_of};

/// One file of `agents/`.
#[derive(Debug)]
pub struct Agent {
    /// Its index in the list of agents.
    pub place: usize,
    /// The agent type of its events, unless a key gives another.
    pub agent_type: &'static str,
    /// Keys that give the agent type of its events.
    pub agent_type_keys: Vec<Key>,
    /// Keys that give the name of a record.
    pub name_keys: Vec<Key>,
    /// Prefix that names may have.
    pub name_prefix: &'static str,
    /// The attributes that metadata omits.
    pub dropped_keys: HashSet<&'static str>,
    /// The sources of the fields that every event of the agent has.
    pub fields: Vec<Source>,
    /// Keys that identify a record.
    pub event_id: Vec<Key>,
    /// Whether its spans may take attributes from their parents.
    pub wants_parents: bool,
    scopes: Vec<&'static str>,
    services: Vec<&'static str>,
    attribute_prefix: Option<&'static str>,
    logs: HashMap<&'static str, Vec<Entry>>,
    spans: HashMap<&'static str, Vec<Entry>>,
}

/// The source of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// An attribute of the record, otherwise of its resource.
    Attribute(&'static str),
    /// An attribute of the parent span.
    Parent(&'static str),
    /// The id of the trace.
    TraceId,
    /// The id of the span.
    SpanId,
    /// The id of the parent span.
    ParentSpanId,
}

/// The source of an event's field.
#[derive(Debug)]
pub struct Source {
    /// The field.
    pub field: Field,
    /// Keys of the value; the first key with a value counts.
    pub keys: Vec<Key>,
    /// Keys whose values are added.
    pub plus: Vec<Key>,
    /// Keys whose values are subtracted.
    pub less: Vec<Key>,
}

/// The handling of records with a name.
#[derive(Debug)]
pub enum Entry {
    /// Counted but not stored.
    Noise,
    /// An event, if its conditions hold.
    Event(Meaning),
}

/// The event that a record becomes.
#[derive(Debug)]
pub struct Meaning {
    when: Vec<(Key, &'static str)>,
    /// A word of the vocabulary.
    pub event_type: &'static str,
    /// The rule for an error status.
    pub status: Option<StatusRule>,
    /// The subject of the event; other records with the same subject report the same event.
    pub same: Option<Same>,
    /// Further fields in addition to those of the file.
    pub fields: Vec<Source>,
}

/// A rule for an error status.
#[derive(Debug)]
pub struct StatusRule {
    /// The key of the text.
    pub key: Key,
    words: Vec<&'static str>,
    /// Whether the words mean an error. Otherwise all other words mean an error.
    is_error: bool,
}

/// Matches any value of a condition, and any name.
const ANY: &str = "*";
const NOISE: &str = "noise";
const PARENT: &str = "$parent.";
const SERVICE: &str = "service.name";

/// The agents in the order of `otlp.json`.
pub static AGENTS: LazyLock<Vec<Agent>> = LazyLock::new(|| {
    let agents = AGENT_NAMES.iter().enumerate().map(|(place, name)| {
        let (_, text) = AGENT_FILES.iter().find(|(known, _)| known == name)?;
        let spec: Value = serde_json::from_str(text).ok()?;
        Agent::read(place, Box::leak(Box::new(spec)))
    });
    agents.collect::<Option<_>>().expect("the files are checked by the tests of this module")
});

/// The resource attributes that a mapping may use.
static SHARED_KEYS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let keys = AGENTS.iter().flat_map(Agent::keys).filter_map(|key| match key {
        Key::Attribute(name) => Some(name),
        Key::Parent(_) | Key::TraceId | Key::SpanId | Key::ParentSpanId => None,
    });
    keys.chain([SERVICE]).collect()
});

/// The parent-span attributes that a mapping uses.
static PARENT_KEYS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let keys = AGENTS.iter().flat_map(Agent::keys);
    keys.filter_map(|key| if let Key::Parent(name) = key { Some(name) } else { None }).collect()
});

/// Returns whether a resource attribute is kept: many records may share it (rule OTL-07).
pub fn is_shared(key: &str, json: &str) -> bool {
    json.len() <= LIMITS.otlp_shared_value_bytes && SHARED_KEYS.contains(key)
}

/// Returns whether a span attribute is kept for its children.
pub fn is_for_children(key: &str, json: &str) -> bool {
    json.len() <= LIMITS.otlp_shared_value_bytes && PARENT_KEYS.contains(key)
}

/// Returns the agent of a record; `attributes` are unknown for a record that is too large.
pub fn agent_of(
    scope: &str,
    resource: &Attributes,
    attributes: Option<&Attributes>,
) -> Option<&'static Agent> {
    let service = resource.get(SERVICE).and_then(string_of);
    AGENTS.iter().find(|agent| {
        agent.scopes.iter().any(|known| is_scope(scope, known))
            || service.as_deref().is_some_and(|service| agent.services.contains(&service))
            || agent.attribute_prefix.is_some_and(|prefix| {
                attributes.is_some_and(|all| all.iter().any(|(key, _)| key.starts_with(prefix)))
            })
    })
}

/// Returns whether the scope is this one, or nested in it.
fn is_scope(scope: &str, known: &str) -> bool {
    scope.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', ':']))
}

impl Agent {
    /// Returns a name without the prefix.
    pub fn short_name<'a>(&self, name: &'a str) -> &'a str {
        name.strip_prefix(self.name_prefix).unwrap_or(name)
    }

    /// Returns the handling of records with this name; `get` returns the text of a key.
    pub fn entry_of(
        &self,
        signal: Signal,
        name: &str,
        get: impl Fn(Key) -> Option<String>,
    ) -> Option<&Entry> {
        let entries = if signal == Signal::Spans { &self.spans } else { &self.logs };
        [name, ANY].into_iter().find_map(|name| entries.get(name)?.iter().find(|entry| entry.holds(&get)))
    }

    /// Reads a file of `agents/`; returns `None` when a word of the file is not a word of the vocabulary.
    fn read(place: usize, spec: &'static Value) -> Option<Self> {
        let texts = |name: &str| texts_of(&spec[name]);
        let fields = sources_of(&spec["fields"])?;
        // The server cannot store an event without a session.
        fields.iter().find(|source| source.field == Field::SessionId)?;
        let agent = Self {
            place,
            agent_type: spec["agent_type"].as_str()?,
            agent_type_keys: keys_of(&spec["agent_type_keys"])?,
            name_keys: keys_of(&spec["name_keys"])?,
            name_prefix: spec["name_prefix"].as_str()?,
            dropped_keys: texts("dropped_keys")?.into_iter().collect(),
            fields,
            event_id: keys_of(&spec["event_id"])?,
            scopes: texts("scopes")?,
            services: texts("services")?,
            attribute_prefix: spec["attribute_prefix"].as_str(),
            logs: entries_of(&spec["logs"])?,
            spans: entries_of(&spec["spans"])?,
            wants_parents: false,
        };
        let wants_parents = agent.keys().any(|key| matches!(key, Key::Parent(_)));
        Some(Self { wants_parents, ..agent })
    }

    /// Returns every key of the file.
    fn keys(&self) -> impl Iterator<Item = Key> {
        let meanings = self.logs.values().chain(self.spans.values()).flatten();
        let of_meanings = meanings.flat_map(|entry| match entry {
            Entry::Noise => Vec::new(),
            Entry::Event(meaning) => meaning.keys(),
        });
        let of_fields = self.fields.iter().flat_map(Source::keys);
        let lists = [&self.agent_type_keys, &self.name_keys, &self.event_id];
        lists.into_iter().flatten().copied().chain(of_fields).chain(of_meanings)
    }
}

impl Entry {
    fn holds(&self, get: impl Fn(Key) -> Option<String>) -> bool {
        let Entry::Event(meaning) = self else { return true };
        meaning
            .when
            .iter()
            .all(|(key, wanted)| get(*key).is_some_and(|text| *wanted == ANY || text == *wanted))
    }

    fn read(spec: &'static Value) -> Option<Self> {
        if spec.as_str() == Some(NOISE) {
            return Some(Entry::Noise);
        }
        let when = spec["when"].as_object().into_iter().flatten();
        let status = &spec["status"];
        Some(Entry::Event(Meaning {
            when: when.map(|(key, text)| Some((Key::read(key), text.as_str()?))).collect::<Option<_>>()?,
            event_type: known(VOCABULARY.event_types, spec["event_type"].as_str()?)?,
            status: if status.is_null() { None } else { Some(StatusRule::read(status)?) },
            same: Same::read(&spec["same"])?,
            fields: sources_of(&spec["fields"])?,
        }))
    }
}

impl Meaning {
    fn keys(&self) -> Vec<Key> {
        let when = self.when.iter().map(|(key, _)| *key);
        let status = self.status.iter().map(|status| status.key);
        let same = self.same.iter().map(|same| Key::read(same.key));
        when.chain(status).chain(same).chain(self.fields.iter().flat_map(Source::keys)).collect()
    }
}

impl StatusRule {
    /// Returns whether this text means an error.
    pub fn is_error(&self, text: &str) -> bool {
        self.words.contains(&text) == self.is_error
    }

    fn read(spec: &'static Value) -> Option<Self> {
        let is_error = !spec["error"].is_null();
        let words = texts_of(&spec[if is_error { "error" } else { "error_unless" }])?;
        Some(Self { key: Key::read(spec["key"].as_str()?), words, is_error })
    }
}

impl Key {
    /// Parses the key of a mapping.
    pub fn read(key: &'static str) -> Self {
        match key {
            "$trace_id" => Key::TraceId,
            "$span_id" => Key::SpanId,
            "$parent_span_id" => Key::ParentSpanId,
            _ => key.strip_prefix(PARENT).map_or(Key::Attribute(key), Key::Parent),
        }
    }
}

impl Source {
    fn keys(&self) -> impl Iterator<Item = Key> {
        self.keys.iter().chain(&self.plus).chain(&self.less).copied()
    }

    fn read(spec: &'static Value) -> Option<Self> {
        let field = Field::from_name(spec["field"].as_str()?.as_bytes())?;
        let [plus, less] = [keys_of(&spec["plus"])?, keys_of(&spec["less"])?];
        let is_sum = !plus.is_empty() || !less.is_empty();
        let is_right = match field.spec().kind {
            FieldKind::Integer => true,
            FieldKind::Text | FieldKind::Dollars => !is_sum,
            FieldKind::Choice(_) | FieldKind::Timestamp | FieldKind::Json => false,
        };
        is_right.then_some(Self { field, keys: keys_of(&spec["keys"])?, plus, less })
    }
}

/// Returns a list of texts; empty when it is absent.
fn texts_of(list: &'static Value) -> Option<Vec<&'static str>> {
    if list.is_null() {
        return Some(Vec::new());
    }
    list.as_array()?.iter().map(Value::as_str).collect()
}

fn keys_of(list: &'static Value) -> Option<Vec<Key>> {
    Some(texts_of(list)?.into_iter().map(Key::read).collect())
}

fn sources_of(list: &'static Value) -> Option<Vec<Source>> {
    if list.is_null() { Some(Vec::new()) } else { list.as_array()?.iter().map(Source::read).collect() }
}

fn entries_of(names: &'static Value) -> Option<HashMap<&'static str, Vec<Entry>>> {
    let of_name = |spec: &'static Value| match spec.as_array() {
        Some(list) => list.iter().map(Entry::read).collect(),
        None => Some(vec![Entry::read(spec)?]),
    };
    names.as_object()?.iter().map(|(name, spec)| Some((&**name, of_name(spec)?))).collect()
}

/// Returns the word of the vocabulary that equals this one.
fn known(words: &'static [&'static str], word: &str) -> Option<&'static str> {
    words.iter().copied().find(|known| *known == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_agent_file_uses_only_words_of_the_vocabulary() {
        assert_eq!(AGENTS.len(), AGENT_FILES.len());
        for broken in [
            ("agent_type", "7"),
            ("fields", "[]"),
            (
                "fields",
                r#"[{"field":"session_id","keys":["a"]},{"field":"model","keys":["a"],"plus":["b"]}]"#,
            ),
            ("fields", r#"[{"field":"session_id","keys":["a"]},{"field":"metadata","keys":["a"]}]"#),
            ("scopes", "[7]"),
            ("logs", r#"{"a":[{"event_type":"x"}]}"#),
            ("logs", r#"{"a":"loud"}"#),
            ("logs", r#"{"a":[{"event_type":"error","same":{"kind":"x"}}]}"#),
            ("spans", "[]"),
        ] {
            let mut spec: Value = serde_json::from_str(AGENT_FILES[0].1).expect("JSON");
            spec[broken.0] = serde_json::from_str(broken.1).expect("JSON");
            assert!(Agent::read(0, Box::leak(Box::new(spec))).is_none(), "{broken:?}");
        }
    }

    #[test]
    fn a_record_belongs_to_the_first_agent_that_matches_it() {
        let with = |key: &str, value: &str| {
            let mut attributes = Attributes::default();
            attributes.set(key, value.to_owned());
            attributes
        };
        let none = Attributes::default();
        let service = with(SERVICE, r#""codex_exec""#);
        let generic = with("gen_ai.operation.name", r#""chat""#);
        let cases = [
            ("com.anthropic.claude_code", &none, &none, Some("claude_code")),
            ("com.anthropic.claude_code.events", &service, &none, Some("claude_code")),
            ("com.anthropic.claude_codex", &none, &none, None),
            ("codex_otel::metrics", &none, &none, Some("codex")),
            ("", &service, &generic, Some("codex")),
            ("x", &none, &generic, Some("gen_ai")),
            ("x", &generic, &none, None),
        ];
        for (scope, resource, attributes, expected) in cases {
            let agent = agent_of(scope, resource, Some(attributes));
            assert_eq!(agent.map(|agent| agent.agent_type), expected, "{scope}");
        }
        assert!(agent_of("x", &none, None).is_none(), "one that is too large has no attributes");
    }

    #[test]
    fn the_first_entry_whose_conditions_hold_counts() {
        let codex = &AGENTS[1];
        let kind = |values: &'static [(&str, &str)]| {
            let get = |key: Key| {
                let of = |name: &str| key == Key::Attribute(Box::leak(name.to_owned().into_boxed_str()));
                values.iter().find(|(name, _)| of(name)).map(|(_, text)| (*text).to_owned())
            };
            match codex.entry_of(Signal::Logs, "sse_event", get) {
                Some(Entry::Event(meaning)) => meaning.event_type,
                Some(Entry::Noise) => NOISE,
                None => "none",
            }
        };
        assert_eq!(kind(&[("event.kind", "response.completed"), ("input_token_count", "5")]), "llm_response");
        assert_eq!(kind(&[("event.kind", "response.completed")]), NOISE);
        assert_eq!(kind(&[("event.kind", "response.failed")]), "error");
        let none = |_| None;
        assert!(matches!(codex.entry_of(Signal::Spans, "anything", none), Some(Entry::Noise)));
        assert!(AGENTS[0].entry_of(Signal::Logs, "anything", none).is_none());
    }

    #[test]
    fn only_attributes_that_mappings_use_are_kept_for_sharing() {
        assert!(is_shared("session.id", "\"s\"") && !is_shared("host.name", "\"h\""));
        assert!(!is_shared("session.id", &"1".repeat(LIMITS.otlp_shared_value_bytes + 1)));
        assert!(is_for_children("tool_use_id", "\"t\"") && !is_for_children("session.id", "\"s\""));
    }
}
