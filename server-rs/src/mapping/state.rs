//! The effects of hooks on waits: `state` of `contract/mapping.md` (rule WAI-01).

use std::cell::Cell;

use crate::contract::VOCABULARY;
use crate::mapping::condition::Conditions;
use crate::mapping::forms::Given;
use crate::mapping::path::PathScope;
use crate::mapping::problems::Place;
use crate::mapping::spec::{Ends, StateSpec};

/// An effect on waits (rule WAI-01).
#[derive(Debug)]
pub struct State {
    pub(super) conditions: Conditions,
    /// Its index among the effects of all agents.
    pub index: usize,
    /// The waits that it ends.
    pub ends: WaitEnds,
    /// The reason of the wait that it starts.
    pub begins: Option<&'static str>,
    /// Whether that wait only reminds the user of another.
    pub is_reminder: bool,
}

/// The waits that an event ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "said by their names")]
pub enum WaitEnds {
    Nothing,
    Agent,
    Session,
}

impl State {
    /// Compiles the member `state` of a rule; `count` is the number of effects so far.
    pub(super) fn compile(
        spec: Option<Given<StateSpec, StateSpec>>,
        place: &Place<'_>,
        scope: PathScope<'_>,
        count: &Cell<usize>,
    ) -> Box<[Self]> {
        let (list, is_list) = match spec {
            None => return Box::default(),
            Some(Given::Object(state)) => (vec![state], false),
            Some(Given::List(states)) => (states, true),
            Some(Given::Text(_)) => {
                place.problem("is no object");
                return Box::default();
            }
        };
        let last = list.len().saturating_sub(1);
        let compiled = list.into_iter().enumerate().map(|(at, state)| {
            let place = if is_list { place.within(at) } else { place.clone() };
            let state = Self::compile_one(state, &place, scope, count.replace(count.get() + 1));
            if state.conditions.is_always() && at < last {
                place.problem("hides those behind it");
            }
            state
        });
        compiled.collect()
    }

    fn compile_one(spec: StateSpec, place: &Place<'_>, scope: PathScope<'_>, index: usize) -> Self {
        let StateSpec { conditions, unless, ends, begins, reminds } = spec;
        if ends.is_none() && begins.is_none() {
            place.problem("neither ends nor begins a wait");
        }
        if reminds.is_some() && begins.is_none() {
            place.within("reminds").problem("needs begins");
        }
        Self {
            conditions: Conditions::compile(conditions, unless, place, scope),
            index,
            ends: match ends {
                None => WaitEnds::Nothing,
                Some(Ends::Agent) => WaitEnds::Agent,
                Some(Ends::Session) => WaitEnds::Session,
            },
            begins: begins.and_then(|word| place.within("begins").word(&word.0, VOCABULARY.waiting_reasons)),
            is_reminder: reminds.is_some(),
        }
    }
}
