//! Handles `/api/backup` (rule BAK-07).

use std::sync::Arc;

use axum::extract::State;

use crate::app::App;
use crate::http::exchange::Exchange;
use crate::http::reply;

/// `POST /api/backup` (rule BAK-07).
pub async fn post_backup(State(app): State<Arc<App>>, _: Exchange) -> reply::Reply {
    Ok(reply::backup(&app.store.backups().make_backup(app.clock.now_ms()).await?))
}
