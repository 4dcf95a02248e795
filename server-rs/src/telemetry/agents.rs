//! Finds the agent of a record, and what its mapping reads (rules OTL-05 and OTL-07).
//!
//! Pure. The mappings are compiled once.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::contract::LIMITS;
use crate::field::Field;
use crate::mapping;
use crate::mapping::telemetry::{Key, TelemetryMapping};
use crate::mapping::value::FieldRule;
use crate::telemetry::values::{Attributes, text_json};

/// An agent that sends telemetry.
#[derive(Debug)]
pub struct Agent {
    /// Its index in the list of agents.
    pub place: usize,
    /// Its mapping.
    pub spec: &'static TelemetryMapping,
    /// The rule for `agent_type`, if the mapping is of several agents.
    pub type_rule: Option<&'static FieldRule>,
    /// Whether its spans may take attributes from their parents.
    pub wants_parents: bool,
    /// The names of its services as JSON text.
    services: Vec<String>,
}

const SERVICE: &str = "service.name";

/// The agents in the order in which records are matched.
pub static AGENTS: LazyLock<Vec<Agent>> = LazyLock::new(|| {
    let specs = mapping::AGENTS.iter().filter_map(|agent| agent.telemetry.as_ref());
    specs.enumerate().map(|(place, spec)| Agent::new(place, spec)).collect()
});

/// The resource attributes that a mapping may use.
static SHARED_KEYS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let keys = AGENTS.iter().flat_map(|agent| &agent.spec.keys);
    keys.filter_map(|key| if let Key::Attribute(name) = key { Some(&**name) } else { None })
        .chain([SERVICE])
        .collect()
});

/// The parent-span attributes that a mapping uses.
static PARENT_KEYS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let keys = AGENTS.iter().flat_map(|agent| &agent.spec.keys);
    keys.filter_map(|key| if let Key::Parent(name) = key { Some(&**name) } else { None }).collect()
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
    let service = resource.get(SERVICE);
    AGENTS.iter().find(|agent| agent.knows(scope, service, attributes))
}

/// Returns whether the scope is this one, or nested in it.
fn is_scope(scope: &str, known: &str) -> bool {
    scope.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', ':']))
}

impl Agent {
    fn new(place: usize, spec: &'static TelemetryMapping) -> Self {
        Self {
            place,
            spec,
            type_rule: spec.fields.iter().find(|rule| rule.field == Field::AgentType),
            wants_parents: spec.keys.iter().any(|key| matches!(key, Key::Parent(_))),
            services: spec.services.iter().map(|service| text_json(service)).collect(),
        }
    }

    /// Returns whether a record belongs to this agent; `service` is the JSON text of its service's name.
    fn knows(&self, scope: &str, service: Option<&str>, attributes: Option<&Attributes>) -> bool {
        let has_prefix = |prefix: &String| {
            attributes.is_some_and(|all| all.iter().any(|(key, _)| key.starts_with(&**prefix)))
        };
        self.spec.scopes.iter().any(|known| is_scope(scope, known))
            || service.is_some_and(|service| self.services.iter().any(|known| *known == service))
            || self.spec.attribute_prefix.as_ref().is_some_and(has_prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(agent.map(|agent| &*agent.spec.agent_type), expected, "{scope}");
        }
        assert!(agent_of("x", &none, None).is_none(), "one that is too large has no attributes");
    }

    #[test]
    fn only_attributes_that_mappings_use_are_kept_for_sharing() {
        assert!(is_shared("session.id", "\"s\"") && !is_shared("host.name", "\"h\""));
        assert!(!is_shared("session.id", &"1".repeat(LIMITS.otlp_shared_value_bytes + 1)));
        assert!(is_for_children("tool_use_id", "\"t\"") && !is_for_children("session.id", "\"s\""));
    }
}
