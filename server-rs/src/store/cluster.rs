//! Binds a database to the stream that it is a copy of, and remembers how far it has followed it (rules CLU-02 and
//! CLU-05).
//!
//! Both are rows of `meta`. Invariant: the sequence changes in the transaction that stores its events, so each message
//! changes the copy once.

use std::path::Path;
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension};

use crate::contract::flags::EXITS;
use crate::digest::Digest;
use crate::event::Outcome;
use crate::mapping::event_id::hashed_id;
use crate::queries;
use crate::store::attachment_files::TemporaryFile;
use crate::store::attachments::Attached;
use crate::store::cluster_change::{ClusterChange, parse_bounds};
use crate::store::connection::OpenError;
use crate::store::events::Submission;

/// What a start knows of the stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterStream {
    /// Its name.
    pub name: String,
    /// Host and port of the server of NATS, for people.
    pub host: String,
    /// When it was created, in Unix milliseconds; or why that is not known.
    pub created_ms: Result<i64, String>,
    /// The sequence of the first message that it still has; at most 1 while it has all.
    pub first_sequence: u64,
}

/// The place of a copy in its stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClusterPlace {
    /// When the stream was created, in Unix milliseconds.
    pub created_ms: i64,
    /// The newest sequence that the copy has.
    pub sequence: i64,
    /// The bounds of retention in days and bytes; `None` when the stream has set none.
    pub bounds: Option<(u64, u64)>,
}

/// One message of the stream.
#[derive(Debug)]
pub struct ClusterEvent {
    /// Its sequence, which is the id of its event.
    pub sequence: i64,
    /// Its time in the stream, in Unix milliseconds.
    pub created_at: i64,
    /// Its event.
    pub submission: Submission,
}

/// Consecutive messages of the stream.
#[derive(Debug)]
pub struct ClusterGroup {
    /// The messages that hold an event.
    pub events: Vec<ClusterEvent>,
    /// The change that follows the events; its message is the newest of the group.
    pub change: Option<ClusterChange>,
    /// The time of the change's message in the stream, in Unix milliseconds.
    pub changed_at: i64,
    /// The bytes of the attachment that the change adds; `None` when this server has them, or the bucket no longer
    /// does.
    pub file: Option<Arc<TemporaryFile>>,
    /// The newest sequence of the group, also when its message holds no event.
    pub sequence: i64,
}

/// The effect of a group.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Applied {
    /// The outcome of each event.
    pub outcomes: Vec<Outcome>,
    /// Number of events that the change deleted; `None` when it deleted nothing.
    pub deleted: Option<u64>,
    /// What became of the attachment that the change adds; `None` for any other change.
    pub attached: Option<Attached>,
    /// Contents of deleted attachments, and their sizes in bytes.
    pub contents: Vec<(Digest, u64)>,
}

/// Checks that a database belongs to this stream, or to none; binds a new one. Returns its place in the stream.
pub(super) fn bind_cluster(
    connection: &Connection,
    path: &Path,
    stream: Option<&ClusterStream>,
) -> Result<Option<ClusterPlace>, OpenError> {
    let sqlite = |error: rusqlite::Error| OpenError::sqlite(path, &error);
    let mut select = connection.prepare(queries::SELECT_CLUSTER_STREAM).map_err(sqlite)?;
    let bound: Option<String> = select.query_row([], |row| row.get(0)).optional().map_err(sqlite)?;
    let known = bound.as_deref().and_then(parse_identity);
    let (stream, created_ms) = match (stream, known) {
        (None, None) => return Ok(None),
        (None, Some((name, _))) => {
            return Err(OpenError::new(path, EXITS.database.of_stream, &[("stream", name)]));
        }
        (Some(stream), Some((name, created_ms))) => {
            let is_recreated = stream.created_ms.as_ref().is_ok_and(|found| *found != created_ms);
            if name != stream.name || is_recreated {
                let values =
                    [("found", bound.as_deref().unwrap_or_default()), ("stream", &*identity(stream))];
                return Err(OpenError::new(path, EXITS.database.other_stream, &values));
            }
            (stream, created_ms)
        }
        (Some(stream), None) => {
            let last_id: i64 =
                connection.query_row(queries::SELECT_LAST_EVENT_ID, [], |row| row.get(0)).map_err(sqlite)?;
            if last_id > 0 {
                return Err(OpenError::new(path, EXITS.database.not_a_copy, &[]));
            }
            let created_ms = *stream
                .created_ms
                .as_ref()
                .map_err(|reason| OpenError::no_stream(path, &stream.name, &stream.host, reason))?;
            if stream.first_sequence > 1 {
                return Err(OpenError::new(
                    path,
                    EXITS.database.messages_missing,
                    &[("stream", &stream.name)],
                ));
            }
            connection.execute(queries::INSERT_CLUSTER_STREAM, [identity(stream)]).map_err(sqlite)?;
            (stream, created_ms)
        }
    };
    // A restored copy has an epoch of its own, although it continues the same ids.
    connection
        .execute(queries::UPDATE_CLUSTER_EPOCH, [epoch_of(&stream.name, created_ms)])
        .map_err(sqlite)?;
    let sequence =
        connection.query_row(queries::SELECT_CLUSTER_SEQUENCE, [], |row| row.get(0)).map_err(sqlite)?;
    let mut select = connection.prepare(queries::SELECT_CLUSTER_RETENTION).map_err(sqlite)?;
    let bounds: Option<String> = select.query_row([], |row| row.get(0)).optional().map_err(sqlite)?;
    Ok(Some(ClusterPlace { created_ms, sequence, bounds: bounds.as_deref().and_then(parse_bounds) }))
}

/// Returns the newest sequence in a copy; `None` when the database is no copy (rule CLU-13).
pub(super) fn sequence_of(connection: &Connection) -> rusqlite::Result<Option<i64>> {
    if !connection.prepare(queries::SELECT_CLUSTER_STREAM)?.exists([])? {
        return Ok(None);
    }
    connection.query_row(queries::SELECT_CLUSTER_SEQUENCE, [], |row| row.get(0)).map(Some)
}

/// Returns name and time of a stream as `meta` stores them.
fn identity(stream: &ClusterStream) -> String {
    format!("{} {}", stream.name, stream.created_ms.as_ref().map_or(0, |created_ms| *created_ms))
}

fn parse_identity(text: &str) -> Option<(&str, i64)> {
    let (name, created_ms) = text.split_once(' ')?;
    Some((name, created_ms.parse().ok()?))
}

/// Returns the epoch of every copy of a stream.
fn epoch_of(name: &str, created_ms: i64) -> String {
    hashed_id(&[Some(format!("\"{name}\"")), Some(created_ms.to_string())])
}
