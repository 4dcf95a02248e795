//! Compiles the mappings of agents: `contract/agents.json` (`contract/mapping.md`).
//!
//! Pure. Invariant: a mapping with an unknown word, a cycle or an impossible value is refused with its place.

use std::cell::{Cell, RefCell};

use serde_path_to_error::{Path as JsonPath, Segment};

use crate::contract;
use crate::mapping::forms::Members;
use crate::mapping::hooks::HookMapping;
use crate::mapping::problems::{MappingError, Place};
use crate::mapping::spec::AgentSpec;
use crate::mapping::telemetry::TelemetryMapping;

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

/// The members of an agent that are mappings, and the stems of their files.
const MAPPINGS: [&str; 2] = ["hooks", "telemetry"];

/// Compiles the agents of `contract/agents.json`, in their order.
pub fn compile_agents(json: &str) -> Result<Vec<Agent>, MappingError> {
    let specs: Members<AgentSpec> = contract::read(json)
        .map_err(|error| MappingError { problems: misread(error.path(), error.inner()) })?;
    let (problems, states) = (RefCell::new(Vec::new()), Cell::new(0));
    let agents =
        specs.0.into_iter().map(|(name, spec)| Agent::compile(name, spec, &problems, &states)).collect();
    let problems = problems.into_inner();
    if problems.is_empty() { Ok(agents) } else { Err(MappingError { problems }) }
}

/// Returns the problem of a text that does not follow the grammar. In the joined file a mapping is a member of its agent.
fn misread(path: &JsonPath, error: &serde_json::Error) -> Vec<String> {
    let name = |segment: &Segment| match segment {
        Segment::Seq { index } => Some(index.to_string()),
        Segment::Map { key } => Some(key.clone()),
        Segment::Enum { .. } | Segment::Unknown => None,
    };
    let names: Vec<String> = path.iter().filter_map(name).collect();
    let problems = RefCell::new(Vec::new());
    let (agent, names) = names.split_first().map_or(("", &[] as &[_]), |(agent, names)| (&**agent, names));
    let (stem, names) = match names.split_first() {
        Some((stem, names)) if MAPPINGS.contains(&&**stem) => (&**stem, names),
        _ => ("agent", names),
    };
    let place = names.iter().fold(Place::of_file(agent, stem, &problems), |place, name| place.within(name));
    let text = error.to_string();
    // The place says more than a line of the joined file.
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
