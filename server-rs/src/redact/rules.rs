//! Reads a file of keys and patterns, or finds all its problems (rule RED-02).
//!
//! Pure. The file is JSON, read with the grammar of bodies.

use std::borrow::Cow;

use crate::contract::{LIMITS, VOCABULARY, flags::MESSAGES};
use crate::event::{Span, SpanKind};
use crate::number::parse_integer;
use crate::scanner::{Scan, Scanner};
use crate::text::decode_token;

/// The keys and the patterns of a file.
#[derive(Debug, Default)]
pub struct RedactionRules {
    /// In the order of the file.
    pub keys: Vec<String>,
    /// In the order of the file.
    pub patterns: Vec<RedactionPattern>,
}

/// A literal beginning, and at least so many bytes of a class after it (rule RED-04).
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the member of its name")]
pub struct RedactionPattern {
    pub prefix: String,
    /// Position among the classes of the vocabulary.
    pub class: usize,
    pub minimum: usize,
}

/// Problems of a file of redactions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "config.json has the message of each")]
pub enum RedactionFault {
    Json,
    Object,
    Array,
    Unknown,
    Twice,
    Text,
    Key,
    Prefix,
    Class,
    Minimum,
    Short,
    Absent,
    Nothing,
}

impl RedactionFault {
    /// Returns its message.
    pub fn message(self) -> &'static str {
        match self {
            RedactionFault::Json => MESSAGES.redact_json,
            RedactionFault::Object => MESSAGES.redact_object,
            RedactionFault::Array => MESSAGES.redact_array,
            RedactionFault::Unknown => MESSAGES.redact_unknown,
            RedactionFault::Twice => MESSAGES.redact_twice,
            RedactionFault::Text => MESSAGES.redact_text,
            RedactionFault::Key => MESSAGES.redact_key,
            RedactionFault::Prefix => MESSAGES.redact_prefix,
            RedactionFault::Class => MESSAGES.redact_class,
            RedactionFault::Minimum => MESSAGES.redact_minimum,
            RedactionFault::Short => MESSAGES.redact_short,
            RedactionFault::Absent => MESSAGES.redact_absent,
            RedactionFault::Nothing => MESSAGES.redact_nothing,
        }
    }
}

/// One problem of a file of redactions.
#[derive(Debug, PartialEq, Eq)]
pub struct RedactionProblem {
    /// The kind of the problem.
    pub fault: RedactionFault,
    /// Its place: a JSON Pointer (RFC 6901).
    pub path: String,
}

/// Parses the text of a file; returns all its problems otherwise, in the order of the file.
pub fn parse_redaction(text: &str) -> Result<RedactionRules, Vec<RedactionProblem>> {
    let mut file = File { text, problems: Vec::new() };
    let Ok(root) = root_of(text) else {
        return Err(vec![RedactionProblem { fault: RedactionFault::Json, path: String::new() }]);
    };
    let mut rules = RedactionRules::default();
    file.members(root, "", |file, name, value, path| match name {
        "keys" => {
            let items = file.items(value, path);
            rules.keys = items.iter().filter_map(|(item, path)| file.key(*item, path)).collect();
        }
        "patterns" => {
            let items = file.items(value, path);
            rules.patterns = items.iter().filter_map(|(item, path)| file.pattern(*item, path)).collect();
        }
        _ => file.problem(RedactionFault::Unknown, path),
    });
    if file.problems.is_empty() && rules.keys.is_empty() && rules.patterns.is_empty() {
        file.problem(RedactionFault::Nothing, String::new());
    }
    if file.problems.is_empty() { Ok(rules) } else { Err(file.problems) }
}

/// Returns the span of the one value of a JSON text.
fn root_of(text: &str) -> Scan<Span> {
    let mut scanner = Scanner::new(text.as_bytes());
    scanner.skip_space();
    let root = scanner.skip_value(0)?;
    scanner.end()?;
    Ok(root)
}

/// The text of a file, and the problems found so far.
struct File<'a> {
    text: &'a str,
    problems: Vec<RedactionProblem>,
}

impl<'a> File<'a> {
    fn problem(&mut self, fault: RedactionFault, path: impl Into<String>) {
        self.problems.push(RedactionProblem { fault, path: path.into() });
    }

