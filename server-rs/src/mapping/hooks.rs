//! Compiles the mapping of hooks (`contract/mapping.md`).
//!
//! Pure. Invariant: every payload is an event, and has a session.

use std::cell::{Cell, RefCell};

use crate::field::Field;
use crate::mapping::field::field_of;
use crate::mapping::forms::{Name, texts};
use crate::mapping::name::NameRule;
use crate::mapping::path::PathScope;
use crate::mapping::problems::Place;
use crate::mapping::rule::{ANY_NAME, Entries, Entry, Rule, RuleScope, compile_entries};
use crate::mapping::spec::HookSpec;
use crate::mapping::value::{FieldRule, compile_fields};

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

impl HookMapping {
    pub(super) fn compile(
        spec: HookSpec,
        agent_type: String,
        place: &Place<'_>,
        states: &Cell<usize>,
    ) -> Self {
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
