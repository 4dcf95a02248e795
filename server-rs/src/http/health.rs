//! Handles `/api/health`, `/livez`, `/readyz` and `/api/openapi.json`.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use rusqlite::types::Value as Sql;
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::budget::{Day, cents_of, day_of, dollars_json};
use crate::cluster::progress::ClusterStatus;
use crate::contract::VERSION;
use crate::error::{ErrorCode, Failure};
use crate::forward::ForwardStatus;
use crate::http::exchange::Exchange;
use crate::http::reply;
use crate::redact::RedactionCounts;
use crate::served::OPENAPI;
use crate::store::cost::Cost;
use crate::store::query;
use crate::store::signals::{DayCost, day_cost};
use crate::timestamp::format_timestamp;

const ALIVE: &str = r#"{"status":"ok"}"#;

/// `GET /livez` (rule HEA-02).
pub async fn get_live(_: Exchange) -> Response {
    reply::ok(ALIVE)
}

/// `GET /readyz` (rule HEA-02).
pub async fn get_ready(State(app): State<Arc<App>>, _: Exchange) -> reply::Reply {
    match app.fault() {
        Some(ErrorCode::Draining) => Err(Failure::new(ErrorCode::Draining).closing()),
        fault => Ok(fault.map_or_else(|| reply::ok(ALIVE), reply::not_ready)),
    }
}

/// `GET /api/health` (rule HEA-01).
pub async fn get_health(State(app): State<Arc<App>>, _: Exchange) -> reply::Reply {
    let figures = app.store.read(Cost::Bounded, query::health).await?;
    let budget = budget(&app).await?;
    let state = app.store.state();
    let fault = state.fault();
    let disk = app.store.disk();
    let (db_bytes, wal_bytes) = app.store.sizes();
    let mut answer = json!({
        "status": if fault.is_some() { "degraded" } else { "ok" },
        "uptime": app.started.elapsed().as_secs(),
        "sse_clients": app.stream_clients(),
        "version": env!("CARGO_PKG_VERSION"),
        "runtime": "rust",
        "contract": *VERSION,
        "command_name": app.config.command_name,
        "time_zone": app.config.time_zone.name,
        "durability": app.config.durability.as_str(),
        "sqlite_version": rusqlite::version(),
        "journal_mode": figures.journal_mode,
        "synchronous": figures.synchronous,
        "epoch": figures.epoch,
        "db_bytes": db_bytes,
        "wal_bytes": wal_bytes,
        "attachment_bytes": app.attachments.bytes(),
        "attachments_aside": app.store.attachments_aside(),
        "disk_free_bytes": disk.free_bytes,
        "disk_low": disk.is_low(),
        "last_fault": state.last_fault().map(|(code, at)| {
            json!({"code": code.as_str(), "at": format_timestamp(at)})
        }),
        "queue_events": app.admission.events(),
        "telemetry": app.telemetry.json(),
        "prices": app.config.prices.as_ref().map(|prices| {
            let (list, source) = prices.file.as_ref().map_or((&prices.built_in, "built-in"), |file| (file, "file"));
            let built_in_date = &prices.built_in.date;
            json!({"date": list.date, "models": list.models, "source": source, "built_in_date": built_in_date})
        }),
        "redaction": app.config.redaction.as_ref().map(|redaction| {
            let RedactionCounts { keys, patterns } = redaction.counts();
            let (events, attachments) = (app.ingest.redacted(), app.attachments.redacted());
            json!({"keys": keys, "patterns": patterns, "events": events, "attachments": attachments})
        }),
        "budget": budget,
        "forwarding": app.forwarder.as_ref().map(|forwarder| {
            let ForwardStatus { waiting, last_ms, failure, .. } = forwarder.status();
            let last_at = (last_ms > 0).then(|| format_timestamp(last_ms));
            json!({"to": forwarder.host(), "waiting": waiting, "last_at": last_at, "failure": failure})
        }),
        "compile_options": app.store.compile_options(),
        "pragmas": app.store.pragmas().iter().map(member).collect::<Map<_, _>>(),
    });
    if let (Some(cluster), Some(members)) = (&app.cluster, answer.as_object_mut()) {
        let ClusterStatus { applied, waiting, failure } = cluster.status();
        let (stream, connected) = (cluster.stream(), cluster.is_connected());
        let status = json!({
            "stream": stream, "connected": connected, "applied": applied, "waiting": waiting, "failure": failure,
        });
        members.insert("cluster".to_owned(), status);
    }
    if let (Some(code), Some(members)) = (fault, answer.as_object_mut()) {
        members.insert("reason".to_owned(), code.as_str().into());
    }
    Ok(reply::health(answer.to_string(), fault.is_some()))
}

/// Returns the budget and the cost of the day; null without `--budget-usd-day` (rule NOT-05).
async fn budget(app: &App) -> Result<Value, Failure> {
    let Some(cents) = app.config.budget_cents else { return Ok(Value::Null) };
    let Day { date, start_s, end_s } = day_of(&app.config.time_zone, app.clock.now_ms());
    let DayCost { usd, unpriced_tokens } =
        app.store.read(Cost::Bounded, move |connection| day_cost(connection, start_s, end_s)).await?;
    let (usd_day, cost_usd) = (dollars_json(cents), dollars_json(cents_of(usd)));
    Ok(json!({"day": date, "usd_day": usd_day, "cost_usd": cost_usd, "unpriced_tokens": unpriced_tokens}))
}

/// Returns a pragma as a member of the answer. The value of a pragma is always text or an integer.
fn member((name, value): &(&str, Sql)) -> (String, Value) {
    let value = match value {
        Sql::Text(text) => text.as_str().into(),
        Sql::Integer(number) => (*number).into(),
        Sql::Null | Sql::Real(_) | Sql::Blob(_) => Value::Null,
    };
    ((*name).to_owned(), value)
}

/// `GET /api/openapi.json` (rule HEA-03).
pub async fn get_open_api(_: Exchange) -> Response {
    reply::ok(OPENAPI.clone())
}
