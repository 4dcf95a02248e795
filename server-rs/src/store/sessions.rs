//! Sums up the effects of a group of events on its sessions: one upsert per session and group.
//!
//! Events need the key of their session before its row exists, so this module assigns the keys. It writes the
//! rows at the end of the group.

use hashbrown::HashMap;
use rusqlite::{Connection, OptionalExtension, params};

use crate::figure::{Figure, Sums, no_sums};
use crate::queries;
use crate::store::stats::execute_with;

/// Largest number of cached session keys.
const KEPT: usize = 65_536;

/// What the newest event that ends or reopens a session means for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionEnd {
    /// The time of the end; `None` when the event reopens the session.
    pub ended_at: Option<i64>,
    /// Whether the event is history. It has no effect on a session with a live event.
    pub is_history: bool,
}

/// Sums of one session in one group.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "the columns of the table sessions")]
pub struct SessionDelta {
    pub session_id: Box<str>,
    pub agent_type: i64,
    pub project: Option<i64>,
    pub branch: Option<i64>,
    pub model: Option<i64>,
    /// How an event ended or reopened it (rule SES-02); `None` when only other events arrived.
    pub end: Option<SessionEnd>,
    /// Whether one of its events is more than a dismissal. The times are those of such events then.
    pub is_active: bool,
    pub started_at: i64,
    pub last_event_at: i64,
    pub live_at: Option<i64>,
    pub first_event_id: i64,
    pub last_event_id: i64,
    pub sums: Sums,
}

impl SessionDelta {
    /// Creates the empty sums of a session; its first event in the group has this id.
    pub fn new(session_id: &str, agent_type: i64, first_event_id: i64) -> Self {
        Self {
            session_id: session_id.into(),
            agent_type,
            project: None,
            branch: None,
            model: None,
            end: None,
            is_active: false,
            started_at: i64::MAX,
            last_event_at: i64::MIN,
            live_at: None,
            first_event_id,
            last_event_id: 0,
            sums: no_sums(),
        }
    }
}

impl SessionDelta {
    /// Adds an event that ends or reopens the session, after its time.
    pub fn add_end(&mut self, end: SessionEnd) {
        if !end.is_history || self.live_at.is_none() {
            self.end = Some(end);
        }
    }

    /// Adds the time of an event. `live_at` is its arrival if it is not history.
    pub fn add_time(&mut self, time: i64, live_at: Option<i64>, is_activity: bool) {
        if is_activity && !self.is_active {
            // Times of dismissals do not count next to others.
            (self.started_at, self.last_event_at, self.live_at) = (time, time, None);
            self.is_active = true;
        }
        if is_activity || !self.is_active {
            self.started_at = self.started_at.min(time);
            self.last_event_at = self.last_event_at.max(time);
            self.live_at = live_at.or(self.live_at);
        }
    }
}

/// The writer's sessions: cached keys, and the sums of the current group by key.
#[derive(Debug, Default)]
pub struct SessionDeltas {
    keys: HashMap<Box<str>, i64>,
    last_key: Option<i64>,
    deltas: HashMap<i64, SessionDelta>,
}

impl SessionDeltas {
    /// Returns the key of a session, a new one when it has no event yet.
    pub fn key(&mut self, connection: &Connection, session_id: &str) -> rusqlite::Result<i64> {
        if let Some(key) = self.keys.get(session_id) {
            return Ok(*key);
        }
        let key = match find_session(connection, session_id)? {
            Some(key) => key,
            None => self.next_key(connection)?,
        };
        if self.keys.len() >= KEPT {
            // Keys of the current group are not in the table yet, so they must stay.
            let deltas = &self.deltas;
            self.keys.retain(|_, key| deltas.contains_key(key));
        }
        self.keys.insert(session_id.into(), key);
        Ok(key)
    }

    fn next_key(&mut self, connection: &Connection) -> rusqlite::Result<i64> {
        let last = match self.last_key {
            Some(last) => last,
            None => connection.query_row(queries::SELECT_LAST_SESSION_KEY, [], |row| row.get(0))?,
        };
        self.last_key = Some(last + 1);
        Ok(last + 1)
    }

    /// Returns the sums of a session in the current group.
    pub fn delta(&mut self, key: i64, session_id: &str, agent_type: i64, event_id: i64) -> &mut SessionDelta {
        self.deltas.entry(key).or_insert_with(|| SessionDelta::new(session_id, agent_type, event_id))
    }

    /// Writes the group's sums.
    pub fn flush(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let mut upsert = connection.prepare_cached(queries::UPSERT_SESSION)?;
        // In the order of their newest events, which is that of the index.
        let mut deltas: Vec<_> = self.deltas.drain().collect();
        deltas.sort_unstable_by_key(|(_, delta)| delta.last_event_id);
        for (key, delta) in deltas {
            let own = params![
                key,
                delta.session_id,
                delta.agent_type,
                delta.project,
                delta.branch,
                delta.model,
                delta.end.and_then(|end| end.ended_at),
                delta.started_at,
                delta.last_event_at,
                delta.live_at,
                delta.last_event_id,
                delta.first_event_id,
                delta.is_active,
                delta.end.map_or(0, |end| if end.is_history { 2 } else { 1 }),
            ];
            execute_with(&mut upsert, own, &delta.sums, &Figure::USUAL_OF_SESSIONS)?;
            // A separate statement, so that the row of a session without rare figures costs no more.
            if Figure::RARE_OF_SESSIONS.iter().any(|figure| delta.sums[*figure as usize] > 0) {
                let mut add = connection.prepare_cached(queries::ADD_RARE_FIGURES_TO_SESSION)?;
                execute_with(&mut add, params![key], &delta.sums, &Figure::RARE_OF_SESSIONS)?;
            }
        }
        Ok(())
    }

    /// Drops everything, including the sums of a group that was rolled back.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

/// Returns the key of a session, if it has an event.
pub(super) fn find_session(connection: &Connection, session_id: &str) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached(queries::SELECT_SESSION_KEY)?
        .query_row([session_id], |row| row.get(0))
        .optional()
}
