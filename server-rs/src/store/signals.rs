//! Reads what notifications need: the events and waits after an id, and the cost of a day (rules NOT-02 and NOT-05).

use rusqlite::{Connection, Row};

use crate::queries;
use crate::store::query::each;

/// What an event or a wait means for its session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "said by their names")]
pub enum SignalKind {
    Failed,
    Finished,
    Prompt,
    Waiting,
}

/// One event, or one wait that lasts.
#[derive(Debug, Clone)]
pub struct Signal {
    /// Of the event.
    pub id: i64,
    /// What it means.
    pub kind: SignalKind,
    /// Of a wait.
    pub reason: Option<String>,
    /// Unix milliseconds, as `started_at`.
    pub at: i64,
    /// The session's key.
    pub key: i64,
    /// Of the session.
    pub session_id: String,
    /// Of the session.
    pub agent: String,
    /// Of the session.
    pub project: Option<String>,
    /// The arrival of the session's first event.
    pub started_at: i64,
}

/// Returns the signals of the events above `after`, up to `newest`, oldest first.
pub fn read_signals(connection: &Connection, after: i64, newest: i64) -> rusqlite::Result<Vec<Signal>> {
    let mut signals = Vec::new();
    each(connection, queries::SELECT_SIGNALS, [after, newest], |row| {
        signals.push(signal_of(row)?);
        Ok(())
    })?;
    Ok(signals)
}

/// The cost of a day.
#[derive(Debug, Clone, Copy)]
pub struct DayCost {
    /// Its reported and its computed cost in US dollars.
    pub usd: f64,
    /// Its tokens without a price.
    pub unpriced_tokens: i64,
}

/// Returns the cost of a day between two times in Unix seconds, the end exclusive.
pub fn day_cost(connection: &Connection, start_s: i64, end_s: i64) -> rusqlite::Result<DayCost> {
    connection.prepare_cached(queries::SELECT_DAY_COST)?.query_row([start_s, end_s], |row| {
        Ok(DayCost { usd: row.get("usd")?, unpriced_tokens: row.get("unpriced_tokens")? })
    })
}

fn signal_of(row: &Row<'_>) -> rusqlite::Result<Signal> {
    let kind: String = row.get("kind")?;
    Ok(Signal {
        id: row.get("id")?,
        kind: match kind.as_str() {
            "failed" => SignalKind::Failed,
            "finished" => SignalKind::Finished,
            "waiting" => SignalKind::Waiting,
            _ => SignalKind::Prompt,
        },
        reason: row.get("reason")?,
        at: row.get("at")?,
        key: row.get("key")?,
        session_id: row.get("session_id")?,
        agent: row.get("agent")?,
        project: row.get("project")?,
        started_at: row.get("started_at")?,
    })
}
