//! Measures HTTP only: the server's own listener answers batches without reading their contents. A tool of `pnpm
//! bench:ceilings`.
//!
//! It prints the ready line of a server and ends on SIGTERM. The difference between its throughput and the server's
//! is the cost of everything behind HTTP.

use std::process::ExitCode;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::routing::post;
use http::{Response, StatusCode};
use http_body_util::BodyExt;
use ingest_server::http::connection::{Connection, FinishGuard, Held, serve};
use ingest_server::http::reply::JSON;
use ingest_server::http::transport::Listeners;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// Reads a body to its end, then answers like a server that stored fifty new events.
async fn answer(request: Request) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let read = body.collect().await.map_or(0, |body| body.to_bytes().len());
    let mut answer = Response::new(Body::from(r#"{"received":50,"ids":[],"duplicates":0,"rejected":[]}"#));
    *answer.status_mut() = if read > 0 { StatusCode::CREATED } else { StatusCode::BAD_REQUEST };
    answer.headers_mut().insert(http::header::CONTENT_TYPE, JSON);
    // As in the server, the connection waits for its next request from here on.
    match parts.extensions.get::<Connection>() {
        Some(connection) => {
            let held = FinishGuard(std::sync::Arc::clone(&connection.wire));
            answer.map(|body| Body::new(Held { body, held }))
        }
        None => answer,
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    let (Ok(listener), Ok(mut terminate)) =
        (TcpListener::bind("127.0.0.1:0").await, signal(SignalKind::terminate()))
    else {
        return ExitCode::FAILURE;
    };
    let Ok(address) = listener.local_addr() else {
        return ExitCode::FAILURE;
    };
    let router = Router::new().route("/api/events/batch", post(answer));
    println!(
        "{}",
        serde_json::json!({
            "event": "ready", "url": format!("http://{address}"), "pid": std::process::id(),
            "runtime": "rust", "version": "0", "contract": "0",
        })
    );
    let (drain, draining) = watch::channel(false);
    tokio::select! {
        () = serve(Listeners { tcp: listener, unix: None }, None, router, std::sync::Arc::default(), draining) => {}
        _ = terminate.recv() => { drain.send_replace(true); }
    }
    ExitCode::SUCCESS
}
