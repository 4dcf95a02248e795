//! Compiles the mapping of telemetry (`contract/mapping.md`). Pure.

use std::cell::RefCell;
use std::collections::HashSet;

use crate::field::Field;
use crate::mapping::field::field_of;
use crate::mapping::forms::{Name, texts};
use crate::mapping::name::NameRule;
use crate::mapping::path::{IDS, PARENT_PREFIX, Path, PathScope};
use crate::mapping::problems::Place;
use crate::mapping::rule::{Entries, RuleScope, compile_entries};
use crate::mapping::spec::TelemetrySpec;
use crate::mapping::value::{FieldRule, compile_fields};

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

impl TelemetryMapping {
    pub(super) fn compile(spec: TelemetrySpec, agent_type: String, place: &Place<'_>) -> Self {
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
