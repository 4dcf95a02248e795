//! Compiles the mappings of agents: `contract/agents.json` (`contract/mapping.md`).
//!
//! Pure. Invariant: a mapping with an unknown word, a cycle or an impossible value is refused with its place.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::HashSet;

use serde_path_to_error::{Path as JsonPath, Segment};

use crate::field::Field;
use crate::mapping::field::field_of;
use crate::mapping::path::{IDS, PARENT_PREFIX, Path, PathScope};
use crate::mapping::problems::{MappingError, Place};
use crate::mapping::rule::{ANY_NAME, Entries, Entry, Rule, RuleScope, compile_entries};
use crate::mapping::spec::{AgentSpec, HookSpec, Members, Name, NameSpec, TelemetrySpec};
use crate::mapping::value::{FieldRule, compile_fields};

/// An agent with the mappings that a server reads.
#[derive(Debug)]
pub struct Agent {
    /// The name of its folder.
    pub name: String,
    /// The mapping of its hooks.
    pub hooks: Option<HookMapping>,
    /// The mapping of its telemetry.
    pub telemetry: Option<TelemetryMapping>,
}

/// The mapping of hooks: each payload is one event.
#[derive(Debug)]
pub struct HookMapping {
    /// The agent type of its events.
    pub agent_type: String,
    /// The name of a payload.
    pub name: NameRule,
    /// Keys at the start of the summary of a large payload (rule HOK-03).
    pub summary: Vec<String>,
    /// The fields of every event.
    pub fields: Box<[FieldRule]>,
    /// The rules by the names of payloads.
    pub records: Entries,
    /// Every first key of the mapping.
    pub keys: Vec<String>,
}

/// The mapping of telemetry: a record is at most one event.
#[derive(Debug)]
pub struct TelemetryMapping {
    /// The agent type of its events, unless a field gives another.
    pub agent_type: String,
    /// Names of scopes that its records have.
    pub scopes: Vec<String>,
    /// Names of services that its records have.
    pub services: Vec<String>,
    /// The start of an attribute that its records have.
    pub attribute_prefix: Option<String>,
    /// The name of a record.
    pub name: NameRule,
    /// First keys of the values that tell a record from others.
    pub id: Vec<usize>,
    /// Attributes that metadata omits.
    pub omit: HashSet<String>,
    /// The fields of every event.
    pub fields: Box<[FieldRule]>,
    /// The rules by the names of log records.
    pub logs: Entries,
    /// The rules by the names of spans.
    pub spans: Entries,
    /// Every first key of the mapping.
    pub keys: Vec<Key>,
}

/// The source of a first key in telemetry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Key {
    /// An attribute of the record, otherwise of its resource.
    Attribute(String),
    /// An attribute of the parent span.
    Parent(String),
    /// The id of the trace.
    TraceId,
    /// The id of the span.
    SpanId,
    /// The id of the parent span.
    ParentSpanId,
}

/// The paths of a record's name.
#[derive(Debug)]
pub struct NameRule {
    /// The first text counts.
    pub from: Vec<Path>,
    /// Removed from the name.
    pub prefix: String,
}

/// The members of an agent that are mappings, and the stems of their files.
const MAPPINGS: [&str; 2] = ["hooks", "telemetry"];

/// Compiles the agents of `contract/agents.json`, in their order.
pub fn compile_agents(json: &str) -> Result<Vec<Agent>, MappingError> {
    let mut deserializer = serde_json::Deserializer::from_str(json);
    let specs: Members<AgentSpec> = serde_path_to_error::deserialize(&mut deserializer)
        .map_err(|error| MappingError { problems: misread(error.path(), error.inner()) })?;
    let (problems, states) = (RefCell::new(Vec::new()), Cell::new(0));
    let agents =
        specs.0.into_iter().map(|(name, spec)| Agent::compile(name, spec, &problems, &states)).collect();
    let problems = problems.into_inner();
    if problems.is_empty() { Ok(agents) } else { Err(MappingError { problems }) }
}

