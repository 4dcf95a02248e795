//! One connection, one statement for each event, one transaction for each request.
//!
//! The statement and the table trim texts, set defaults and check values, for both languages alike.

use std::collections::HashMap;
use std::path::Path;

use chrono::{DateTime, SecondsFormat, Utc};
use rusqlite::{Connection, Error, ErrorCode, Result, Statement};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use serde_rusqlite::to_params_named;

const PRAGMAS: &str = include_str!("../../../../contract/pragmas.sql");
const MAX_METADATA_BYTES: usize = 10_240;
const SUMMARY_KEYS: &str = "command file_path query pattern error message tool_name path type";

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
    pub duration_ms: Option<i64>,
    pub tokens_in: Option<i64>,
    pub tokens_out: Option<i64>,
    pub cache_read_tokens: Option<i64>,
    pub cache_write_tokens: Option<i64>,
    pub cost_usd: Option<f64>,
    pub source: Option<String>,
    #[serde(skip_serializing)]
    pub client_timestamp: Option<DateTime<Utc>>,
    #[serde(skip_serializing)]
    pub metadata: Option<Box<RawValue>>,
}

pub fn open(path: &Path, durability: &str) -> Result<Connection> {
    let db = Connection::open(path)?;
    db.execute_batch(PRAGMAS)?;
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
    let names = PRAGMAS.lines().filter_map(|line| line.strip_prefix("PRAGMA ")?.split(' ').next());
    for name in names.chain(["synchronous", "page_size"]) {
        health["pragmas"][name] = db.pragma_query_value(None, name, |row| {
            row.get::<_, i64>(0).map(Value::from).or_else(|_| row.get::<_, String>(0).map(Value::from))
        })?;
    }
    Ok(health)
}

/// Returns 1, or 0 for a duplicate.
fn insert_one(statement: &mut Statement, event: &Event) -> Result<usize> {
    let metadata = event.metadata.as_ref().map_or("{}", |metadata| metadata.get());
    let summary = (metadata.len() > MAX_METADATA_BYTES).then(|| summary(metadata));
    let time = event.client_timestamp.map(|time| time.to_rfc3339_opts(SecondsFormat::Millis, true));
    let mut row = to_params_named(event).map_err(|error| Error::ToSqlConversionFailure(error.into()))?;
    row.push((":client_timestamp".into(), Box::new(time)));
    row.push((":payload_truncated".into(), Box::new(summary.is_some())));
    row.push((":metadata".into(), Box::new(summary.unwrap_or_else(|| metadata.into()))));
    statement.execute(row.to_slice().as_slice())
}

/// Returns the length of long metadata with the members that fit.
fn summary(metadata: &str) -> String {
    let members: HashMap<String, &RawValue> = serde_json::from_str(metadata).unwrap_or_default();
    let mut summary = format!(r#"{{"_truncated":true,"_original_bytes":{}"#, metadata.len());
    for (key, value) in SUMMARY_KEYS.split(' ').filter_map(|key| members.get_key_value(key)) {
        let longer = format!(r#"{summary},"{key}":{value}"#);
        if longer.len() < MAX_METADATA_BYTES {
            summary = longer;
        }
    }
    summary + "}"
}
