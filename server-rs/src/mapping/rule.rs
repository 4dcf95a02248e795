//! The rules of a mapping: which records they apply to, and the events that they make (`contract/mapping.md`).

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashMap;

use crate::contract::VOCABULARY;
use crate::field::Field;
use crate::mapping::condition::{Conditions, texts_of};
use crate::mapping::field::field_of;
use crate::mapping::forms::{Given, Members};
use crate::mapping::path::{Path, PathScope, Source};
use crate::mapping::problems::Place;
use crate::mapping::spec::{EntrySpec, RuleSpec, SameSpec};
use crate::mapping::state::State;
use crate::mapping::value::{FieldRule, compile_fields};

/// The subject of an event; two events with the same subject are duplicates (rule OTL-09).
#[derive(Debug)]
pub struct Same {
    /// The kind of the subject.
    pub kind: String,
    from: Box<[Path]>,
}

/// A rule that makes an event.
#[derive(Debug)]
pub struct Rule {
    conditions: Conditions,
    /// A word of the vocabulary.
    pub event_type: &'static str,
    /// The values of fields, after those of the whole file.
    pub fields: Box<[FieldRule]>,
    /// What the event is about.
    pub same: Option<Same>,
    /// The effects of a hook on waits, of which the first that applies counts.
    pub states: Box<[State]>,
}

/// The rules of a name.
#[derive(Debug)]
pub enum Entry {
    /// Known, counted, and no event.
    Noise,
    /// The first that applies makes the event.
    Rules(Box<[Rule]>),
}

/// The rules by the names of records.
pub type Entries = HashMap<String, Entry>;

/// What the rules of a name mean for a record.
#[derive(Debug)]
pub enum Meaning<'m> {
    /// The rule that makes its event.
    Rule(&'m Rule),
    /// Known, but no event.
    Noise,
    /// No rule knows the name.
    Unknown,
}

/// What the rules of a file may have.
#[derive(Clone, Copy)]
pub(super) struct RuleScope<'k> {
    pub(super) path: PathScope<'k>,
    /// For rules that may have effects on waits: the number of effects so far.
    pub(super) states: Option<&'k Cell<usize>>,
}

/// The name that stands for every other one.
pub(super) const ANY_NAME: &str = "*";
const NOISE: &str = "noise";

/// Compiles the rules by their names. `as` is resolved; a cycle is a problem.
pub(super) fn compile_entries(
    members: &Members<EntrySpec>,
    place: &Place<'_>,
    scope: RuleScope<'_>,
) -> Entries {
    let compiled = members.0.iter().map(|(name, spec)| {
        let entry = resolve(members, name, spec, place).map_or(Entry::Noise, |(name, spec)| {
            // A name that others mean is compiled for each of them.
            Entry::compile(spec.clone(), &place.within(name), scope)
        });
        (name.clone(), entry)
    });
    compiled.collect()
}

/// Follows `as` to the name and the rules that are meant; `None` without them.
fn resolve<'s>(
    members: &'s Members<EntrySpec>,
    name: &'s str,
    spec: &'s EntrySpec,
    place: &Place<'_>,
) -> Option<(&'s str, &'s EntrySpec)> {
    let (mut seen, mut spec) = (vec![name], spec);
    while let Given::Object(rule) = spec
        && let Some((other, is_alone)) = rule.meant()
    {
        let at = place.within(seen.last()?);
        if !is_alone {
            at.problem("the members next to as mean nothing");
        }
        let at = at.within("as");
        let Some((meant, of_meant)) = members.0.iter().find(|(known, _)| *known == other.0) else {
            at.problem(format_args!("there is no {}", other.0));
            return None;
        };
        let is_cycle = seen.contains(&&**meant);
        seen.push(meant);
        if is_cycle {
            at.problem(format_args!("{}, a cycle", seen.join(" is ")));
            return None;
        }
        spec = of_meant;
    }
    Some((seen.last()?, spec))
}