/// Returns the problem of a text that does not follow the grammar. In the joined file a mapping is a member of its agent.
fn misread(path: &JsonPath, error: &serde_json::Error) -> Vec<String> {
    let names: Vec<String> =
        path.iter().filter(|name| !matches!(name, Segment::Unknown)).map(Segment::to_string).collect();
    let problems = RefCell::new(Vec::new());
    let (agent, names) = names.split_first().map_or(("", &[] as &[_]), |(agent, names)| (&**agent, names));
    let (stem, names) = match names.split_first() {
        Some((stem, names)) if MAPPINGS.contains(&&**stem) => (&**stem, names),
        _ => ("agent", names),
    };
    let place = names.iter().fold(Place::of_file(agent, stem, &problems), |place, name| place.within(name));
    let text = error.to_string();
    // A line of the joined file helps nobody.
    place.problem(text.split(" at line ").next().unwrap_or_default());
    problems.into_inner()
}

impl Agent {
    fn compile(name: String, spec: AgentSpec, problems: &RefCell<Vec<String>>, states: &Cell<usize>) -> Self {
        let agent_type = spec.agent_type.0;
        let [hooks, telemetry] = MAPPINGS.map(|stem| Place::of_file(&name, stem, problems));
        Self {
            hooks: spec.hooks.map(|spec| HookMapping::compile(spec, agent_type.clone(), &hooks, states)),
            telemetry: spec.telemetry.map(|spec| TelemetryMapping::compile(spec, agent_type, &telemetry)),
            name,
        }
    }
}

impl HookMapping {
    fn compile(spec: HookSpec, agent_type: String, place: &Place<'_>, states: &Cell<usize>) -> Self {
        let keys = RefCell::new(Vec::new());
        let path = PathScope { has_ids: false, has_parent: false, keys: &keys };
        let fields = compile_fields(spec.fields, &place.within("fields"), path, |name| {
            field_of(name).filter(|field| *field != Field::AgentType)
        });
        // The server stores every payload, so there are a session and a rule for each.
        if !fields.iter().any(|rule| rule.field == Field::SessionId && rule.has_default()) {
            place.within("fields").problem("session_id needs a default");
        }
        let at = place.within("records");
        let records = compile_entries(&spec.records, &at, RuleScope { path, states: Some(states) });
        check_records(&records, &at);
        let name = NameRule::compile(&spec.name, place, path);
        let summary = summary_of(texts(spec.summary), spec.name.from.first(), &place.within("summary"));
        Self { agent_type, name, summary, fields, records, keys: keys.into_inner() }
    }
}

fn check_records(records: &Entries, place: &Place<'_>) {
    for (name, entry) in records {
        if matches!(entry, Entry::Noise) {
            place.within(name).problem("every payload is an event");
        }
        // The server recognises such a hook by its effect on waits (rule HOK-04).
        if entry.rules().iter().any(|rule| rule.same.is_some() && rule.states.is_empty()) {
            place.within(name).problem("same needs a state");
        }
    }
    if !records.get(ANY_NAME).is_some_and(|entry| entry.rules().iter().any(Rule::is_always)) {
        place.problem(format_args!("{ANY_NAME} needs a rule that always applies"));
    }
}

/// Checks the keys of summaries. The server writes them without escaping.
fn summary_of(keys: Vec<String>, name: Option<&Name>, place: &Place<'_>) -> Vec<String> {
    let is_plain = |key: &str| key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    for (at, key) in keys.iter().enumerate() {
        if !is_plain(key) || keys[..at].contains(key) {
            place.problem(format_args!("\"{key}\" is no plain key, or is there twice"));
        }
    }
    // The name comes first, so that every limit has room for it.
    if keys.first() != name.map(|name| &name.0) {
        let name = name.map_or("undefined", |name| &name.0);
        place.problem(format_args!("does not begin with {name}"));
    }
    keys
}

