//! Renders snapshots as JSON text (rules SYN-05 and SYN-07).

use super::{bool, member, string};

/// The members of a snapshot before its data.
#[derive(Debug, Clone, Copy)]
pub struct SnapshotHead<'a> {
    /// The name of the topic.
    pub topic: &'a str,
    /// The epoch of the database.
    pub epoch: &'a str,
    /// The revision of the data.
    pub revision: i64,
    /// The revision that the data follows; `None` when the data is the whole state.
    pub since: Option<i64>,
    /// Whether the data is the whole state although the request named a revision.
    pub is_reset: bool,
}

/// Renders a snapshot with its data, which is JSON text.
pub(crate) fn render_snapshot(head: &SnapshotHead<'_>, data: &[u8]) -> Vec<u8> {
    let mut out = snapshot_members(head, data.len());
    member(&mut out, 0, "data");
    out.extend_from_slice(data);
    out.push(b'}');
    out
}

/// Returns an open object with the members before `data`, and room for `room` more bytes.
pub(super) fn snapshot_members(head: &SnapshotHead<'_>, room: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(room + 256);
    let mut text = |name: &str, value: &str| {
        member(&mut out, 0, name);
        string(&mut out, value);
    };
    text("topic", head.topic);
    text("epoch", head.epoch);
    text("revision", &head.revision.to_string());
    if let Some(since) = head.since {
        text("since", &since.to_string());
    }
    if head.is_reset {
        member(&mut out, 0, "reset");
        bool(&mut out, true);
    }
    out
}
