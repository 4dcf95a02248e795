//! Handles `GET /metrics` (rules MTR-01 to MTR-05).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::extract::State;

use crate::app::App;
use crate::forward::Forwarder;
use crate::http::exchange::Exchange;
use crate::http::reply;
use crate::metrics::{Readings, metrics_text};
use crate::store::cost::Cost;
use crate::store::retention::retained_bytes;

/// `GET /metrics` (rule MTR-01).
pub async fn get_metrics(State(app): State<Arc<App>>, _: Exchange) -> reply::Reply {
    // A scrape must work while the database does not, so a failed read leaves the last value.
    if let Ok(bytes) = app.store.read(Cost::Bounded, retained_bytes).await {
        app.retained_bytes.store(bytes, Ordering::Relaxed);
    }
    let (database_bytes, wal_bytes) = app.store.sizes();
    let disk = app.store.disk();
    let bounds = app.store.bounds();
    let number = |number: &AtomicU64| number.load(Ordering::Relaxed);
    let forward = app.forwarder.as_ref().map(Forwarder::status).unwrap_or_default();
    let event_clients = app.hub.clients();
    let readings = Readings {
        runtime: "rust",
        attachments_bytes: app.attachments.bytes(),
        database_bytes,
        wal_bytes,
        disk_free_bytes: disk.free_bytes,
        disk_size_bytes: disk.size_bytes,
        queue_events: app.admission.events(),
        queue_limit_events: app.config.queue_events,
        is_ready: app.fault().is_none(),
        retention_limit_bytes: number(&bounds.bytes),
        retention_limit_days: number(&bounds.days),
        retention_used_bytes: number(&app.retained_bytes),
        event_clients,
        invalidate_clients: app.stream_clients().saturating_sub(event_clients),
        forward_events: forward.events,
        forward_failures: forward.failures,
        forward_last_ms: forward.last_ms,
        forward_lost_events: forward.lost,
        forward_refused_events: forward.refused,
        forward_waiting_events: forward.waiting,
        start_time_ms: app.started_ms,
    };
    Ok(reply::metrics(metrics_text(app.store.meters(), &readings)))
}
