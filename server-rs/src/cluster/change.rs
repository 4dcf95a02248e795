//! Writes a change of the copies as a message of the stream, and reads it back (rules CLU-11 and CLU-14).
//!
//! Pure. `contract/cluster.json` has the names and the members of all changes.

use serde_json::{Map, Value, json};

use crate::cluster::message::Message;
use crate::contract::LIMITS;
use crate::digest::{digest_hex, parse_digest};
use crate::store::cluster_change::ClusterChange;
use crate::text::{is_attachment_name, is_media_type};

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

/// Returns the change of a message with this name. `None` is a change that this server does not know, or that no request
/// can make (rule CLU-14).
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
            name: text("name").filter(|name| is_attachment_name(name))?,
            sha256: parse_digest(&text("sha256")?)?,
            size: size("size").filter(|size| *size <= LIMITS.largest_attachment_bytes)?,
            media_type: text("media_type").filter(|media_type| is_media_type(media_type))?,
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
    #[test]
    fn an_attachment_that_no_request_can_make_is_no_change() {
        let sha256 = "ab".repeat(32);
        let read = |name: &str, media_type: &str, size: u64| {
            let body = json!({
                "event": 1, "name": name, "sha256": sha256, "size": size, "media_type": media_type
            });
            read_change("attach", body.to_string().as_bytes())
        };
        let most = LIMITS.largest_attachment_bytes;
        assert!(read("a.txt", "text/plain", most).is_some());
        assert!(read(&"x".repeat(255), &format!("a/{}", "b".repeat(125)), 0).is_some());
        let long = "x".repeat(256);
        for name in
            ["", ".", "..", "../../x", "a/b", "a\\b", "a\r\nb", "\0", "\u{7f}", "\u{80}", "\u{9f}", &long]
        {
            assert_eq!(read(name, "text/plain", 1), None, "{name:?}");
        }
        let long = format!("a/{}", "b".repeat(126));
        for media_type in [
            "",
            "text",
            "text/",
            "/plain",
            "a/b/c",
            "a b/c",
            "text/html\r\nx: y",
            "text/plain; charset=utf-8",
            "Text/plain",
            "é/x",
            &long,
        ] {
            assert_eq!(read("a.txt", media_type, 1), None, "{media_type:?}");
        }
        for size in [most + 1, 9_007_199_254_740_991, u64::MAX] {
            assert_eq!(read("a.txt", "text/plain", size), None, "{size}");
        }
        let lone = format!(
            r#"{{"event":1,"name":"\ud800","sha256":"{sha256}","size":1,"media_type":"text/plain"}}"#
        );
        assert_eq!(read_change("attach", lone.as_bytes()), None);
    }
}
