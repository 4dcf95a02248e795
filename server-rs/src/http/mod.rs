//! Routes every request, and runs the checks before a handler (rule HTT-02). Holds no SQL. Over 250 lines because
//! every module of this folder and every route has its line here.

/// Checks the raw head of a request.
pub mod head;
/// Finds the end of a chunked body.
pub mod chunks;
/// The file of the Unix domain socket.
#[cfg(unix)]
pub mod socket;
/// Refuses a Unix domain socket.
#[cfg(windows)]
#[path = "no_socket.rs"]
pub mod socket;
/// The sockets of the port.
pub mod port;
/// A connection's socket, TCP or Unix.
pub mod transport;
/// Checks the bytes of a connection before hyper sees them.
pub mod wire;
/// The lingering close.
mod linger;
/// The answers that clients have not taken.
pub mod answer_room;
/// Accepts, serves and drains connections.
pub mod connection;
/// The cookie that admits a browser.
pub mod cookie;
/// The code that admits one window.
pub mod login;
/// Splits an authority into host and port.
pub mod authority;
/// Checks Host, Origin and token.
pub mod guard;
/// What refusals say, and their log.
pub mod refusals;
/// The query string.
pub mod parameters;
/// A request with the facts known about it.
pub mod exchange;
/// Selects the format of a body and of an answer.
pub mod negotiation;
/// Compressed bodies.
mod inflate;
/// Reads a request's body.
pub mod body;
/// Makes every answer.
pub mod reply;
/// Events page by page.
mod exports;
/// Entity tags of snapshots.
mod etag;
/// Handlers of events, to store and to read.
pub mod events;
/// Checks the name and the media type of an attachment.
pub mod attachment_names;
/// Byte ranges of a content.
pub mod range;
/// The declared digest of a body.
pub mod content_digest;
/// Handlers of attachments.
pub mod attachments;
/// Handlers of agents' hooks.
pub mod hooks;
/// Handlers of agents' telemetry.
pub mod telemetry;
/// Sessions.
pub mod sessions;
/// Backups on request.
pub mod backup;
/// The bounds of retention, and deletions.
pub mod retention;
/// Statistics.
pub mod stats;
/// Time series.
pub mod series;
/// The state of a topic.
pub mod snapshot;
/// Framing of server-sent events.
pub mod frames;
/// The live stream.
pub mod stream;
/// Live notifications of changed topics.
pub mod invalidations;
/// Typed calls.
pub mod rpc;
/// Health and probes.
pub mod health;
/// What the server counts.
pub mod metrics;
/// The dashboard.
pub mod page;
/// Baseline endpoints for measurements.
pub mod bench;
/// The page of measurements.
pub mod bench_page;
/// Equal bytes in several forms, for measurements.
pub mod blob;

use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{self, MethodRouter};
use http::header::{CONNECTION, HeaderMap};
use http::request::Parts;
use http::{Method, Uri};
use tower::Layer;

use crate::activity::InProgress;
use crate::app::App;
use crate::clock::Clock;
use crate::contract::routes::{Parameter, Route};
use crate::contract::{ROUTES, RouteSpec};
use crate::error::{ErrorCode, Failure};
use crate::hooks::HOOK_PATHS;
use crate::meters::Meters;
use connection::{Connection, FinishGuard, Held};
use exchange::{Deadline, UnreadBody};
use guard::Verdict;
use head::{REFUSED, trim_blank};

