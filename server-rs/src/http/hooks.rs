//! Handles `/api/hooks/claude-code`.

use std::sync::Arc;

use axum::extract::State;

use crate::app::App;
use crate::event::Outcome;
use crate::http::events::events_body;
use crate::http::exchange::Exchange;
use crate::http::reply;

/// `POST /api/hooks/claude-code` (rules HOK-01 to HOK-03 and ATT-10).
pub async fn post_claude_code(State(app): State<Arc<App>>, exchange: Exchange) -> reply::Reply {
    let (body, _, ticket) = events_body(&app, &exchange, 1).await?;
    let payload = app.attachments.payload_to_keep(&body);
    let outcome = app.ingest.hook(body, ticket).await?;
    if let (Some(payload), Outcome::Stored(id)) = (payload, &outcome) {
        app.attachments.keep_payload(*id, payload).await;
    }
    reply::hook(&outcome)
}
