//! Serves the built page of measurements, with `--bench` alone (rule BEN-05).

use axum::response::Response;

use crate::http::exchange::Exchange;
use crate::http::reply;
use crate::served::{BENCH_PAGE, BENCH_SCRIPT, BENCH_STYLES, BENCH_WORKER};

/// `GET /bench/`
pub async fn get_bench_page(_: Exchange) -> Response {
    reply::bench_page(&BENCH_PAGE, "text/html")
}

/// `GET /bench/app.js`
pub async fn get_bench_script(_: Exchange) -> Response {
    reply::bench_page(&BENCH_SCRIPT, "text/javascript")
}

/// `GET /bench/worker.js`
pub async fn get_bench_worker(_: Exchange) -> Response {
    reply::bench_page(&BENCH_WORKER, "text/javascript")
}

/// `GET /bench/app.css`
pub async fn get_bench_styles(_: Exchange) -> Response {
    reply::bench_page(&BENCH_STYLES, "text/css")
}