impl Entry {
    /// Returns its rules.
    pub fn rules(&self) -> &[Rule] {
        match self {
            Entry::Noise => &[],
            Entry::Rules(rules) => rules,
        }
    }

    fn compile(spec: EntrySpec, place: &Place<'_>, scope: RuleScope<'_>) -> Self {
        let rules: Box<[Rule]> = match spec {
            Given::Text(text) => {
                if text != NOISE {
                    place.problem("is neither noise nor a rule");
                }
                return Entry::Noise;
            }
            Given::Object(rule) => Rule::compile(rule, place, scope).into_iter().collect(),
            Given::List(rules) => {
                if rules.is_empty() {
                    place.problem("is empty");
                }
                let rules = rules.into_iter().enumerate();
                rules.filter_map(|(at, rule)| Rule::compile(rule, &place.within(at), scope)).collect()
            }
        };
        // A rule behind one that always applies would have no effect, since a request has one event.
        if let Some(always) = rules.iter().position(Rule::is_always).filter(|at| at + 1 < rules.len()) {
            place.within(always + 1).problem("is behind a rule that always applies");
        }
        Entry::Rules(rules)
    }
}

impl Rule {
    /// Returns whether it applies to every record.
    pub fn is_always(&self) -> bool {
        self.conditions.is_always()
    }

    /// Returns the first effect on waits that applies.
    pub fn state<'a>(&self, source: &impl Source<'a>) -> Option<&State> {
        self.states.iter().find(|state| state.conditions.apply(source))
    }

    fn compile(spec: RuleSpec, place: &Place<'_>, scope: RuleScope<'_>) -> Option<Self> {
        let RuleSpec { other, conditions, unless, event_type, fields, same, state } = spec;
        if other.is_some() {
            place.problem("as means nothing here");
        }
        if scope.states.is_none() && state.is_some() {
            place.problem("state means nothing");
        }
        if event_type.is_none() {
            place.problem("has no event_type");
        }
        let event_type =
            event_type.and_then(|word| place.within("event_type").word(&word.0, VOCABULARY.event_types));
        let same = same.map(|same| Same::compile(same, &place.within("same"), scope.path));
        let rule = Self {
            conditions: Conditions::compile(conditions, unless, place, scope.path),
            event_type: event_type.unwrap_or_default(),
            fields: compile_fields(fields, &place.within("fields"), scope.path, |name| {
                field_of(name).filter(|field| *field != Field::AgentType)
            }),
            same,
            states: scope.states.map_or_else(Box::default, |count| {
                State::compile(state, &place.within("state"), scope.path, count)
            }),
        };
        event_type.map(|_| rule)
    }
}

impl Same {
    fn compile(spec: SameSpec, place: &Place<'_>, scope: PathScope<'_>) -> Self {
        let at = place.within("from");
        let from = texts_of(spec.from, &at);
        let from = from.iter().map(|path| Path::compile(path, &at, scope)).collect();
        Self { kind: spec.kind.0, from }
    }

    /// Returns the text that names the subject; `None` without one.
    pub fn subject<'a>(&self, source: &impl Source<'a>) -> Option<Cow<'a, str>> {
        let first = self.from.iter().find_map(|path| path.value(source));
        first?.text().filter(|text| !text.is_empty())
    }
}

/// Returns the first rule that applies to a record of this name.
pub fn first_rule<'m, 'a>(entries: &'m Entries, name: &str, source: &impl Source<'a>) -> Meaning<'m> {
    let find = |entry: Option<&'m Entry>| match entry? {
        Entry::Noise => Some(Meaning::Noise),
        Entry::Rules(rules) => rules.iter().find(|rule| rule.conditions.apply(source)).map(Meaning::Rule),
    };
    let (named, any) = (entries.get(name), entries.get(ANY_NAME));
    find(named).or_else(|| find(any)).unwrap_or(if named.is_none() && any.is_none() {
        Meaning::Unknown
    } else {
        Meaning::Noise
    })
}
