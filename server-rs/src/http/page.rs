//! `/`, `/app.js`, `/app.css`: the dashboard, byte for byte as it was built (rule PAG-01).
//!
//! The files are part of the binary, so that it serves the page from wherever it runs.

use axum::response::Response;

use crate::http::{Request, reply};

/// `GET /`
pub async fn get_page(_: Request) -> Response {
    reply::page(include_bytes!("../../../dashboard/dist/index.html"), "text/html")
}

/// `GET /app.js`
pub async fn get_script(_: Request) -> Response {
    reply::page(include_bytes!("../../../dashboard/dist/app.js"), "text/javascript")
}

/// `GET /app.css`
pub async fn get_styles(_: Request) -> Response {
    reply::page(include_bytes!("../../../dashboard/dist/app.css"), "text/css")
}
