//! Finds the spellings of a model's name, from the one that was sent to the plainest (rule PRI-02).
//!
//! Pure. The rules are those of `contract/prices/names.json`, so a new provider needs no code.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::contract::{PRICE_NAMES, parse};

/// `prices/names.json`.
#[derive(Debug, Deserialize)]
struct NamesFile {
    ends: Vec<Rule>,
    beginnings: Vec<Rule>,
    modes: BTreeMap<String, Vec<String>>,
}

/// A rule: one of `suffix`, `prefix` and `within`.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[derive(Default)]
struct Rule {
    suffix: String,
    prefix: String,
    becomes: String,
    containing: String,
    within: String,
    from: String,
    to: String,
}

static FILE: LazyLock<NamesFile> = LazyLock::new(|| parse("prices/names.json", PRICE_NAMES));

/// Returns the spellings of a name in lower case: of each beginning, those of the end.
pub fn spellings_of(name: &str) -> impl Iterator<Item = String> {
    chain_of(name.to_ascii_lowercase(), &FILE.beginnings).flat_map(|one| chain_of(one, &FILE.ends))
}

/// Returns the modes of a price for a service tier, of which the first that a model has counts; none is the usual
/// price. Returns `None` for an unknown tier.
pub fn modes_of(service_tier: &str) -> Option<&'static [String]> {
    FILE.modes.get(&service_tier.to_ascii_lowercase()).map(Vec::as_slice)
}

/// Returns whether a price may have a mode of this name.
pub fn is_mode(name: &str) -> bool {
    FILE.modes.values().flatten().any(|mode| mode == name)
}

/// Returns a name and what rules make of it, the plainest last.
fn chain_of(name: String, rules: &[Rule]) -> impl Iterator<Item = String> {
    let plainer = |name: &String| {
        rules.iter().filter(|rule| name.contains(&rule.containing)).find_map(|rule| rule.applied(name))
    };
    std::iter::successors(Some(name), plainer)
}

impl Rule {
    /// Returns the name that this rule makes of a name; `None` when it does not fit.
    fn applied(&self, name: &str) -> Option<String> {
        if !self.suffix.is_empty() {
            let start = name.len().checked_sub(self.suffix.len()).filter(|start| *start > 0)?;
            let end = name.as_bytes().get(start..)?;
            prefix_length(self.suffix.as_bytes(), end)?;
            return Some(format!("{}{}", &name[..start], self.becomes));
        }
        if !self.prefix.is_empty() {
            let length = prefix_length(self.prefix.as_bytes(), name.as_bytes())?;
            return (length < name.len()).then(|| format!("{}{}", self.becomes, &name[length..]));
        }
        let rest = name.strip_prefix(&self.within).filter(|rest| rest.contains(&self.from))?;
        Some(format!("{}{}", self.within, rest.replace(&self.from, &self.to)))
    }
}

/// Returns the length of the text that a pattern fits at the beginning. `#` is a digit, and `*` as little text without
/// `/` as possible.
fn prefix_length(pattern: &[u8], text: &[u8]) -> Option<usize> {
    let Some((first, others)) = pattern.split_first() else { return Some(0) };
    if *first == b'*' {
        let longest = text.iter().take_while(|byte| **byte != b'/').count();
        return (0..=longest)
            .find_map(|length| prefix_length(others, &text[length..]).map(|rest| length + rest));
    }
    let next = text.first()?;
    let fits = if *first == b'#' { next.is_ascii_digit() } else { next == first };
    if fits { prefix_length(others, &text[1..]).map(|rest| 1 + rest) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plainest(name: &str) -> String {
        spellings_of(name).last().unwrap_or_default()
    }

    #[test]
    fn each_beginning_of_a_name_has_all_ends() {
        let spellings: Vec<_> = spellings_of("Azure/EU/gpt-5-2025-08-07[1m]").collect();
        let expected = ["azure/eu/", "azure/", ""].into_iter().flat_map(|beginning| {
            ["gpt-5-2025-08-07[1m]", "gpt-5-2025-08-07", "gpt-5"].map(|end| format!("{beginning}{end}"))
        });
        assert_eq!(spellings, expected.collect::<Vec<_>>());
    }

    #[test]
    fn a_decorated_name_becomes_the_plain_one() {
        for (name, plain) in [
            ("claude-opus-5", "claude-opus-5"),
            ("claude-opus-5[1m]", "claude-opus-5"),
            ("us.anthropic.claude-sonnet-4-5-20250929-v1:0[1m]", "claude-sonnet-4-5"),
            ("openrouter/anthropic/claude-sonnet-4.5:thinking", "claude-sonnet-4-5"),
            ("vertex_ai/claude-sonnet-4-5@20250929", "claude-sonnet-4-5"),
            ("projects/a/locations/b/publishers/google/models/gemini-2.5-pro", "gemini-2.5-pro"),
            ("arn:aws:bedrock:eu-west-1:1:inference-profile/eu.anthropic.claude-opus-5", "claude-opus-5"),
            ("azure/eu/gpt-5-2025-08-07", "gpt-5"),
            // The rest of these is no decoration.
            ("deepseek-v3", "deepseek-v3"),
            ("openrouter/deepseek/deepseek-chat", "openrouter/deepseek/deepseek-chat"),
            ("-20250929", "-20250929"),
            ("anthropic/", "anthropic/"),
            ("gpt-5-2025-08-0é", "gpt-5-2025-08-0é"),
            ("é1m]", "é1m]"),
        ] {
            assert_eq!(plainest(name), plain, "{name}");
        }
    }

    #[test]
    fn a_service_tier_has_modes_in_any_case_of_letters() {
        assert_eq!(modes_of("Fast"), Some(["fast".to_owned(), "priority".to_owned()].as_slice()));
        assert_eq!(modes_of("standard"), Some([].as_slice()));
        assert_eq!(modes_of("scale"), None);
        assert!(is_mode("batch") && !is_mode("standard"));
    }
}
