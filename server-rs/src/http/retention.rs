//! Handles `/api/retention`, and the deletions of events and sessions (rules RET-03 and RET-04).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::extract::State;
use http::Uri;

use crate::app::App;
use crate::contract::routes::Parameter;
use crate::error::{ErrorCode, Failure};
use crate::http::exchange::Exchange;
use crate::http::reply;
use crate::http::sessions::session_id;
use crate::render::outcomes::{deleted_json, retention_json};
use crate::store::cost::Cost;
use crate::store::deletions::Scope;
use crate::store::retention::{first_event_id, retained_bytes};

/// `GET /api/retention` (rule RET-03).
pub async fn get_retention(State(app): State<Arc<App>>, _: Exchange) -> reply::Reply {
    retention(&app).await
}

/// `PUT /api/retention` (rule RET-03).
pub async fn put_retention(State(app): State<Arc<App>>, exchange: Exchange) -> reply::Reply {
    let bounds = app.store.bounds();
    let wanted = |parameter: Parameter, bound: &AtomicU64| {
        exchange.parameters.number(parameter).map_or(bound.load(Ordering::Relaxed), i64::unsigned_abs)
    };
    let (days, bytes) =
        (wanted(Parameter::RetainDays, &bounds.days), wanted(Parameter::RetainBytes, &bounds.bytes));
    app.set_bounds(days, bytes).await?;
    retention(&app).await
}

async fn retention(app: &App) -> reply::Reply {
    let read = app.store.read(Cost::Bounded, |connection| {
        let snapshot = connection.unchecked_transaction()?;
        Ok((retained_bytes(&snapshot)?, first_event_id(&snapshot)?))
    });
    let (used, first) = read.await?;
    let bounds = app.store.bounds();
    let bounds = (bounds.days.load(Ordering::Relaxed), bounds.bytes.load(Ordering::Relaxed));
    Ok(reply::ok(retention_json(bounds, used, first)))
}

/// `DELETE /api/events` (rule RET-04).
pub async fn delete_events(State(app): State<Arc<App>>, exchange: Exchange) -> reply::Reply {
    let before = exchange.parameters.number(Parameter::DeleteBefore).unwrap_or(0);
    let deleted = app.delete(Scope::Before(before)).await?;
    let newest = app.store.newest_id();
    let (events, revision) = deleted.map_or((0, newest), |deleted| (deleted.events, deleted.revision));
    Ok(reply::ok(deleted_json(events, revision)))
}

/// `DELETE /api/sessions/{id}` (rule RET-04).
pub async fn delete_session(State(app): State<Arc<App>>, uri: Uri, _: Exchange) -> reply::Reply {
    let session_id = session_id(uri.path().rsplit('/').next().unwrap_or_default())?;
    let deleted = app.delete(Scope::Session(session_id)).await?;
    let deleted = deleted.ok_or(Failure::new(ErrorCode::NotFound))?;
    Ok(reply::ok(deleted_json(deleted.events, deleted.revision)))
}
