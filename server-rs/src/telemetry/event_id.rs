//! Computes the ids of events that agents report more than once (rule OTL-09).
//!
//! Pure. An id is a UUID of version 8 (RFC 9562, section 5.8) from a SHA-256.

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::telemetry::values::text_json;

/// The subject of an event; two events with the same subject are duplicates.
#[derive(Debug, PartialEq, Eq)]
pub struct Same {
    /// The kind of the subject.
    pub kind: &'static str,
    /// The key of the subject's name.
    pub key: &'static str,
}

impl Same {
    /// Reads a subject from a mapping; `None` when it is malformed, `Some(None)` when it is absent.
    pub fn read(spec: &'static Value) -> Option<Option<Self>> {
        if spec.is_null() {
            return Some(None);
        }
        Some(Some(Self { kind: spec["kind"].as_str()?, key: spec["key"].as_str()? }))
    }

    /// Returns the id of the event about the subject of this name.
    pub fn id(&self, agent_type: &str, session_id: &str, name: &str) -> String {
        hashed_id(&[agent_type, session_id, self.kind, name].map(|text| Some(text_json(text))))
    }
}

/// Returns the id of an array of JSON texts, with `null` for an absent one.
pub fn hashed_id(items: &[Option<String>]) -> String {
    let items: Vec<&str> = items.iter().map(|item| item.as_deref().unwrap_or("null")).collect();
    let digest = Sha256::digest(format!("[{}]", items.join(",")));
    let mut id = String::with_capacity(36);
    for (place, byte) in digest.iter().take(16).enumerate() {
        // The version is in the seventh byte, the variant in the ninth.
        let byte = match place {
            6 => byte & 0x0f | 0x80,
            8 => byte & 0x3f | 0x80,
            _ => *byte,
        };
        if matches!(place, 4 | 6 | 8 | 10) {
            id.push('-');
        }
        id.push_str(&format!("{byte:02x}"));
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_a_uuid_of_version_8() {
        let id = hashed_id(&[]);
        // SHA-256 of `[]` begins with 4f53cda18c2baa0c0354bb5f9a3ecbe5.
        assert_eq!(id, "4f53cda1-8c2b-8a0c-8354-bb5f9a3ecbe5");
        assert_ne!(hashed_id(&[None]), id);
    }

    #[test]
    fn events_about_the_same_subject_have_one_id() {
        let same = Same { kind: "call", key: "tool_use_id" };
        let id = same.id("claude_code", "s", "t\"");
        let items = [r#""claude_code""#, r#""s""#, r#""call""#, r#""t\"""#];
        assert_eq!(id, hashed_id(&items.map(|item| Some(item.to_owned()))));
        assert_ne!(id, same.id("claude_code", "s", "u"));
    }
}