impl TelemetryMapping {
    fn compile(spec: TelemetrySpec, agent_type: String, place: &Place<'_>) -> Self {
        let keys = RefCell::new(Vec::new());
        let of_logs = PathScope { has_ids: true, has_parent: false, keys: &keys };
        let of_spans = PathScope { has_parent: true, ..of_logs };
        let fields = compile_fields(spec.fields, &place.within("fields"), of_logs, field_of);
        if !fields.iter().any(|rule| rule.field == Field::SessionId) {
            place.within("fields").problem("session_id is missing");
        }
        let known = spec.known_by;
        if known.scopes.is_none() && known.services.is_none() && known.attribute_prefix.is_none() {
            place.within("known_by").problem("is empty");
        }
        let entries = |name: &str, members: &_, path| {
            compile_entries(members, &place.within(name), RuleScope { path, states: None })
        };
        let (logs, spans) = (entries("logs", &spec.logs, of_logs), entries("spans", &spec.spans, of_spans));
        Self {
            agent_type,
            scopes: texts(known.scopes.unwrap_or_default()),
            services: texts(known.services.unwrap_or_default()),
            attribute_prefix: known.attribute_prefix.map(|prefix| prefix.0),
            name: NameRule::compile(&spec.name, place, of_logs),
            id: ids_of(&spec.id, &place.within("id"), of_logs),
            omit: texts(spec.omit).into_iter().collect(),
            fields,
            logs,
            spans,
            keys: keys.into_inner().into_iter().map(Key::from).collect(),
        }
    }
}

/// Compiles the values that tell a record from others. The JSON text of each is hashed as it came.
fn ids_of(names: &[Name], place: &Place<'_>, scope: PathScope<'_>) -> Vec<usize> {
    let compiled = names.iter().enumerate().map(|(at, name)| {
        let path = Path::compile(&name.0, &place.within(at), scope);
        if !path.is_key() {
            place.within(at).problem(format_args!("{} is no whole attribute", name.0));
        }
        path.key
    });
    compiled.collect()
}

impl NameRule {
    fn compile(spec: &NameSpec, place: &Place<'_>, scope: PathScope<'_>) -> Self {
        let place = place.within("name").within("from");
        let from = spec.from.iter().enumerate();
        Self {
            from: from.map(|(at, name)| Path::compile(&name.0, &place.within(at), scope)).collect(),
            prefix: spec.prefix.as_ref().map(|prefix| prefix.0.clone()).unwrap_or_default(),
        }
    }

    /// Returns a name without the prefix.
    pub fn short<'a>(&self, name: &'a str) -> &'a str {
        name.strip_prefix(&*self.prefix).unwrap_or(name)
    }

    /// Returns a name with the prefix: the `source_event` of its events.
    pub fn full<'a>(&self, name: Cow<'a, str>) -> Cow<'a, str> {
        if name.starts_with(&*self.prefix) { name } else { Cow::Owned(format!("{}{name}", self.prefix)) }
    }
}

impl From<String> for Key {
    fn from(key: String) -> Self {
        match (IDS.iter().position(|id| *id == key), key.strip_prefix(PARENT_PREFIX)) {
            (Some(0), _) => Key::TraceId,
            (Some(1), _) => Key::SpanId,
            (Some(_), _) => Key::ParentSpanId,
            (None, Some(name)) => Key::Parent(name.to_owned()),
            (None, None) => Key::Attribute(key),
        }
    }
}

