//! Writes a change of the copies as a message of the stream, and reads it back (rules CLU-11 and CLU-14).
//!
//! Pure. `contract/cluster.json` has the names and the members of all changes.

use serde_json::{Map, Value, json};

use crate::cluster::message::Message;
use crate::digest::{digest_hex, parse_digest};
use crate::store::cluster_change::ClusterChange;

const DELETE_EVENTS: &str = "delete_events";
const DELETE_SESSION: &str = "delete_session";
const RETAIN: &str = "retain";
const ATTACH: &str = "attach";

/// Writes a change.
pub fn write_change(change: &ClusterChange) -> Message {
    let (name, body) = match change {
        ClusterChange::DeleteEvents { through, is_asked } => {
            (DELETE_EVENTS, json!({"through": through, "asked": is_asked}))
        }
        ClusterChange::DeleteSession { session_id, from_block, to_block } => {
            let mut body = json!({"session_id": session_id, "from_block": from_block});
            if let (Some(to_block), Some(members)) = (to_block, body.as_object_mut()) {
                members.insert("to_block".to_owned(), (*to_block).into());
            }
            (DELETE_SESSION, body)
        }
        ClusterChange::Retain { days, bytes } => (RETAIN, json!({"days": days, "bytes": bytes})),
        ClusterChange::Attach { event, name, sha256, size, media_type } => {
            let sha256 = digest_hex(sha256);
            let members = json!({
                "event": event, "name": name, "sha256": sha256, "size": size, "media_type": media_type
            });
            (ATTACH, members)
        }
    };
    Message {
        payload: body.to_string().into_bytes(),
        key: None,
        wait: None,
        is_truncated: false,
        change: Some(name),
    }
}

/// Returns the change of a message with this name; `None` when it is none that this server knows.
pub fn read_change(name: &str, payload: &[u8]) -> Option<ClusterChange> {
    let body: Map<String, Value> = serde_json::from_slice(payload).ok()?;
    let number = |member: &str| body.get(member)?.as_i64().filter(|number| *number >= 0);
    let size = |member: &str| number(member).map(i64::unsigned_abs);
    let text = |member: &str| body.get(member)?.as_str().map(str::to_owned);
    Some(match name {
        DELETE_EVENTS => ClusterChange::DeleteEvents {
            through: number("through")?,
            is_asked: body.get("asked")?.as_bool()?,
        },
        DELETE_SESSION => ClusterChange::DeleteSession {
            session_id: text("session_id")?,
            from_block: number("from_block")?,
            to_block: if body.contains_key("to_block") { Some(number("to_block")?) } else { None },
        },
        RETAIN => ClusterChange::Retain { days: size("days")?, bytes: size("bytes")? },
        ATTACH => ClusterChange::Attach {
            event: number("event")?,
            name: text("name")?,
            sha256: parse_digest(&text("sha256")?)?,
            size: size("size")?,
            media_type: text("media_type")?,
        },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::CLUSTER;

    fn changes() -> [ClusterChange; 5] {
        let session = |to_block| ClusterChange::DeleteSession {
            session_id: "s\n\"é".to_owned(),
            from_block: 3,
            to_block,
        };
        [
            ClusterChange::DeleteEvents { through: 9_007_199_254_740_991, is_asked: true },
            session(Some(5)),
            session(None),
            ClusterChange::Retain { days: 7, bytes: 0 },
            ClusterChange::Attach {
                event: 1,
                name: "é \"".to_owned(),
                sha256: [0xab; 32],
                size: 0,
                media_type: "text/plain".to_owned(),
            },
        ]
    }

    #[test]
    fn a_change_is_read_as_it_was_written() {
        for change in changes() {
            let message = write_change(&change);
            let read = message.change.and_then(|name| read_change(name, &message.payload));
            assert_eq!(read, Some(change));
        }
    }

    #[test]
    fn every_change_has_the_members_of_the_contract() {
        for change in changes() {
            let message = write_change(&change);
            let spec = CLUSTER.changes.get(message.change.expect("a change")).expect("in the contract");
            let body: Map<String, Value> = serde_json::from_slice(&message.payload).expect("JSON");
            let optional = |name: &String| spec.optional.iter().flatten().any(|known| known == name);
            assert!(body.keys().all(|name| spec.members.contains_key(name)));
            assert!(spec.members.keys().all(|name| body.contains_key(name) || optional(name)));
        }
    }

    #[test]
    fn other_messages_are_no_changes() {
        let bodies = ["", "{}", "[]", r#"{"through":-1,"asked":true}"#, r#"{"through":1.5,"asked":true}"#];
        for body in bodies {
            assert_eq!(read_change("delete_events", body.as_bytes()), None, "{body}");
        }
        assert_eq!(read_change("unknown", br#"{"through":1,"asked":true}"#), None);
        let blocks = br#"{"session_id":"s","from_block":1,"to_block":null}"#;
        assert_eq!(read_change("delete_session", blocks), None);
    }
}
