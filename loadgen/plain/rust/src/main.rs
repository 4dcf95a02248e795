//! A subset of the event-ingest API as a tutorial for axum and rusqlite would write it (decision 67).
//!
//! Handlers share one connection behind a mutex and lock it on their own thread: no queue, no thread for writes, no
//! pool.

mod store;

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use axum::extract::{DefaultBodyLimit, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Json, Router};
use clap::Parser;
use rusqlite::Connection;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::signal::unix::{SignalKind, signal};

use crate::store::Event;

#[derive(Parser)]
struct Flags {
    #[arg(long, default_value_t = 3141)]
    port: u16,
    #[arg(long, default_value = "events.db")]
    db: PathBuf,
    #[arg(long, default_value = "process")]
    durability: String,
}

#[derive(Deserialize)]
struct Batch {
    events: Vec<Event>,
}

type App = State<Arc<Mutex<Connection>>>;
type Answer<T> = Result<T, (StatusCode, String)>;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let flags = Flags::parse();
    let db = store::open(&flags.db, &flags.durability)?;
    let router = Router::new()
        .route("/api/events", post(post_event))
        .route("/api/events/batch", post(post_batch))
        .route("/api/stats", get(get_stats))
        .route("/api/health", get(get_health))
        .layer(DefaultBodyLimit::max(8 << 20))
        .with_state(Arc::new(Mutex::new(db)));
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", flags.port)).await?;
    let mut terminate = signal(SignalKind::terminate())?;
    let url = format!("http://{}", listener.local_addr()?);
    println!("{}", about(json!({ "event": "ready", "url": url, "pid": std::process::id() })));
    axum::serve(listener, router).with_graceful_shutdown(async move { _ = terminate.recv().await }).await?;
    Ok(())
}

async fn post_event(State(db): App, Json(event): Json<Event>) -> Answer<(StatusCode, Json<Value>)> {
    let stored = store::insert(&mut db.lock().unwrap(), &[event]).map_err(failed)?;
    match stored["rejected"].get(0) {
        Some(rejected) => Err((StatusCode::BAD_REQUEST, rejected.to_string())),
        None if stored["received"] == 0 => Ok((StatusCode::OK, Json(stored))),
        None => Ok((StatusCode::CREATED, Json(stored))),
    }
}

async fn post_batch(State(db): App, Json(batch): Json<Batch>) -> Answer<(StatusCode, Json<Value>)> {
    let stored = store::insert(&mut db.lock().unwrap(), &batch.events).map_err(failed)?;
    Ok((StatusCode::CREATED, Json(stored)))
}

async fn get_stats(State(db): App) -> Answer<Json<Value>> {
    store::stats(&db.lock().unwrap()).map(Json).map_err(failed)
}

async fn get_health(State(db): App) -> Answer<Json<Value>> {
    store::health(&db.lock().unwrap()).map(about).map(Json).map_err(failed)
}

fn about(mut answer: Value) -> Value {
    answer["runtime"] = json!("rust");
    answer["version"] = json!(env!("CARGO_PKG_VERSION"));
    answer["contract"] = json!(include_str!("../../../../contract/VERSION").trim_ascii_end());
    answer
}

fn failed(error: rusqlite::Error) -> (StatusCode, String) {
    (StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
}