fn texts(names: Vec<Name>) -> Vec<String> {
    names.into_iter().map(|name| name.0).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::contract::AGENTS_FILE;

    /// The cases of all languages that read mappings.
    fn cases() -> Value {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../mapping/tests/bad-mappings.json");
        serde_json::from_str(&std::fs::read_to_string(path).expect("readable")).expect("JSON")
    }

    fn replaced(value: &Value, keys: &[String], other: &Value) -> Value {
        let Some((key, rest)) = keys.split_first() else { return other.clone() };
        let mut copy = value.clone();
        if let Some(list) = copy.as_array_mut() {
            let at: usize = key.parse().expect("an index");
            list[at] = replaced(&value[at], rest, other);
        } else {
            copy[key] = replaced(&value[key], rest, other);
        }
        copy
    }

    fn parts(value: &Value) -> Vec<Vec<String>> {
        let members: Vec<(String, &Value)> = match value {
            Value::Array(items) => {
                items.iter().enumerate().map(|(at, item)| (at.to_string(), item)).collect()
            }
            Value::Object(members) => members.iter().map(|(key, member)| (key.clone(), member)).collect(),
            _ => Vec::new(),
        };
        let with = |key: String, rest: Vec<String>| [vec![key], rest].concat();
        members
            .into_iter()
            .flat_map(|(key, part)| {
                let inner = parts(part).into_iter().map({
                    let key = key.clone();
                    move |rest| with(key.clone(), rest)
                });
                std::iter::once(vec![key]).chain(inner).collect::<Vec<_>>()
            })
            .collect()
    }

    fn problems_of(file: &str, mapping: &Value) -> Vec<String> {
        let agents = json!({ "agent": { "label": "Agent", "agent_type": "agent", file: mapping } });
        compile_agents(&agents.to_string()).err().map(|error| error.problems).unwrap_or_default()
    }

    #[test]
    fn the_mappings_of_the_contract_have_no_problem() {
        let agents = compile_agents(AGENTS_FILE).expect("no problem");
        assert!(agents.len() > 3 && agents.iter().any(|agent| agent.hooks.is_some()));
        let Value::Object(mappings) = &cases()["mappings"] else { panic!("no mappings") };
        for (file, mapping) in mappings {
            assert_eq!(problems_of(file, mapping), [""; 0]);
        }
    }

    #[test]
    fn a_bad_mapping_is_refused_with_its_place() {
        let cases = cases();
        let bad = cases["bad"].as_array().expect("a list");
        assert!(bad.len() > 40);
        for case in bad {
            let file = case["file"].as_str().expect("a text");
            let keys: Vec<String> = serde_json::from_value(case["at"].clone()).expect("texts");
            let found = problems_of(file, &replaced(&cases["mappings"][file], &keys, &case["value"]));
            let places: Vec<String> = case["problems"]
                .as_array()
                .expect("a list")
                .iter()
                .map(|problem| {
                    format!("agents/agent/{file}.json: {}", problem["place"].as_str().expect("a text"))
                })
                .collect();
            assert!(!found.is_empty(), "{case} is refused");
            for problem in found {
                assert!(places.iter().any(|place| problem.starts_with(place)), "{case}: {problem}");
            }
        }
        let unknown = compile_agents(r#"{"agent":{"label":"Agent","agent_type":"agent","hook":{}}}"#);
        let text = unknown.expect_err("an unknown word").to_string();
        assert!(
            text.starts_with("agents/agent/agent.json: ") && text.contains("unknown field `hook`"),
            "{text}"
        );
    }

    #[test]
    fn any_value_in_place_of_a_part_is_refused_as_by_all() {
        let cases = cases();
        let mut count = 0;
        for file in ["hooks", "telemetry"] {
            let mapping = &cases["mappings"][file];
            for keys in parts(mapping) {
                for value in cases["strange"].as_array().expect("a list") {
                    count += u64::from(!problems_of(file, &replaced(mapping, &keys, value)).is_empty());
                }
            }
        }
        assert_eq!(Some(count), cases["refused"].as_u64());
    }

    #[test]
    fn an_unusual_agent_is_refused_and_no_panic() {
        for json in
            ["", "[]", "7", "{", r#"{"a":7}"#, r#"{"a":{}}"#, r#"{"a":{"label":"","agent_type":"a"}}"#]
        {
            assert!(compile_agents(json).is_err(), "{json}");
        }
        assert!(compile_agents("{}").is_ok_and(|agents| agents.is_empty()));
        assert!(compile_agents(r#"{"a":{"label":"A","agent_type":"a","transcripts":{"x":[1]}}}"#).is_ok());
    }
}
