//! Determines the waits that an agent's hook starts or ends, as `contract/hooks` defines them (rules WAI-01 and
//! WAI-02).
//!
//! Pure. An event carries the index of its change in [`WAIT_CHANGES`], so that the writer reads no payload.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde_json::Value;

use crate::contract::{HOOK_FILES, VOCABULARY};

/// The waits that an event ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "said by their names")]
pub enum WaitEnds {
    Nothing,
    Agent,
    Session,
}

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

/// The index of the change of a hook whose payload has one of `values` at `key`.
#[derive(Debug)]
pub struct WaitRule {
    /// The key that is compared; without a key the rule applies to every payload.
    pub key: Option<&'static str>,
    /// The values that match.
    pub values: Vec<&'static str>,
    /// An index into [`WAIT_CHANGES`].
    pub change: usize,
}

#[derive(Debug)]
struct Waits {
    changes: Vec<WaitChange>,
    /// By the `agent_type` of a file, then by the name of a hook.
    rules: HashMap<&'static str, HashMap<&'static str, Vec<WaitRule>>>,
    keys: Vec<&'static str>,
}

/// The index of the empty change.
pub const NO_CHANGE: usize = 0;
/// The index of a user's dismissal (rule WAI-05).
pub const DISMISSAL: usize = 1;

static SPECS: LazyLock<[Value; HOOK_FILES.len()]> =
    LazyLock::new(|| HOOK_FILES.map(|(_, text)| serde_json::from_str(text).unwrap_or_default()));
static WAITS: LazyLock<Waits> = LazyLock::new(|| Waits::read(&*SPECS));

/// Every change that an event can make.
pub static WAIT_CHANGES: LazyLock<&'static [WaitChange]> = LazyLock::new(|| &WAITS.changes);

/// The keys of payloads that rules compare.
pub static WAIT_KEYS: LazyLock<&'static [&'static str]> = LazyLock::new(|| &WAITS.keys);

/// Returns the rules of an agent's hook, in the order of their evaluation.
pub fn wait_rules(agent_type: &str, hook: &str) -> &'static [WaitRule] {
    WAITS.rules.get(agent_type).and_then(|hooks| hooks.get(hook)).map_or(&[], Vec::as_slice)
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

impl Waits {
    fn read(specs: &'static [Value]) -> Self {
        let change = |ends| WaitChange { ends, begins: None, needs_answer: false, is_reminder: false };
        let mut waits = Self {
            changes: vec![change(WaitEnds::Nothing), change(WaitEnds::Session)],
            rules: HashMap::new(),
            keys: Vec::new(),
        };
        let hooks = specs.iter().flat_map(|spec| {
            let agent_type = spec["agent_type"].as_str().unwrap_or_default();
            spec["waits"].as_object().into_iter().flatten().map(move |hook| (agent_type, hook))
        });
        for (agent_type, (hook, entry)) in hooks {
            let ends = match entry["ends"].as_str() {
                Some("agent") => WaitEnds::Agent,
                Some("session") => WaitEnds::Session,
                _ => WaitEnds::Nothing,
            };
            let mut rules = Vec::new();
            for begin in entry["begins"].as_array().into_iter().flatten() {
                let reason = begin["reason"].as_str();
                let needs_answer =
                    VOCABULARY.reasons_that_need_an_answer.iter().any(|one| Some(*one) == reason);
                let is_reminder = entry["reminds"] == true;
                let key = begin["key"].as_str();
                waits.keys.extend(key.filter(|key| !waits.keys.contains(key)));
                let values =
                    begin["values"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
                rules.push(WaitRule { key, values, change: waits.changes.len() });
                waits.changes.push(WaitChange { ends, begins: reason, needs_answer, is_reminder });
            }
            rules.push(WaitRule { key: None, values: Vec::new(), change: waits.changes.len() });
            waits.changes.push(change(ends));
            waits.rules.entry(agent_type).or_default().insert(hook, rules);
        }
        waits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_wait_rule_of_every_hook_matches_any_payload() {
        assert!(!WAITS.rules.is_empty());
        for (hook, rules) in WAITS.rules.values().flatten() {
            assert_eq!(rules.last().and_then(|rule| rule.key), None, "{hook}");
            for rule in rules {
                let reason = WAIT_CHANGES[rule.change].begins;
                assert!(reason.is_none_or(|reason| VOCABULARY.waiting_reasons.contains(&reason)));
            }
        }
        assert_eq!(WAIT_CHANGES[DISMISSAL].ends, WaitEnds::Session);
        assert_eq!(WAIT_KEYS.len(), 2);
        assert!(wait_rules("claude_code", "MessageDisplay").is_empty());
        assert!(wait_rules("codex", "Notification").is_empty());
        assert!(!wait_rules("codex", "Interrupt").is_empty());
    }
}
