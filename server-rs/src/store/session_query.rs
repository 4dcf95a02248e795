//! Reads sessions by the contract's statements. Knows nothing of JSON text.
//!
//! A session's status depends on the time of the read (rule SES-02).

use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::contract::LIMITS;
use crate::field::Field;
use crate::queries;
use crate::render::Place;
use crate::store::query::{NO_BOUND, each, known_name, signed};

/// Times that determine a session's status (rule SES-02), in Unix milliseconds.
#[derive(Debug, Clone, Copy)]
pub struct Cutoffs {
    /// Idle when the newest live event arrived at or before this time.
    pub idle: i64,
    /// Ended when the newest live event arrived at or before this time.
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
    pub cursor: Option<Place>,
}

impl SessionFilter {
    /// Returns whether every session below the cursor matches.
    fn is_empty(&self) -> bool {
        let Self { status, exclude_status, agent_type, project, since, cursor: _ } = self;
        [status, exclude_status, agent_type, project].iter().all(|wanted| wanted.is_none()) && since.is_none()
    }
}

/// Visits up to `limit` sessions, newest activity first. Looks at a bounded number of sessions (rule SES-05). Returns the
/// place where the next page continues.
pub fn list_sessions(
    connection: &Connection,
    filter: &SessionFilter,
    cutoffs: Cutoffs,
    limit: u64,
    mut visit: impl FnMut(&Row<'_>) -> rusqlite::Result<()>,
) -> rusqlite::Result<Option<Place>> {
    // All statements see one state of the file.
    let _transaction =
        if connection.is_autocommit() { Some(connection.unchecked_transaction()?) } else { None };
    let agent_type = known_name(connection, Field::AgentType, filter.agent_type.as_deref())?;
    let project = known_name(connection, Field::Project, filter.project.as_deref())?;
    let (Some(agent_type), Some(project)) = (agent_type, project) else {
        return Ok(None);
    };
    let below = filter.cursor.unwrap_or(Place { time: NO_BOUND, number: NO_BOUND });
    let bound = if filter.is_empty() { None } else { session_bound(connection, below)? };
    let lowest = bound.unwrap_or(Place { time: -NO_BOUND, number: 0 });
    let values = params![
        cutoffs.idle,
        cutoffs.ended,
        below.time,
        below.number,
        signed(limit.saturating_add(1)),
        filter.status,
        filter.exclude_status,
        agent_type,
        project,
        filter.since,
        cutoffs.stale,
        lowest.time,
        lowest.number,
    ];
    let (mut rows, mut last, mut next) = (0, below, bound);
    each(connection, queries::SELECT_SESSIONS, values, |row| {
        if rows == limit {
            next = Some(last);
            return Ok(());
        }
        rows += 1;
        last = Place { time: row.get("activity")?, number: row.get("number")? };
        visit(row)
    })?;
    Ok(next)
}

/// Returns the place of the last session that a page looks at; `None` when it looks at all sessions.
fn session_bound(connection: &Connection, below: Place) -> rusqlite::Result<Option<Place>> {
    connection
        .prepare_cached(queries::SELECT_SESSION_BOUND)?
        .query_row(params![below.time, below.number, signed(LIMITS.page_sessions)], |row| {
            Ok(Place { time: row.get(0)?, number: row.get(1)? })
        })
        .optional()
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
