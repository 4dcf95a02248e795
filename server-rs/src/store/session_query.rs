//! Reads sessions by the contract's statements. Knows nothing of JSON text.
//!
//! A session's status depends on the time of the read (rule SES-02).

use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::field::Field;
use crate::queries;
use crate::store::query::{NO_BOUND, each, known_name, signed};

/// Times that determine a session's status (rule SES-02), in Unix milliseconds.
#[derive(Debug, Clone, Copy)]
pub struct Cutoffs {
    /// Idle when the newest event is at or before this time.
    pub idle: i64,
    /// Ended when the newest event is at or before this time.
    pub ended: i64,
    /// A wait that began at or before this time is stale (rule WAI-04).
    pub stale: i64,
}

impl Cutoffs {
    /// Returns the cutoffs at the time `now`.
    pub fn new(now: i64, timeout_minutes: i64, stale_hours: i64) -> Self {
        let timeout = timeout_minutes * 60_000;
        Self { idle: now - timeout, ended: now - 2 * timeout, stale: now - stale_hours * 3_600_000 }
    }
}

/// The sessions that a page shows.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "each is the parameter of its name")]
pub struct SessionFilter {
    pub status: Option<String>,
    pub exclude_status: Option<String>,
    pub agent_type: Option<String>,
    pub project: Option<String>,
    pub since: Option<i64>,
    pub before: Option<i64>,
}

/// Visits up to `limit` sessions, newest activity first.
pub fn list_sessions(
    connection: &Connection,
    filter: &SessionFilter,
    cutoffs: Cutoffs,
    limit: u64,
    visit: impl FnMut(&Row<'_>) -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    let agent_type = known_name(connection, Field::AgentType, filter.agent_type.as_deref())?;
    let project = known_name(connection, Field::Project, filter.project.as_deref())?;
    let (Some(agent_type), Some(project)) = (agent_type, project) else {
        return Ok(());
    };
    let values = params![
        cutoffs.idle,
        cutoffs.ended,
        filter.before.unwrap_or(NO_BOUND),
        signed(limit),
        filter.status,
        filter.exclude_status,
        agent_type,
        project,
        filter.since,
        cutoffs.stale,
    ];
    each(connection, queries::SELECT_SESSIONS, values, visit).map(|_| ())
}

/// Visits one session; returns `false` when it has no event.
pub fn get_session(
    connection: &Connection,
    session_id: &str,
    cutoffs: Cutoffs,
    visit: impl FnMut(&Row<'_>) -> rusqlite::Result<()>,
) -> rusqlite::Result<bool> {
    let values = params![cutoffs.idle, cutoffs.ended, session_id, cutoffs.stale];
    Ok(each(connection, queries::SELECT_SESSION, values, visit)? > 0)
}

/// Returns the revision of a session's topic (rule SYN-01); `None` when it has no event.
pub fn session_revision(connection: &Connection, session_id: &str) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached(queries::SELECT_SESSION_REVISION)?
        .query_row([session_id], |row| row.get(0))
        .optional()
}