    /// Visits the members of an object with their names, values and places; returns their names.
    fn members(
        &mut self,
        object: Span,
        path: &str,
        mut visit: impl FnMut(&mut Self, &str, Span, &str),
    ) -> Vec<Cow<'a, str>> {
        if object.kind != SpanKind::Object {
            self.problem(RedactionFault::Object, path);
            return Vec::new();
        }
        let mut names = Vec::new();
        let mut scanner = Scanner::starting_at(self.text.as_bytes(), object.start);
        let scanned = scanner.members(1, |scanner, key| {
            let value = scanner.skip_value(1)?;
            let Some(name) = self.string(key) else {
                self.problem(RedactionFault::Text, path);
                return Ok(());
            };
            let place = format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"));
            if names.contains(&name) {
                self.problem(RedactionFault::Twice, place);
            } else {
                visit(self, &name, value, &place);
                names.push(name);
            }
            Ok(())
        });
        debug_assert!(scanned.is_ok(), "the file was scanned before");
        names
    }

    /// Returns the items of an array with their places.
    fn items(&mut self, array: Span, path: &str) -> Vec<(Span, String)> {
        let mut items = Vec::new();
        if array.kind == SpanKind::Array {
            let mut scanner = Scanner::starting_at(self.text.as_bytes(), array.start);
            let scanned = scanner.elements(1, |scanner| {
                items.push((scanner.skip_value(1)?, format!("{path}/{}", items.len())));
                Ok(())
            });
            debug_assert!(scanned.is_ok(), "the file was scanned before");
        }
        if array.kind != SpanKind::Array || items.len() > LIMITS.redaction_entries {
            self.problem(RedactionFault::Array, path);
            items.clear();
        }
        items
    }

    /// Returns the text of a string; `None` for any other value, and for text that is not well-formed.
    fn string(&self, span: Span) -> Option<Cow<'a, str>> {
        let escaped = span.kind == SpanKind::EscapedString;
        let token = (escaped || span.kind == SpanKind::String).then(|| &self.text[span.start..span.end]);
        token.and_then(|token| decode_token(token, escaped).ok())
    }

    fn key(&mut self, item: Span, path: &str) -> Option<String> {
        let key = self.string(item).filter(|key| {
            (1..=LIMITS.redaction_key_bytes).contains(&key.len())
                && !key.chars().any(|c| c.is_ascii_control())
        });
        if key.is_none() {
            self.problem(RedactionFault::Key, path);
        }
        key.map(Cow::into_owned)
    }

    fn pattern(&mut self, item: Span, path: &str) -> Option<RedactionPattern> {
        let known = self.problems.len();
        let (mut prefix, mut class, mut minimum) = (None, None, None);
        let names = self.members(item, path, |file, name, value, path| match name {
            "prefix" => prefix = file.prefix(value, path),
            "class" => class = file.class(value, path),
            "minimum" => minimum = file.minimum(value, path),
            _ => file.problem(RedactionFault::Unknown, path),
        });
        if item.kind == SpanKind::Object {
            for wanted in ["prefix", "class", "minimum"]
                .into_iter()
                .filter(|name| !names.contains(&Cow::Borrowed(*name)))
            {
                self.problem(RedactionFault::Absent, format!("{path}/{wanted}"));
            }
        }
        let pattern = RedactionPattern { prefix: prefix?, class: class?, minimum: minimum? };
        let is_short = pattern.prefix.len() + pattern.minimum < LIMITS.redaction_least_bytes;
        if is_short && known == self.problems.len() {
            self.problem(RedactionFault::Short, path);
        }
        Some(pattern)
    }

    fn prefix(&mut self, value: Span, path: &str) -> Option<String> {
        let prefix = self.string(value).filter(|text| {
            (1..=LIMITS.redaction_prefix_bytes).contains(&text.len())
                && text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
        });
        if prefix.is_none() {
            self.problem(RedactionFault::Prefix, path);
        }
        prefix.map(Cow::into_owned)
    }

    fn class(&mut self, value: Span, path: &str) -> Option<usize> {
        let name = self.string(value);
        let class =
            name.and_then(|name| VOCABULARY.redaction.classes.iter().position(|(known, _)| *known == name));
        if class.is_none() {
            self.problem(RedactionFault::Class, path);
        }
        class
    }

    fn minimum(&mut self, value: Span, path: &str) -> Option<usize> {
        let number = (value.kind == SpanKind::Number)
            .then(|| parse_integer(&self.text[value.start..value.end]))
            .flatten()
            .filter(|number| (1..=LIMITS.redaction_minimum).contains(number));
        if number.is_none() {
            self.problem(RedactionFault::Minimum, path);
        }
        number.and_then(|number| usize::try_from(number).ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_keys_and_patterns() {
        let text = r#" {"keys": ["Pass\u0057ord", "é"],
            "patterns": [{"prefix": "sk-", "class": "base64url", "minimum": 2e1}]} "#;
        let rules = parse_redaction(text).expect("valid");
        assert_eq!(rules.keys, ["PassWord", "é"]);
        let class =
            VOCABULARY.redaction.classes.iter().position(|(name, _)| *name == "base64url").expect("a class");
        assert_eq!(rules.patterns, [RedactionPattern { prefix: "sk-".to_owned(), class, minimum: 20 }]);
    }

    #[test]
    fn the_shipped_file_is_valid() {
        let rules = parse_redaction(include_str!("../../../contract/redact/secrets.json")).expect("valid");
        assert!(!rules.keys.is_empty() && !rules.patterns.is_empty());
    }
}
