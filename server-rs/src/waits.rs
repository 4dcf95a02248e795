//! Numbers the effects that hooks have on the waits of their sessions (rules WAI-01 and WAI-02).
//!
//! Pure. An event carries the index of its change in [`WAIT_CHANGES`], so that the writer reads no payload.

use std::sync::LazyLock;

use crate::contract::VOCABULARY;
use crate::mapping::AGENTS;
use crate::mapping::state::State;

pub use crate::mapping::state::WaitEnds;

/// The changes of an event: it ends waits first, then starts one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitChange {
    /// The waits that it ends.
    pub ends: WaitEnds,
    /// The reason of the wait that it starts.
    pub begins: Option<&'static str>,
    /// Whether that wait needs an answer.
    pub needs_answer: bool,
    /// Whether it only reminds the user of a wait.
    pub is_reminder: bool,
}

/// The index of the empty change.
pub const NO_CHANGE: usize = 0;
/// The index of a user's dismissal (rule WAI-05).
pub const DISMISSAL: usize = 1;

/// Every change that an event can make.
pub static WAIT_CHANGES: LazyLock<Vec<WaitChange>> = LazyLock::new(|| {
    let mut states: Vec<&State> = AGENTS
        .iter()
        .flat_map(|agent| &agent.hooks)
        .flat_map(|hooks| hooks.records.values())
        .flat_map(|entry| entry.rules())
        .flat_map(|rule| &rule.states)
        .collect();
    states.sort_unstable_by_key(|state| state.index);
    let of_hooks = states.into_iter().map(|state| change_of(state.ends, state.begins, state.is_reminder));
    [change_of(WaitEnds::Nothing, None, false), change_of(WaitEnds::Session, None, false)]
        .into_iter()
        .chain(of_hooks)
        .collect()
});

/// Returns the index of the change that an effect is; that of the empty change without one.
pub fn wait_change(state: Option<&State>) -> usize {
    state.map_or(NO_CHANGE, |state| DISMISSAL + 1 + state.index)
}

/// Returns a change as text, which does not depend on the order of the changes.
pub fn wait_label(change: usize) -> String {
    if change == DISMISSAL {
        return "dismissal".to_owned();
    }
    let Some(WaitChange { ends, begins, is_reminder, .. }) = WAIT_CHANGES.get(change) else {
        return String::new();
    };
    let ends = match ends {
        WaitEnds::Nothing => "nothing",
        WaitEnds::Agent => "agent",
        WaitEnds::Session => "session",
    };
    format!("{ends} {} {}", begins.unwrap_or("none"), if *is_reminder { "reminds" } else { "begins" })
}

/// Returns the change of a label; no change for any other text.
pub fn wait_of(label: &str) -> usize {
    if label == "dismissal" {
        return DISMISSAL;
    }
    let of_hooks = DISMISSAL + 1..WAIT_CHANGES.len();
    of_hooks.into_iter().find(|change| wait_label(*change) == label).unwrap_or(NO_CHANGE)
}

fn change_of(ends: WaitEnds, begins: Option<&'static str>, is_reminder: bool) -> WaitChange {
    let needs_answer = VOCABULARY.reasons_that_need_an_answer.iter().any(|one| Some(*one) == begins);
    WaitChange { ends, begins, needs_answer, is_reminder }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_effect_has_the_index_of_its_change() {
        let states: Vec<&State> = AGENTS
            .iter()
            .flat_map(|agent| &agent.hooks)
            .flat_map(|hooks| hooks.records.values())
            .flat_map(|entry| entry.rules())
            .flat_map(|rule| &rule.states)
            .collect();
        assert_eq!(WAIT_CHANGES.len(), states.len() + 2);
        for state in states {
            let change = WAIT_CHANGES[wait_change(Some(state))];
            let reason = change.begins;
            assert_eq!(
                (change.ends, reason, change.is_reminder),
                (state.ends, state.begins, state.is_reminder)
            );
            assert!(reason.is_none_or(|reason| VOCABULARY.waiting_reasons.contains(&reason)));
        }
        assert_eq!(WAIT_CHANGES[DISMISSAL].ends, WaitEnds::Session);
        assert_eq!(wait_change(None), NO_CHANGE);
    }

    #[test]
    fn a_label_names_its_change() {
        for change in DISMISSAL..WAIT_CHANGES.len() {
            assert_eq!(WAIT_CHANGES[wait_of(&wait_label(change))], WAIT_CHANGES[change]);
        }
        assert_eq!(wait_of("agent turn_finished ends"), NO_CHANGE);
    }
}
