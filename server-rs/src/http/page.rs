//! Serves the built dashboard: `/`, `/app.js`, `/app.css` (rule PAG-01).
//!
//! The binary contains the files (`served`), so it serves the dashboard from any folder.

use axum::response::Response;

use crate::http::exchange::Exchange;
use crate::http::reply;
use crate::served::{PAGE, PAGE_SCRIPT, PAGE_STYLES};

/// `GET /`
pub async fn get_page(_: Exchange) -> Response {
    reply::page(&PAGE, "text/html")
}

/// `GET /app.js`
pub async fn get_script(_: Exchange) -> Response {
    reply::page(&PAGE_SCRIPT, "text/javascript")
}

/// `GET /app.css`
pub async fn get_styles(_: Exchange) -> Response {
    reply::page(&PAGE_STYLES, "text/css")
}
