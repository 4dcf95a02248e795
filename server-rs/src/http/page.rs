//! `/`, `/app.js`, `/app.css`: the dashboard, byte for byte as it was built (rule PAG-01).
//!
//! The files are part of the binary (`served`), so that it serves the page from wherever it runs.

use axum::response::Response;

use crate::http::{Request, reply};
use crate::served::{PAGE, PAGE_SCRIPT, PAGE_STYLES};

/// `GET /`
pub async fn get_page(_: Request) -> Response {
    reply::page(&PAGE, "text/html")
}

/// `GET /app.js`
pub async fn get_script(_: Request) -> Response {
    reply::page(&PAGE_SCRIPT, "text/javascript")
}

/// `GET /app.css`
pub async fn get_styles(_: Request) -> Response {
    reply::page(&PAGE_STYLES, "text/css")
}
