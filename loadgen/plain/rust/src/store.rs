//! One connection, one statement for each event, one transaction for each request.
//!
//! The statement and the table trim texts, set defaults, shorten metadata and check values, for both languages alike.

use std::path::Path;

use chrono::{DateTime, SecondsFormat, Utc};
use rusqlite::{Connection, Error, ErrorCode, Result, Statement};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use serde_rusqlite::to_params_named;

/// An event as sent.
#[derive(Deserialize, Serialize)]
pub struct Event {
    pub session_id: String,
    pub agent_type: String,
    pub event_type: String,
    pub status: Option<String>,
    pub event_id: Option<String>,
    pub tool_name: Option<String>,
    pub branch: Option<String>,
    pub project: Option<String>,
    pub model: Option<String>,
    pub source_event: Option<String>,
    pub call_id: Option<String>,
    pub agent_id: Option<String>,
    pub response_id: Option<String>,
    pub service_tier: Option<String>,
    pub subagent: Option<String>,
    pub skill: Option<String>,
    pub mcp_server: Option<String>,
    pub host: Option<String>,
    pub duration_ms: Option<i64>,
    pub tokens_in: Option<i64>,
    pub tokens_out: Option<i64>,
    pub cache_read_tokens: Option<i64>,
    pub cache_write_tokens: Option<i64>,
    pub cache_write_1h_tokens: Option<i64>,
    pub cost_usd: Option<f64>,
    pub source: Option<String>,
    #[serde(skip_serializing)]
    pub client_timestamp: Option<DateTime<Utc>>,
    #[serde(skip_serializing)]
    pub arrived_at: Option<DateTime<Utc>>,
    #[serde(skip_serializing)]
    pub metadata: Option<Box<RawValue>>,
}

pub fn open(path: &Path, durability: &str) -> Result<Connection> {
    let db = Connection::open(path)?;
    db.execute_batch(include_str!("../../../../contract/pragmas.sql"))?;
    db.pragma_update(None, "synchronous", if durability == "power" { "FULL" } else { "NORMAL" })?;
    db.execute_batch(include_str!("../../sql/schema.sql"))?;
    Ok(db)
}

/// Returns the answer to a request. Rejects the events that the table refuses.
pub fn insert(db: &mut Connection, events: &[Event]) -> Result<Value> {
    let mut ids = Vec::new();
    let mut rejected = Vec::new();
    let transaction = db.transaction()?;
    let mut statement = transaction.prepare_cached(include_str!("../../sql/insert.sql"))?;
    for (index, event) in events.iter().enumerate() {
        match insert_one(&mut statement, event) {
            Ok(0) => {}
            Ok(_) => ids.push(transaction.last_insert_rowid()),
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) => {
                rejected.push(json!({ "index": index, "errors": [error.to_string()] }));
            }
            Err(error) => return Err(error),
        }
    }
    drop(statement);
    let last: i64 = transaction.query_row("SELECT ifnull(max(id), 0) FROM events", [], |row| row.get(0))?;
    transaction.commit()?;
    let duplicates = events.len() - ids.len() - rejected.len();
    Ok(json!({
        "received": ids.len(), "ids": ids, "duplicates": duplicates, "rejected": rejected, "revision": last.to_string(),
    }))
}

pub fn stats(db: &Connection) -> Result<Value> {
    db.prepare_cached(include_str!("../../sql/stats.sql"))?.query_row([], |row| row.get(0))
}

pub fn health(db: &Connection) -> Result<Value> {
    let mut health: Value = db.query_row(include_str!("../../sql/health.sql"), [], |row| row.get(0))?;
    // These two have no table-valued function.
    for name in ["mmap_size", "wal_autocheckpoint"] {
        health["pragmas"][name] = db.pragma_query_value(None, name, |row| row.get::<_, i64>(0))?.into();
    }
    Ok(health)
}

/// Returns 1, or 0 for a duplicate.
fn insert_one(statement: &mut Statement, event: &Event) -> Result<usize> {
    let text_of = |time: DateTime<Utc>| time.to_rfc3339_opts(SecondsFormat::Millis, true);
    let metadata = event.metadata.as_ref().map_or("{}", |metadata| metadata.get());
    let mut row = to_params_named(event).map_err(|error| Error::ToSqlConversionFailure(error.into()))?;
    row.push((":client_timestamp".into(), Box::new(event.client_timestamp.map(text_of))));
    row.push((":arrived_at".into(), Box::new(event.arrived_at.map(text_of))));
    row.push((":metadata".into(), Box::new(metadata.to_owned())));
    statement.execute(row.to_slice().as_slice())
}
