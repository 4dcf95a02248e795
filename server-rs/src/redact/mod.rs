//! Replaces secrets of events and attachments before they are stored, as `--redact` names them (rules RED-01 to
//! RED-07).
//!
//! Pure. An event is redacted after its validation, and before its metadata is truncated.

/// The file of keys and patterns.
pub mod rules;
/// Finds the matches of patterns.
pub mod patterns;
/// Redacts JSON text.
pub mod json_text;
/// Redacts the events of a body.
pub mod step;
/// Redacts bytes that arrive in chunks.
pub mod stream;

use aho_corasick::AhoCorasick;
use hashbrown::HashSet;
use sha2::{Digest as _, Sha256};

use crate::contract::VOCABULARY;
use crate::digest::digest_hex;
use crate::event::{Event, FieldValue, Text};
use crate::field::{Field, FieldKind};
use crate::redact::json_text::redact_json;
use crate::redact::patterns::Patterns;
use crate::redact::rules::RedactionRules;

/// Hexadecimal digits of the digest that replaces an identity.
const IDENTITY_DIGITS: usize = 32;

/// The keys and patterns of a file, ready for use.
#[derive(Debug)]
pub struct Redaction {
    keys: Keys,
    patterns: Patterns,
    /// Finds the texts that any redaction needs.
    signs: AhoCorasick,
    counts: RedactionCounts,
}

/// How many keys and patterns a file has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "said above")]
pub struct RedactionCounts {
    pub keys: usize,
    pub patterns: usize,
}

/// The keys, in ASCII lower case.
#[derive(Debug)]
struct Keys {
    names: HashSet<String>,
    longest: usize,
}

impl Keys {
    fn contains(&self, name: &str) -> bool {
        name.len() <= self.longest && self.names.contains(&name.to_ascii_lowercase())
    }
}

impl Redaction {
    /// Prepares the rules of a file.
    pub fn new(rules: RedactionRules) -> Self {
        let counts = RedactionCounts { keys: rules.keys.len(), patterns: rules.patterns.len() };
        let signs = AhoCorasick::builder().ascii_case_insensitive(true).build(signs_of(&rules));
        let longest = rules.keys.iter().map(String::len).max().unwrap_or(0);
        let names = rules.keys.iter().map(|key| key.to_ascii_lowercase()).collect();
        Self {
            keys: Keys { names, longest },
            patterns: Patterns::new(rules.patterns),
            signs: signs.expect("the limits of a file are far below those of the automaton"),
            counts,
        }
    }

    /// Returns how many keys and patterns the file has.
    pub fn counts(&self) -> RedactionCounts {
        self.counts
    }

    /// Returns whether a redaction may change a JSON text. It is fast, and false for most texts.
    pub fn may_change(&self, text: &str) -> bool {
        self.signs.is_match(text)
    }

    /// Redacts the texts and the metadata of an event; returns whether something changed. Metadata must not be
    /// truncated yet. `has_own_id` is false when the server made the event's id.
    pub fn redact_event(&self, event: &mut Event, body: &str, has_own_id: bool) -> bool {
        let mut is_changed = false;
        for field in Field::ALL {
            let Some(text) = event.text(field, body) else { continue };
            let redacted = match field.spec().kind {
                FieldKind::Json => self.redact_metadata(text),
                FieldKind::Text if field == Field::EventId && !has_own_id => None,
                FieldKind::Text if is_identity(field) => self.redact_identity(text),
                FieldKind::Text => self.redact_text(text),
                _ => None,
            };
            if let Some(redacted) = redacted {
                event.set(field, FieldValue::Text(Text::Owned(redacted.into_boxed_str())));
                is_changed = true;
            }
        }
        is_changed
    }

    /// Returns a JSON text with replacements; `None` when nothing changes.
    pub fn redact_metadata(&self, text: &str) -> Option<String> {
        self.may_change(text).then(|| redact_json(self, text)).flatten()
    }

    /// Returns a text with replacements; `None` when nothing changes.
    pub fn redact_text(&self, text: &str) -> Option<String> {
        let spans = self.patterns.spans(text.as_bytes());
        if spans.is_empty() {
            return None;
        }
        let mut redacted = String::with_capacity(text.len());
        let mut at = 0;
        for span in spans {
            redacted.push_str(&text[at..span.start]);
            redacted.push_str(VOCABULARY.redaction.text);
            at = span.end;
        }
        redacted.push_str(&text[at..]);
        Some(redacted)
    }

    /// Returns the replacement of a text that identifies; equal texts have equal replacements (rule RED-05). `None` when
    /// nothing matches.
    pub fn redact_identity(&self, text: &str) -> Option<String> {
        if self.patterns.spans(text.as_bytes()).is_empty() {
            return None;
        }
        let digest = digest_hex(&Sha256::digest(text).into());
        Some(format!("{} {}", VOCABULARY.redaction.text, &digest[..IDENTITY_DIGITS]))
    }
}

/// Returns whether a field identifies an event, a session, a call or an agent.
fn is_identity(field: Field) -> bool {
    VOCABULARY.redaction.identities.contains(&field.name())
}

/// Returns the keys in quotes, the prefixes, and the escapes that may spell either. A JSON text that a redaction changes
/// contains one of them, in any case of ASCII letters.
fn signs_of(rules: &RedactionRules) -> Vec<String> {
    let prefixes = rules.patterns.iter().map(|pattern| &pattern.prefix);
    // Such a character may be escaped in other ways than by its code.
    let is_plain =
        |text: &String| text.bytes().all(|byte| matches!(byte, b' '..=b'~') && !b"\"/\\".contains(&byte));
    let escapes: Vec<String> = if rules.keys.iter().chain(prefixes.clone()).all(is_plain) {
        (2..8).map(|digit| format!("\\u00{digit}")).collect()
    } else {
        vec!["\\".to_owned()]
    };
    let keys = rules.keys.iter().map(|key| format!("\"{key}\""));
    keys.chain(prefixes.cloned()).chain(escapes).collect()
}
