//! Writes the waits of a session's agents (rules WAI-02 and WAI-05).
//!
//! Invariant: an event that neither starts nor ends a wait reads and writes no row here.

use rusqlite::{Connection, params};

use crate::queries;
use crate::waits::{WaitChange, WaitEnds};

/// The table `session_waits`. It caches nothing, so a rollback undoes all of it.
#[derive(Debug, Default)]
pub struct SessionWaits;

impl SessionWaits {
    /// Ends waits, then starts one. `agent_id` is empty for the main agent, `event_id` is the current event's, and
    /// `now` is in Unix milliseconds.
    pub fn change(
        &self,
        connection: &Connection,
        session: i64,
        agent_id: &str,
        change: &WaitChange,
        event_id: i64,
        now: i64,
    ) -> rusqlite::Result<()> {
        match change.ends {
            WaitEnds::Nothing => {}
            WaitEnds::Agent => {
                connection
                    .prepare_cached(queries::DELETE_SESSION_WAIT)?
                    .execute(params![session, agent_id])?;
            }
            WaitEnds::Session => {
                connection.prepare_cached(queries::DELETE_SESSION_WAITS)?.execute([session])?;
            }
        }
        if let Some(reason) = change.begins {
            let WaitChange { needs_answer, is_reminder, .. } = *change;
            let values = params![session, agent_id, reason, needs_answer, now, event_id, is_reminder];
            connection.prepare_cached(queries::UPSERT_SESSION_WAIT)?.execute(values)?;
        }
        Ok(())
    }
}
