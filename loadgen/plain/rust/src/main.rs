//! A subset of the event-ingest API as a tutorial for axum and rusqlite would write it (decision 67).
//!
//! Handlers share one connection behind a mutex and lock it on their own thread: no queue, no thread for writes, no
//! pool.

mod event;
mod store;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::rejection::JsonRejection;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use clap::Parser;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use crate::event::{Event, Problem};
use crate::store::{Rejected, Store, Stored};

const CONTRACT: &str = include_str!("../../../../contract/VERSION");
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

impl App {
    fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Deserialize)]
struct Batch {
    events: Vec<Box<RawValue>>,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let flags = Flags::parse();
    let synchronous = match flags.durability.as_str() {
        "power" => "FULL",
        _ => "NORMAL",
    };
    let store = Mutex::new(Store::open(&flags.db, synchronous)?);
    let listener = TcpListener::bind(("127.0.0.1", flags.port)).await?;
    let mut terminate = signal(SignalKind::terminate())?;
    println!(
        "{}",
        json!({
            "event": "ready",
            "url": format!("http://{}", listener.local_addr()?),
            "pid": std::process::id(),
            "runtime": "rust",
            "version": env!("CARGO_PKG_VERSION"),
            "contract": CONTRACT.trim(),
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
    let Json(event) = body.map_err(|error| Failure::body(&error, "invalid_event"))?;
    let event = event.check(app.flags.max_metadata_bytes).map_err(Failure::event)?;
    let stored = app.store().insert(&[event])?;
    let status = match stored.received {
        0 => StatusCode::OK,
        _ => StatusCode::CREATED,
    };
    Ok((status, Json(stored)))
}

async fn post_batch(
    State(app): State<Arc<App>>,
    body: Result<Json<Batch>, JsonRejection>,
) -> Result<(StatusCode, Json<Stored>), Failure> {
    let Json(batch) = body.map_err(|error| Failure::body(&error, "invalid_batch"))?;
    if batch.events.len() > MAX_BATCH_EVENTS {
        return Err(Failure::new(StatusCode::PAYLOAD_TOO_LARGE, "batch_too_large", "Too many events"));
    }
    let mut events = Vec::with_capacity(batch.events.len());
    let mut rejected = Vec::new();
    for (index, text) in batch.events.iter().enumerate() {
        match read(text, app.flags.max_metadata_bytes) {
            Ok(event) => events.push(event),
            Err(problems) => {
                let errors = problems.iter().map(|p| format!("{}: {}", p.field, p.message)).collect();
                rejected.push(Rejected { index, errors });
            }
        }
    }
    let stored = app.store().insert(&events)?;
    Ok((StatusCode::CREATED, Json(Stored { rejected: Some(rejected), ..stored })))
}

fn read(text: &RawValue, max_metadata_bytes: usize) -> Result<Event, Vec<Problem>> {
    let event: Event = serde_json::from_str(text.get()).map_err(|error| {
        let message = error.to_string();
        vec![Problem { field: "body", message }]
    })?;
    event.check(max_metadata_bytes)
}

async fn get_stats(State(app): State<Arc<App>>) -> Result<Json<Value>, Failure> {
    Ok(Json(app.store().stats()?.into()))
}

async fn get_health(State(app): State<Arc<App>>) -> Result<Json<Value>, Failure> {
    let mut health = app.store().health()?;
    health["status"] = json!("ok");
    health["runtime"] = json!("rust");
    health["version"] = json!(env!("CARGO_PKG_VERSION"));
    health["contract"] = json!(CONTRACT.trim());
    health["durability"] = json!(app.flags.durability);
    Ok(Json(health))
}

struct Failure(StatusCode, Value);

impl Failure {
    fn new(status: StatusCode, code: &str, error: &str) -> Self {
        Self(status, json!({ "error": error, "code": code }))
    }

    fn body(error: &JsonRejection, code: &str) -> Self {
        match error {
            JsonRejection::JsonDataError(_) => Self::new(StatusCode::BAD_REQUEST, code, &error.body_text()),
            JsonRejection::JsonSyntaxError(_) => {
                Self::new(error.status(), "invalid_json", &error.body_text())
            }
            _ => Self::new(error.status(), "bad_request", &error.body_text()),
        }
    }

    fn event(problems: Vec<Problem>) -> Self {
        let details = json!(problems);
        Self(
            StatusCode::BAD_REQUEST,
            json!({ "error": "Invalid event payload", "code": "invalid_event", "details": details }),
        )
    }
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        eprintln!("{error}");
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "storage_error", "Storage failed")
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        (self.0, Json(self.1)).into_response()
    }
}
