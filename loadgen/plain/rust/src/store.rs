//! One connection, one statement for each event, one transaction for each request.

use std::path::Path;
use std::time::Duration;

use chrono::Utc;
use rusqlite::types::Value as SqlValue;
use rusqlite::{Connection, Result, ToSql, named_params};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::event::{Event, format_time};

const PRAGMAS: &str = include_str!("../../../../contract/pragmas.sql");
const SCHEMA: &str = include_str!("../../sql/schema.sql");
const INSERT: &str = include_str!("../../sql/insert.sql");
const TOTALS: &str = include_str!("../../sql/totals.sql");
const SESSION_TIMEOUT: Duration = Duration::from_secs(300);

/// The answer to a request with events. Only the answer to a batch has `rejected`.
#[derive(Serialize)]
pub struct Stored {
    pub received: usize,
    pub ids: Vec<i64>,
    pub duplicates: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rejected: Option<Vec<Rejected>>,
    pub revision: String,
}

#[derive(Serialize)]
pub struct Rejected {
    pub index: usize,
    pub errors: Vec<String>,
}

pub struct Store(Connection);

impl Store {
    pub fn open(path: &Path, synchronous: &str) -> Result<Self> {
        let connection = Connection::open(path)?;
        connection.execute_batch(PRAGMAS)?;
        // SQLite checkpoints automatically, since this server has no checkpoints of its own.
        connection.pragma_update(None, "wal_autocheckpoint", 1000)?;
        connection.pragma_update(None, "synchronous", synchronous)?;
        connection.execute_batch(SCHEMA)?;
        Ok(Self(connection))
    }

    pub fn insert(&mut self, events: &[Event]) -> Result<Stored> {
        let created_at = format_time(Utc::now());
        let mut ids = Vec::new();
        let transaction = self.0.transaction()?;
        let mut insert = transaction.prepare_cached(INSERT)?;
        for event in events {
            let changed = insert.execute(named_params! {
                "@event_id": event.event_id,
                "@session_id": event.session_id,
                "@agent_type": event.agent_type,
                "@event_type": event.event_type,
                "@tool_name": event.tool_name,
                "@status": event.status,
                "@tokens_in": integer(event.tokens_in.or(Some(0.0))),
                "@tokens_out": integer(event.tokens_out.or(Some(0.0))),
                "@cache_read_tokens": integer(event.cache_read_tokens.or(Some(0.0))),
                "@cache_write_tokens": integer(event.cache_write_tokens.or(Some(0.0))),
                "@branch": event.branch,
                "@project": event.project,
                "@duration_ms": integer(event.duration_ms),
                "@model": event.model,
                "@cost_usd": event.cost_usd,
                "@source": event.source,
                "@source_event": event.source_event,
                "@call_id": event.call_id,
                "@agent_id": event.agent_id,
                "@client_timestamp": event.client_timestamp,
                "@created_at": created_at,
                "@payload_truncated": event.payload_truncated,
                "@metadata": event.metadata.as_ref().map_or("{}", |raw| raw.get()),
            })?;
            if changed == 1 {
                ids.push(transaction.last_insert_rowid());
            }
        }
        drop(insert);
        let last = "SELECT ifnull(max(id), 0) FROM events";
        let revision: i64 = transaction.query_row(last, [], |row| row.get(0))?;
        transaction.commit()?;
        Ok(Stored {
            received: ids.len(),
            duplicates: events.len() - ids.len(),
            ids,
            rejected: None,
            revision: revision.to_string(),
        })
    }

    pub fn stats(&self) -> Result<Map<String, Value>> {
        let active_since = format_time(Utc::now() - SESSION_TIMEOUT);
        let mut stats = self.rows(TOTALS, named_params! { "@active_since": active_since })?.swap_remove(0);
        for (list, column, which) in [
            ("tools", "tool_name", "event_type <> 'plan_step'"),
            ("agents", "agent_type", "true"),
            ("models", "model", "true"),
            ("event_types", "event_type", "true"),
            ("branches", "branch", "true"),
        ] {
            let counts = format!(
                "SELECT {column} AS name, count(*) AS count FROM events WHERE {column} IS NOT NULL AND {which} \
                 GROUP BY {column} ORDER BY count DESC, name"
            );
            stats.insert(list.to_owned(), json!(self.rows(&counts, &[])?));
        }
        Ok(stats)
    }

    /// Returns the effective settings, which the comparison checks before it measures.
    pub fn health(&self) -> Result<Value> {
        let mut pragmas = Map::new();
        let contract = PRAGMAS.lines().filter_map(|line| line.strip_prefix("PRAGMA ")?.split(' ').next());
        for name in contract.chain(["synchronous", "page_size"]) {
            let value = self.0.pragma_query_value(None, name, |row| row.get(0))?;
            pragmas.insert(name.to_owned(), json_of(value));
        }
        let options = self.rows("PRAGMA compile_options", &[])?;
        Ok(json!({
            "sqlite_version": rusqlite::version(),
            "journal_mode": pragmas["journal_mode"],
            "synchronous": if pragmas["synchronous"] == 2 { "full" } else { "normal" },
            "compile_options": options.iter().map(|row| &row["compile_options"]).collect::<Vec<_>>(),
            "pragmas": pragmas,
        }))
    }

    fn rows(&self, sql: &str, parameters: &[(&str, &dyn ToSql)]) -> Result<Vec<Map<String, Value>>> {
        let mut statement = self.0.prepare_cached(sql)?;
        let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
        let rows = statement.query_map(parameters, |row| {
            names.iter().enumerate().map(|(at, name)| Ok((name.clone(), json_of(row.get(at)?)))).collect()
        })?;
        rows.collect()
    }
}

/// Converts a number to SQLite's integer type. The caller has checked that it is an integer.
fn integer(value: Option<f64>) -> Option<i64> {
    value.map(|value| value as i64)
}

fn json_of(value: SqlValue) -> Value {
    match value {
        SqlValue::Null | SqlValue::Blob(_) => Value::Null,
        SqlValue::Integer(value) => json!(value),
        SqlValue::Real(value) => json!(value),
        SqlValue::Text(value) => json!(value),
    }
}
