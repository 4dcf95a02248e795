//! Handles `/v1/logs`, `/v1/metrics` and `/v1/traces`.

use std::sync::Arc;

use axum::extract::State;

use crate::app::App;
use crate::error::{ErrorCode, Failure};
use crate::http::events::events_body;
use crate::http::exchange::Exchange;
use crate::http::negotiation::content_choice;
use crate::http::reply;
use crate::telemetry::counters::Tally;
use crate::telemetry::otlp::{Request, request_of};

/// `POST /v1/logs`, `/v1/metrics` and `/v1/traces` (rules OTL-01 to OTL-10).
pub async fn post_telemetry(State(app): State<Arc<App>>, exchange: Exchange) -> reply::Reply {
    let answer = content_choice(&exchange.headers, exchange.route)?;
    let request = request_of(&exchange.route.path).ok_or(Failure::new(ErrorCode::Internal))?;
    Ok(match take(&app, &exchange, request).await {
        Ok(tally) => reply::telemetry(request, &tally.rejected(), answer),
        Err(failure) => reply::telemetry_failure(&failure, answer),
    })
}

async fn take(app: &App, exchange: &Exchange, request: &'static Request) -> Result<Tally, Failure> {
    let (body, format, ticket) = events_body(app, exchange, 1).await?;
    let tally = app.ingest.telemetry(body, format, request, ticket).await?;
    app.telemetry.add(&tally, app.clock.now_ms());
    Ok(tally)
}
