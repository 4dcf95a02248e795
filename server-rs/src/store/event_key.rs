//! Represents one `event_id`: as its column stores it, and as the 128-bit key that identifies it permanently (rule
//! EVT-13).

use rusqlite::ToSql;
use rusqlite::types::{ToSqlOutput, ValueRef};
use sha2::{Digest, Sha256};

use crate::text::hex_value;

/// The stored form of an `event_id`: a canonical lower-case UUID as its 16 bytes, any other value as its text.
#[derive(Debug, PartialEq, Eq)]
pub enum EventKey<'a> {
    /// RFC 9562, section 4, in lower case.
    Uuid([u8; 16]),
    /// Any other text.
    Text(&'a str),
}

impl<'a> EventKey<'a> {
    /// Returns the stored form of an `event_id`.
    pub fn new(event_id: &'a str) -> Self {
        parse_uuid(event_id.as_bytes()).map_or(EventKey::Text(event_id), EventKey::Uuid)
    }

    /// Returns the second id of a hook whose event has this id (rule HOK-04). Returns `None` for a text,
    /// since such a hook always has a UUID.
    pub fn of_hook(&self) -> Option<EventKey<'static>> {
        match self {
            EventKey::Uuid(bytes) => {
                let mut own = *bytes;
                own[15] ^= 1;
                Some(EventKey::Uuid(own))
            }
            EventKey::Text(_) => None,
        }
    }

    /// Returns the 128-bit key: the UUID's bits, or the first bits of the text's SHA-256 (FIPS 180-4).
    pub fn bits(&self) -> u128 {
        match self {
            EventKey::Uuid(bytes) => u128::from_be_bytes(*bytes),
            EventKey::Text(text) => {
                let digest: [u8; 32] = Sha256::digest(text.as_bytes()).into();
                digest.iter().take(16).fold(0, |bits, byte| bits << 8 | u128::from(*byte))
            }
        }
    }
}

impl ToSql for EventKey<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            EventKey::Uuid(bytes) => ToSqlOutput::Borrowed(ValueRef::Blob(bytes)),
            EventKey::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
        })
    }
}

fn parse_uuid(text: &[u8]) -> Option<[u8; 16]> {
    let text: &[u8; 36] = text.try_into().ok()?;
    let mut bytes = [0; 16];
    let mut at = 0;
    for byte in &mut bytes {
        if matches!(at, 8 | 13 | 18 | 23) {
            if text[at] != b'-' {
                return None;
            }
            at += 1;
        }
        let pair = [text[at], text[at + 1]];
        if pair.iter().any(u8::is_ascii_uppercase) {
            return None;
        }
        *byte = hex_value(pair[0])? << 4 | hex_value(pair[1])?;
        at += 2;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_canonical_uuid_is_stored_as_bytes() {
        let uuid = "0b8f1a2c-3d4e-5f60-7182-93a4b5c6d7e8";
        assert!(matches!(EventKey::new(uuid), EventKey::Uuid([0x0b, .., 0xe8])));
        let upper = uuid.to_uppercase();
        let braces = format!("{{{}}}", &uuid[1..35]);
        for text in [upper.as_str(), &uuid[..35], &braces, "0b8f1a2c3d4e-5f60-7182-93a4b5c6-d7e8", "x"] {
            assert_eq!(EventKey::new(text), EventKey::Text(text));
        }
    }

    #[test]
    fn the_two_keys_of_a_shared_event_id_differ_in_one_bit() {
        let [shared, own] = ["4f53cda1-8c2b-8a0c-8354-bb5f9a3ecbe5", "4f53cda1-8c2b-8a0c-8354-bb5f9a3ecbe4"];
        assert_eq!(EventKey::new(shared).of_hook(), Some(EventKey::new(own)));
        assert_eq!(EventKey::new("x").of_hook(), None);
    }
}