/// Returns every route.
pub fn build_routes(app: &Arc<App>) -> Router {
    let mut table = vec![
        (Route::Root, routing::get(page::get_page)),
        (Route::AppJs, routing::get(page::get_script)),
        (Route::AppCss, routing::get(page::get_styles)),
        (Route::Livez, routing::get(health::get_live)),
        (Route::Readyz, routing::get(health::get_ready)),
        (Route::Metrics, routing::get(metrics::get_metrics)),
        (
            Route::ApiEvents,
            routing::get(events::list_events).post(events::post_event).delete(retention::delete_events),
        ),
        (Route::ApiEventsBatch, routing::post(events::post_batch)),
        (Route::V1Logs, routing::post(telemetry::post_telemetry)),
        (Route::V1Metrics, routing::post(telemetry::post_telemetry)),
        (Route::V1Traces, routing::post(telemetry::post_telemetry)),
        (Route::ApiEventsId, routing::get(events::get_event)),
        (Route::ApiEventsIdAttachments, routing::get(attachments::get_attachments)),
        (Route::ApiEventsIdAttachmentsName, routing::put(attachments::put_attachment)),
        (Route::ApiAttachmentsSha256, routing::get(attachments::get_attachment)),
        (Route::ApiSessions, routing::get(sessions::list_sessions)),
        (Route::ApiSessionsId, routing::get(sessions::get_session).delete(retention::delete_session)),
        (Route::ApiSessionsIdDismiss, routing::post(sessions::dismiss_session)),
        (Route::ApiStats, routing::get(stats::get_stats)),
        (Route::ApiStatsTools, routing::get(stats::get_tools)),
        (Route::ApiStatsCost, routing::get(stats::get_costs)),
        (Route::ApiSeries, routing::get(series::get_series)),
        (Route::ApiFilterOptions, routing::get(stats::get_filter_options)),
        (Route::ApiStream, routing::get(stream::open_stream)),
        (Route::ApiSnapshotEvents, routing::get(snapshot::get_snapshot)),
        (Route::ApiSnapshotTopic, routing::get(snapshot::get_snapshot)),
        (Route::ApiRetention, routing::get(retention::get_retention).put(retention::put_retention)),
        (Route::ApiBackup, routing::post(backup::post_backup)),
        (Route::ApiHealth, routing::get(health::get_health)),
        (Route::ApiOpenapiJson, routing::get(health::get_open_api)),
        (Route::ApiRpc, routing::post(rpc::post_rpc)),
        (Route::ApiRpcSchema, routing::get(rpc::get_schema)),
    ];
    let hooks = Route::ALL.iter().filter(|route| HOOK_PATHS.contains(&route.spec().path));
    table.extend(hooks.map(|route| (*route, routing::post(hooks::post_hook))));
    if app.config.bench {
        table.extend([
            (Route::BenchSink, routing::post(bench::post_sink)),
            (Route::BenchEcho, routing::post(bench::post_echo)),
            (Route::BenchBlob, routing::get(blob::get_blob)),
            (Route::Bench, routing::get(bench_page::get_bench_page)),
            (Route::BenchAppJs, routing::get(bench_page::get_bench_script)),
            (Route::BenchWorkerJs, routing::get(bench_page::get_bench_worker)),
            (Route::BenchAppCss, routing::get(bench_page::get_bench_styles)),
        ]);
    }
    let add = |routes: Router<_>, (route, methods): (Route, MethodRouter<_>)| {
        routes.route(route.spec().path, with_spec(methods, route.spec()))
    };
    let routes = table.into_iter().fold(Router::new(), add);
    let fallback = |State(app): State<Arc<App>>, method: Method, uri: Uri| async move {
        reply::failure(&misplaced(&app, ErrorCode::NotFound, &method, uri.path()))
    };
    let routes = routes.fallback(fallback).with_state(Arc::clone(app));
    // This wraps the whole router: a layer would run inside each route, after axum has checked the method.
    Router::new().fallback_service(from_fn_with_state(Arc::clone(app), exchange).layer(routes))
}

/// Adds OPTIONS, 405, and the route's specification for [`exchange::Exchange`].
fn with_spec(methods: MethodRouter<Arc<App>>, spec: &'static RouteSpec) -> MethodRouter<Arc<App>> {
    let mut allowed = spec.methods.to_vec();
    if allowed.contains(&"GET") {
        allowed.push("HEAD");
    }
    allowed.sort_unstable();
    let allow: Arc<str> = allowed.join(", ").into();
    let for_options = Arc::clone(&allow);
    methods
        .options(move || async move { reply::options(&for_options) })
        .fallback(move |State(app): State<Arc<App>>, method: Method, uri: Uri| async move {
            let failure = misplaced(&app, ErrorCode::MethodNotAllowed, &method, uri.path());
            reply::method_not_allowed(&failure, &allow)
        })
        .layer(axum::Extension(spec))
}

/// Returns the failure of a request without a route, with a hint for exporters of telemetry (rule OTL-13).
fn misplaced(app: &App, code: ErrorCode, method: &Method, path: &str) -> Failure {
    match telemetry::wrong_path(app, method, path) {
        Some(message) => Failure::new(code).with("message", message),
        None => code.into(),
    }
}

