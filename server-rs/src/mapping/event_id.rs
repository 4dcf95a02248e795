//! Computes the ids of events that agents report more than once (rule OTL-09).
//!
//! Pure. An id is a UUID of version 8 (RFC 9562, section 5.8) from a SHA-256.

use sha2::{Digest, Sha256};

use crate::text::push_json;

/// Returns the id of the event about the subject of this kind and name.
pub fn same_id(kind: &str, agent_type: &str, session_id: &str, name: &str) -> String {
    let mut items = Items::default();
    for text in [agent_type, session_id, kind, name] {
        items.text(Some(text));
    }
    items.id()
}

/// The JSON text of an array whose hash is an id.
#[derive(Debug, Default)]
pub struct Items {
    json: String,
}

impl Items {
    /// Adds a text; `null` for an absent one.
    pub fn text(&mut self, text: Option<&str>) {
        self.next();
        match text {
            Some(text) => push_json(&mut self.json, text),
            None => self.json.push_str("null"),
        }
    }

    /// Adds a JSON text; `null` for an absent one.
    pub fn json(&mut self, json: Option<&str>) {
        self.next();
        self.json.push_str(json.unwrap_or("null"));
    }

    fn next(&mut self) {
        self.json.push(if self.json.is_empty() { '[' } else { ',' });
    }

    /// Returns the id.
    pub fn id(mut self) -> String {
        self.json.push_str(if self.json.is_empty() { "[]" } else { "]" });
        let digest = Sha256::digest(self.json);
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
            for digit in [byte >> 4, byte & 0x0f] {
                id.extend(char::from_digit(digit.into(), 16));
            }
        }
        id
    }
}

/// Returns the id of an array of JSON texts, with `null` for an absent one.
pub fn hashed_id(items: &[Option<String>]) -> String {
    let mut all = Items::default();
    items.iter().for_each(|item| all.json(item.as_deref()));
    all.id()
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
        let id = same_id("call", "agent", "s", "t\"");
        let items = [r#""agent""#, r#""s""#, r#""call""#, r#""t\"""#];
        assert_eq!(id, hashed_id(&items.map(|item| Some(item.to_owned()))));
        assert_ne!(id, same_id("call", "agent", "s", "u"));
    }
}
