//! Describes a change that every copy of a stream makes, and remembers the bounds of retention of the stream (rules CLU-11,
//! CLU-12 and CLU-14).

use rusqlite::Connection;

use crate::digest::Digest;
use crate::queries;

/// A change of every copy (rule CLU-11).
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "contract/cluster.json explains the members")]
pub enum ClusterChange {
    /// Deletes the events up to an id.
    DeleteEvents { through: i64, is_asked: bool },
    /// Deletes events of a session; without a last block all further ones and the session.
    DeleteSession { session_id: String, from_block: i64, to_block: Option<i64> },
    /// Sets the bounds of retention.
    Retain { days: u64, bytes: u64 },
    /// Adds an attachment to an event.
    Attach { event: i64, name: String, sha256: Digest, size: u64, media_type: String },
}

impl ClusterChange {
    /// Returns whether a client deletes something, so that its bytes are overwritten (rule RET-07).
    pub(super) fn is_asked(&self) -> bool {
        matches!(self, Self::DeleteEvents { is_asked: true, .. } | Self::DeleteSession { .. })
    }
}

/// The next change of a deletion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NextStep {
    /// The change.
    pub change: ClusterChange,
    /// Whether nothing is left after it.
    pub is_last: bool,
}

/// Remembers the bounds of retention that the stream sets (rule CLU-12).
pub(super) fn store_bounds(connection: &Connection, days: u64, bytes: u64) -> rusqlite::Result<()> {
    let text = format!("{days} {bytes}");
    connection.prepare_cached(queries::UPSERT_CLUSTER_RETENTION)?.execute([text]).map(drop)
}

/// Returns the bounds of retention that `meta` holds, in days and bytes.
pub(super) fn parse_bounds(text: &str) -> Option<(u64, u64)> {
    let (days, bytes) = text.split_once(' ')?;
    Some((days.parse().ok()?, bytes.parse().ok()?))
}