/// Wraps every handler: the checks before routing, and the handling of an unread body.
async fn exchange(State(app): State<Arc<App>>, request: axum::extract::Request, next: Next) -> Response {
    let (deadline, started) = (Deadline::start(), Instant::now());
    let (mut parts, body) = request.into_parts();
    let Some(connection) = parts.extensions.get::<Connection>().cloned() else {
        return reply::failure(&ErrorCode::Internal.into());
    };
    let finish = FinishGuard(Arc::clone(&connection.wire));
    let unread = UnreadBody::new(body);
    parts.extensions.insert(unread.clone());
    parts.extensions.insert(deadline);
    let (version, headers) = (parts.version, parts.headers.clone());
    let meters = app.store.meters();
    let path = parts.uri.path();
    // The server made this request from one that it refused.
    let method = if path.starts_with(REFUSED) { "" } else { parts.method.as_str() };
    let (route, method) = (meters.route_of(path), Meters::method_of(method));

    let may_be_stale = app.cluster.is_some()
        && matches!(parts.method, Method::GET | Method::HEAD)
        && ROUTES.get(route).is_some_and(|spec| spec.parameters.contains(&Parameter::MinSeq));
    let mut in_progress = None;
    let (mut answer, origin) = guarded(&app, parts, connection.port, next, &mut in_progress).await;

    let closes = answer.headers().contains_key(CONNECTION)
        || version == http::Version::HTTP_10
        || asks_to_close(&headers);
    let goes_on = !closes && unread.take().is_none_or(|rest| body::discard_later(&headers, rest, deadline));
    if !goes_on {
        answer.headers_mut().insert(CONNECTION, reply::CLOSE);
    }
    if let Some(origin) = origin {
        reply::allow_origin(&mut answer, &origin);
    }
    // hyper keeps its date for each thread. A thread without one would read the clock (rule PRO-22).
    if let Some(time) = Clock.held() {
        reply::date(&mut answer, time);
    }
    if may_be_stale && let Some(reason) = app.staleness() {
        reply::stale(&mut answer, &reason);
    }
    meters.count_request(route, method, answer.status().as_u16(), started.elapsed());
    if let Some(code) = answer.extensions().get::<ErrorCode>() {
        meters.count_refusal(*code);
    }
    answer.map(|body| {
        let body = app.answers.body(&connection.wire, body);
        Body::new(Held { body, held: (finish, in_progress) })
    })
}

/// Returns whether the client asks to close the connection (RFC 9112, section 9.6; rule HTT-10).
fn asks_to_close(headers: &HeaderMap) -> bool {
    let mut values = headers.get_all(CONNECTION).iter().chain(headers.get_all("proxy-connection"));
    let is_close = |option: &[u8]| trim_blank(option).eq_ignore_ascii_case(b"close");
    values.any(|value| value.as_bytes().split(|&byte| byte == b',').any(is_close))
}

/// Returns the answer, and the origin that may read it. Counts a request that is allowed (rule PRO-18).
async fn guarded(
    app: &Arc<App>,
    parts: Parts,
    port: u16,
    next: Next,
    in_progress: &mut Option<InProgress>,
) -> (Response, Option<String>) {
    if let Some(code) = parts.uri.path().strip_prefix(REFUSED) {
        let code = ErrorCode::parse(code).unwrap_or(ErrorCode::BadRequest);
        return (reply::failure(&Failure::new(code).closing()), None);
    }
    let origin = match app.guard.admit(&parts.method, &parts.headers, port) {
        Err((failure, origin)) => {
            app.refusals.note(&failure, Instant::now());
            return (reply::failure(&failure), origin);
        }
        Ok(Verdict::Preflight(origin)) => return (reply::preflight(), Some(origin)),
        Ok(Verdict::Pass(origin)) => origin,
    };
    let now_s = app.clock.now_s();
    let answer = match app.guard.sign_in(&parts.method, &parts.uri, &parts.headers, port, now_s) {
        Some(Ok(cookie)) => reply::signed_in(&cookie),
        Some(Err(code)) => unauthorized(app, code),
        None => {
            let free = ROUTES.iter().any(|route| route.free && route.path == parts.uri.path());
            let authorized = if free { Ok(()) } else { app.guard.authorize(&parts.headers, port, now_s) };
            match authorized {
                Err(code) => unauthorized(app, code),
                Ok(()) if app.is_draining() && !free => {
                    reply::failure(&Failure::new(ErrorCode::Draining).closing())
                }
                // axum accepts an empty segment in the middle of a path as a parameter (rule HTT-03).
                Ok(()) if parts.uri.path().contains("//") => {
                    reply::failure(&misplaced(app, ErrorCode::NotFound, &parts.method, parts.uri.path()))
                }
                Ok(()) => {
                    *in_progress = app.activity.begin();
                    next.run(axum::extract::Request::from_parts(parts, Body::empty())).await
                }
            }
        }
    };
    (answer, origin)
}

fn unauthorized(app: &App, code: ErrorCode) -> Response {
    let failure = code.into();
    app.refusals.note(&failure, Instant::now());
    reply::failure(&failure)
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        reply::failure(&self)
    }
}
