//! Handles the routes of hooks, `/api/hooks/NAME`.

use std::sync::Arc;

use axum::extract::State;

use crate::app::App;
use crate::error::{ErrorCode, Failure};
use crate::hooks::mapping_of;
use crate::http::events::events_body;
use crate::http::exchange::Exchange;
use crate::http::reply;

/// Handles `POST` of an agent's hook (rules HOK-01 to HOK-04).
pub async fn post_hook(State(app): State<Arc<App>>, exchange: Exchange) -> reply::Reply {
    let mapping = mapping_of(exchange.route.path).ok_or(Failure::new(ErrorCode::Internal))?;
    let (body, _, ticket) = events_body(&app, &exchange, 1).await?;
    let outcome = app.ingest.hook(body, mapping, ticket).await?;
    reply::hook(&outcome)
}
