//! Handles `/v1/logs`, `/v1/metrics` and `/v1/traces`.

use std::sync::Arc;

use axum::extract::State;
use http::Method;

use crate::app::App;
use crate::error::{ErrorCode, Failure};
use crate::http::events::events_body;
use crate::http::exchange::Exchange;
use crate::http::negotiation::content_choice;
use crate::http::reply;
use crate::telemetry::counters::Tally;
use crate::telemetry::otlp::{Request, request_of, right_address};

/// `POST /v1/logs`, `/v1/metrics` and `/v1/traces` (rules OTL-01 to OTL-10).
pub async fn post_telemetry(State(app): State<Arc<App>>, exchange: Exchange) -> reply::Reply {
    let answer = content_choice(&exchange.headers, exchange.route)?;
    let request = request_of(exchange.route.path).ok_or(Failure::new(ErrorCode::Internal))?;
    Ok(match take(&app, &exchange, request).await {
        Ok(tally) => reply::telemetry(request, &tally.rejected(), answer),
        Err(failure) => reply::telemetry_failure(&failure, answer),
    })
}

/// Returns what an answer of 404 or 405 adds for a request that an exporter sends to a wrong path (rule OTL-13).
pub(super) fn wrong_path(app: &App, method: &Method, path: &str) -> Option<String> {
    let message = if method == Method::POST { right_address(path)? } else { return None };
    if app.telemetry.count_wrong_path(path) {
        tracing::warn!(path, "telemetry at a wrong path; {message}");
    }
    Some(message)
}

async fn take(app: &App, exchange: &Exchange, request: &'static Request) -> Result<Tally, Failure> {
    let (body, format, ticket) = events_body(app, exchange, 1).await?;
    let tally = app.ingest.telemetry(body, format, request, ticket).await?;
    if app.telemetry.add(&tally, app.clock.now_ms()) {
        tracing::warn!("telemetry without a record; its names may be unknown");
    }
    Ok(tally)
}
