//! A subset of the event-ingest API as a tutorial for axum and rusqlite would write it (decision 67).
//!
//! Handlers share one connection behind a mutex and lock it on their own thread: no queue, no thread for writes, no
//! pool.

mod event;
mod store;

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use axum::extract::rejection::JsonRejection;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Json, Router};
use clap::Parser;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use crate::event::Event;
use crate::store::{Rejected, Store, Stored};

const VERSION: &str = env!("CARGO_PKG_VERSION");
const CONTRACT: &str = include_str!("../../../../contract/VERSION").trim_ascii_end();
const MAX_BODY_BYTES: usize = 8 << 20;
const MAX_BATCH_EVENTS: usize = 10_000;

#[derive(Parser)]
struct Flags {
    #[arg(long, default_value_t = 3141)]
    port: u16,
    #[arg(long, default_value = "events.db")]
    db: PathBuf,
    #[arg(long, default_value = "process", value_parser = ["process", "power"])]
    durability: String,
    #[arg(long, default_value_t = 10_240)]
    max_metadata_bytes: usize,
}

struct App {
    flags: Flags,
    store: Mutex<Store>,
}

#[derive(Deserialize)]
struct Batch {
    events: Vec<Box<RawValue>>,
}

/// The status and body of an answer that refuses.
type Failure = (StatusCode, Json<Value>);

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let flags = Flags::parse();
    let synchronous = if flags.durability == "power" { "FULL" } else { "NORMAL" };
    let store = Mutex::new(Store::open(&flags.db, synchronous)?);
    let listener = TcpListener::bind(("127.0.0.1", flags.port)).await?;
    let mut terminate = signal(SignalKind::terminate())?;
    let url = format!("http://{}", listener.local_addr()?);
    println!(
        "{}",
        json!({
            "event": "ready", "url": url, "pid": std::process::id(),
            "runtime": "rust", "version": VERSION, "contract": CONTRACT,
        })
    );
    let router = Router::new()
        .route("/api/events", post(post_event))
        .route("/api/events/batch", post(post_batch))
        .route("/api/stats", get(get_stats))
        .route("/api/health", get(get_health))
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .with_state(Arc::new(App { flags, store }));
    let ended = async move {
        terminate.recv().await;
    };
    axum::serve(listener, router).with_graceful_shutdown(ended).await?;
    Ok(())
}

async fn post_event(
    State(app): State<Arc<App>>,
    body: Result<Json<Event>, JsonRejection>,
) -> Result<(StatusCode, Json<Stored>), Failure> {
    let Json(event) = body.map_err(|error| wrong_body(&error, "invalid_event"))?;
    let event = event.check(app.flags.max_metadata_bytes).map_err(|problems| {
        let details = json!(problems);
        let body = json!({ "error": "Invalid event payload", "code": "invalid_event", "details": details });
        (StatusCode::BAD_REQUEST, Json(body))
    })?;
    let stored = app.store.lock().unwrap().insert(&[event]).map_err(storage)?;
    let status = if stored.received == 0 { StatusCode::OK } else { StatusCode::CREATED };
    Ok((status, Json(stored)))
}

async fn post_batch(
    State(app): State<Arc<App>>,
    body: Result<Json<Batch>, JsonRejection>,
) -> Result<(StatusCode, Json<Stored>), Failure> {
    let Json(batch) = body.map_err(|error| wrong_body(&error, "invalid_batch"))?;
    if batch.events.len() > MAX_BATCH_EVENTS {
        return Err(failure(StatusCode::PAYLOAD_TOO_LARGE, "batch_too_large", "Too many events"));
    }
    let mut events = Vec::with_capacity(batch.events.len());
    let mut rejected = Vec::new();
    for (index, text) in batch.events.iter().enumerate() {
        match Event::read(text, app.flags.max_metadata_bytes) {
            Ok(event) => events.push(event),
            Err(problems) => {
                let errors = problems.iter().map(|p| format!("{}: {}", p.field, p.message)).collect();
                rejected.push(Rejected { index, errors });
            }
        }
    }
    let stored = app.store.lock().unwrap().insert(&events).map_err(storage)?;
    Ok((StatusCode::CREATED, Json(Stored { rejected: Some(rejected), ..stored })))
}

async fn get_stats(State(app): State<Arc<App>>) -> Result<Json<Map<String, Value>>, Failure> {
    app.store.lock().unwrap().stats().map(Json).map_err(storage)
}

async fn get_health(State(app): State<Arc<App>>) -> Result<Json<Value>, Failure> {
    let mut health = app.store.lock().unwrap().health().map_err(storage)?;
    health["status"] = json!("ok");
    health["runtime"] = json!("rust");
    health["version"] = json!(VERSION);
    health["contract"] = json!(CONTRACT);
    health["durability"] = json!(app.flags.durability);
    Ok(Json(health))
}

fn failure(status: StatusCode, code: &str, error: &str) -> Failure {
    (status, Json(json!({ "error": error, "code": code })))
}

/// `code` is that of JSON with another type.
fn wrong_body(error: &JsonRejection, code: &str) -> Failure {
    let (status, code) = match error {
        JsonRejection::JsonDataError(_) => (StatusCode::BAD_REQUEST, code),
        JsonRejection::JsonSyntaxError(_) => (error.status(), "invalid_json"),
        _ => (error.status(), "bad_request"),
    };
    failure(status, code, &error.body_text())
}

fn storage(error: rusqlite::Error) -> Failure {
    eprintln!("{error}");
    failure(StatusCode::SERVICE_UNAVAILABLE, "storage_error", "Storage failed")
}
