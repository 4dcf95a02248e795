//! Makes every answer; no other module chooses a status or headers. Over 250 lines because it makes every answer of the server, most of them in a few lines.

use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use http::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONNECTION, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_RANGE,
    CONTENT_TYPE, ETAG, HeaderName, HeaderValue, LOCATION, RETRY_AFTER, SET_COOKIE, VARY,
};
use http::{Response, StatusCode};
use serde_json::Value;

use crate::attachments::Kept;
use crate::clock::Clock;
use crate::contract::{LIMITS, METRICS, VOCABULARY};
use crate::digest::digest_hex;
use crate::error::{ErrorCode, Failure};
use crate::event::{FieldError, Outcome, Outcomes};
use crate::http::attachment_names::disposition;
use crate::http::negotiation::Answer;
use crate::http::range::Part;
use crate::render::outcomes::{backup_json, batch_json, failure_json, single_json};
use crate::render::telemetry::{export_response, status};
use crate::store::attachments::AttachmentFile;
use crate::store::backups::Backup;
use crate::store::copy::Copied;
use crate::telemetry::otlp::{Request, status_code};

/// The media type of every JSON answer.
pub const JSON: HeaderValue = HeaderValue::from_static("application/json; charset=utf-8");

/// The value of `Connection` in an answer that closes its connection.
pub const CLOSE: HeaderValue = HeaderValue::from_static("close");

/// The value of `Vary` where `Accept` selects the format.
const ACCEPT: HeaderValue = HeaderValue::from_static("Accept");

/// A handler's result: an answer, or the failure.
pub type Reply = Result<Response<Body>, Failure>;

/// Returns 200 with JSON text.
pub fn ok(json: impl Into<Bytes>) -> Response<Body> {
    json_answer(StatusCode::OK, json.into())
}

/// Returns 200 with rows in the selected format (rule HTT-13).
pub fn rows(body: impl Into<Body>, answer: Answer) -> Response<Body> {
    let mut response = Response::new(body.into());
    insert(&mut response, CONTENT_TYPE, &answer.content_type());
    varying(response)
}

fn json_answer(status: StatusCode, json: Bytes) -> Response<Body> {
    let mut answer = Response::new(Body::from(json));
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, JSON);
    answer
}

/// Returns the answer to one event (rules ING-01 to ING-03). `revision` includes the event (rule ING-11).
pub fn single(outcome: &Outcome, revision: i64) -> Reply {
    match outcome {
        Outcome::Stored(id) => Ok(json_answer(StatusCode::CREATED, single_json(Some(*id), revision).into())),
        Outcome::Duplicate => Ok(ok(single_json(None, revision))),
        Outcome::Rejected(problems) => Err(invalid_event(problems)),
    }
}

/// Responds to an agent's hook with 200 `{}`, so the agent continues unchanged (rule HOK-01).
pub fn hook(outcome: &Outcome) -> Reply {
    match outcome {
        Outcome::Stored(_) | Outcome::Duplicate => Ok(ok("{}")),
        Outcome::Rejected(problems) => Err(invalid_event(problems)),
    }
}

/// Returns the answer to telemetry, with its rejected records (rule OTL-01).
pub fn telemetry(request: &Request, rejected: &[(&str, u64)], answer: Answer) -> Response<Body> {
    let mut response = Response::new(Body::from(export_response(answer.format, request.rejected, rejected)));
    insert(&mut response, CONTENT_TYPE, &answer.content_type());
    response
}

/// Returns the answer to refused telemetry (rule OTL-01). 429 makes a client wait.
pub fn telemetry_failure(failed: &Failure, answer: Answer) -> Response<Body> {
    let mut response = failure(failed);
    if failed.code == ErrorCode::Overloaded {
        *response.status_mut() = StatusCode::TOO_MANY_REQUESTS;
    }
    let mut message = format!("{}: {}", failed.code.as_str(), failed.code.error_spec().text);
    if let Some(reason) = failed.members.get("reason").and_then(Value::as_str) {
        message = format!("{message}: {reason}");
    }
    let code = status_code(response.status().as_u16());
    *response.body_mut() = Body::from(status(answer.format, code, &message));
    insert(&mut response, CONTENT_TYPE, &answer.content_type());
    response
}

fn invalid_event(problems: &[FieldError]) -> Failure {
    let details: Vec<Value> = problems
        .iter()
        .map(|problem| serde_json::json!({"field": problem.field, "message": problem.message}))
        .collect();
    Failure::new(ErrorCode::InvalidEvent).with("details", details)
}

/// Returns the answer to a batch (rules ING-04 and ING-05).
pub fn batch(batch: &Outcomes, revision: i64, with_results: bool) -> Response<Body> {
    json_answer(StatusCode::CREATED, batch_json(batch, revision, with_results).into())
}

/// Returns the answer to an attachment (rule ATT-01).
pub fn kept(kept: &Kept, media_type: &str) -> Response<Body> {
    let status = if kept.is_new { StatusCode::CREATED } else { StatusCode::OK };
    let (sha256, size) = (digest_hex(&kept.sha256), kept.size);
    // A media type contains only token characters, so it needs no escape.
    let json = format!(r#"{{"sha256":"{sha256}","size":{size},"media_type":"{media_type}"}}"#);
    json_answer(status, json.into())
}

/// Returns the answer to a backup (rule BAK-07).
pub fn backup(Backup { file, copied }: &Backup) -> Response<Body> {
    let Copied { bytes, newest_id, attachments, sequence, .. } = *copied;
    let json = backup_json(&file.to_string_lossy(), bytes, newest_id, attachments, sequence);
    json_answer(StatusCode::CREATED, json.into())
}

/// Returns 200 or 206 with bytes of an attachment (rules ATT-07 and ATT-08).
pub fn attachment(body: Body, file: &AttachmentFile, etag: &str, part: Part) -> Response<Body> {
    let mut answer = Response::new(body);
    let size = file.size;
    let length = match part {
        Part::Bytes { first, last } => {
            *answer.status_mut() = StatusCode::PARTIAL_CONTENT;
            insert(&mut answer, CONTENT_RANGE, &format!("bytes {first}-{last}/{size}"));
            last - first + 1
        }
        Part::Whole | Part::Nothing => size,
    };
    answer.headers_mut().insert(CONTENT_LENGTH, length.into());
    insert(&mut answer, CONTENT_TYPE, &file.media_type);
    insert(&mut answer, CONTENT_DISPOSITION, &disposition(&file.name, &file.media_type));
    insert(&mut answer, ETAG, etag);
    insert(&mut answer, ACCEPT_RANGES, "bytes");
    with_headers(answer, VOCABULARY.attachment_headers)
}

/// Returns 304: the client holds the attachment.
pub fn attachment_not_modified(etag: &str) -> Response<Body> {
    let mut answer = Response::new(without_length());
    *answer.status_mut() = StatusCode::NOT_MODIFIED;
    insert(&mut answer, ETAG, etag);
    let caching = VOCABULARY.attachment_headers.iter().filter(|(name, _)| CACHE_CONTROL == **name);
    caching.for_each(|(_, value)| insert(&mut answer, CACHE_CONTROL, value));
    answer
}

/// Returns 416: the range contains no byte.
pub fn range_not_satisfiable(size: u64) -> Response<Body> {
    let mut answer = failure(&ErrorCode::RangeNotSatisfiable.into());
    insert(&mut answer, CONTENT_RANGE, &format!("bytes */{size}"));
    answer
}

/// Returns 200 with the number of bytes that the sink dropped (rule BEN-02).
pub fn sink(length: u64) -> Response<Body> {
    ok(format!(r#"{{"bytes":{length}}}"#))
}

/// Returns 200 with the bytes of the request (rule BEN-03).
pub fn echo(body: Bytes) -> Response<Body> {
    let mut answer = Response::new(Body::from(body));
    insert(&mut answer, CONTENT_TYPE, "application/octet-stream");
    answer
}

/// Returns the responses to typed calls, if any, and their time without the work of the methods (rule
/// RPC-07).
pub fn rpc(responses: Option<Vec<u8>>, chosen: Answer, time: Duration) -> Response<Body> {
    let answer = responses.map_or_else(no_content, |body| rows(body, chosen));
    timed(answer, "lib", time)
}

/// Returns the bytes in one form, and the time that encoding took (rule BEN-04).
pub fn blob(body: Bytes, media_type: &str, took: Duration) -> Response<Body> {
    let mut answer = Response::new(Body::from(body));
    insert(&mut answer, CONTENT_TYPE, media_type);
    insert(&mut answer, CACHE_CONTROL, "no-store");
    timed(answer, "encode", took)
}

fn timed(mut answer: Response<Body>, what: &str, time: Duration) -> Response<Body> {
    let timing = format!("{what};dur={:.3}", time.as_secs_f64() * 1000.0);
    insert(&mut answer, HeaderName::from_static("server-timing"), &timing);
    answer
}

/// Adds `Vary: Accept` (rule HTT-13).
fn varying(mut answer: Response<Body>) -> Response<Body> {
    answer.headers_mut().insert(VARY, ACCEPT);
    answer
}

/// Returns the answer of a failure (rule HTT-01).
pub fn failure(failure: &Failure) -> Response<Body> {
    let spec = failure.code.error_spec();
    let status = StatusCode::from_u16(spec.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut answer = json_answer(status, failure_json(failure).into());
    answer.extensions_mut().insert(failure.code);
    let headers = answer.headers_mut();
    if let Some(seconds) = spec.retry_after_s {
        headers.insert(RETRY_AFTER, seconds.into());
    }
    if failure.close {
        headers.insert(CONNECTION, CLOSE);
    }
    match failure.code {
        ErrorCode::Unauthorized => {
            headers.insert(http::header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        ErrorCode::UnsupportedEncoding => {
            headers.insert(http::header::ACCEPT_ENCODING, HeaderValue::from_static("gzip, zstd"));
        }
        ErrorCode::NotAcceptable if has_alternatives(failure) => {
            headers.insert(VARY, ACCEPT);
        }
        _ => {}
    }
    answer
}

/// Returns whether the answer varies with `Accept` (rule HTT-13).
fn has_alternatives(failure: &Failure) -> bool {
    failure.members.get("supported").and_then(Value::as_array).is_some_and(|supported| supported.len() > 1)
}

/// Returns a whole answer in bytes, for a connection on which the server reads no request.
pub fn raw_failure(code: ErrorCode) -> Vec<u8> {
    let spec = code.error_spec();
    let body = failure_json(&code.into());
    let reason =
        StatusCode::from_u16(spec.status).ok().and_then(|status| status.canonical_reason()).unwrap_or("");
    let retry_after =
        spec.retry_after_s.map_or(String::new(), |seconds| format!("retry-after: {seconds}\r\n"));
    let date = httpdate::fmt_http_date(Clock.now());
    format!(
        "HTTP/1.1 {} {reason}\r\ncontent-type: application/json; charset=utf-8\r\n{retry_after}connection: close\r\n\
         content-length: {}\r\ndate: {date}\r\n\r\n{body}",
        spec.status,
        body.len()
    )
    .into_bytes()
}

/// Returns 204 with `Allow` (rule HTT-04).
pub fn options(allow: &str) -> Response<Body> {
    let mut answer = no_content();
    insert(&mut answer, http::header::ALLOW, allow);
    answer
}

/// Returns 405 with `Allow`.
pub(crate) fn method_not_allowed(failed: &Failure, allow: &str) -> Response<Body> {
    let mut answer = failure(failed);
    insert(&mut answer, http::header::ALLOW, allow);
    answer
}

/// Sets the date of an answer, which hyper sets otherwise.
pub(super) fn date(answer: &mut Response<Body>, time: std::time::SystemTime) {
    if let Ok(value) = HeaderValue::try_from(httpdate::fmt_http_date(time)) {
        answer.headers_mut().insert(http::header::DATE, value);
    }
}

/// Returns 204 to a preflight (rule SEC-05).
pub fn preflight() -> Response<Body> {
    let mut answer = no_content();
    insert(&mut answer, http::header::ACCESS_CONTROL_ALLOW_METHODS, VOCABULARY.security.allow_methods);
    insert(&mut answer, http::header::ACCESS_CONTROL_ALLOW_HEADERS, VOCABULARY.security.allow_headers);
    answer.headers_mut().insert(http::header::ACCESS_CONTROL_MAX_AGE, LIMITS.preflight_max_age_s.into());
    answer
}

fn no_content() -> Response<Body> {
    let mut answer = Response::new(Body::empty());
    *answer.status_mut() = StatusCode::NO_CONTENT;
    answer
}

/// Lets an allowed origin read the answer (rule SEC-04).
pub(crate) fn allow_origin(answer: &mut Response<Body>, origin: &str) {
    insert(answer, http::header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    let vary = if answer.headers().contains_key(VARY) { "Accept, Origin" } else { "Origin" };
    insert(answer, VARY, vary);
}

/// Marks rows from a copy that does not follow its stream (rule CLU-10).
pub(crate) fn stale(answer: &mut Response<Body>, reason: &str) {
    if matches!(answer.status(), StatusCode::OK | StatusCode::NOT_MODIFIED) {
        insert(answer, HeaderName::from_static("cluster-stale"), reason);
    }
}

/// Returns 303 to the dashboard, with the cookie (rule SEC-07).
pub fn signed_in(cookie: &str) -> Response<Body> {
    let mut answer = Response::new(Body::empty());
    *answer.status_mut() = StatusCode::SEE_OTHER;
    insert(&mut answer, LOCATION, "/");
    insert(&mut answer, SET_COOKIE, cookie);
    insert(&mut answer, CACHE_CONTROL, "no-store");
    // Also for HEAD, where hyper would omit it.
    answer.headers_mut().insert(http::header::CONTENT_LENGTH, HeaderValue::from_static("0"));
    answer
}

/// Returns an empty body without a known length. With a known length, an answer to HEAD would have length 0.
pub(crate) fn without_length() -> Body {
    Body::from_stream(futures_util::stream::empty::<Result<Bytes, std::convert::Infallible>>())
}

/// Returns the stream's answer (rules STR-01 and STR-10).
pub fn stream(body: Body) -> Response<Body> {
    let mut answer = Response::new(body);
    insert(&mut answer, CONTENT_TYPE, "text/event-stream");
    insert(&mut answer, CACHE_CONTROL, "no-store");
    insert(&mut answer, HeaderName::from_static("x-accel-buffering"), "no");
    answer
}

/// Adds the tag to an answer with the state of a topic (rule SYN-05).
pub fn snapshot(mut answer: Response<Body>, etag: &str) -> Response<Body> {
    insert(&mut answer, ETAG, etag);
    insert(&mut answer, CACHE_CONTROL, "no-cache");
    answer
}

/// Returns 304: the client holds the state of this tag (rule SYN-06; RFC 9110, section 15.4.5). `has_choice`
/// is as in an exchange.
pub fn not_modified(etag: &str, has_choice: bool) -> Response<Body> {
    let mut answer = Response::new(without_length());
    *answer.status_mut() = StatusCode::NOT_MODIFIED;
    snapshot(if has_choice { varying(answer) } else { answer }, etag)
}

/// Returns a file of the dashboard (rule PAG-01).
pub fn page(file: &Bytes, media_type: &str) -> Response<Body> {
    file_answer(file, media_type, VOCABULARY.page_headers)
}

/// Returns a file of the page of measurements (rule BEN-05).
pub fn bench_page(file: &Bytes, media_type: &str) -> Response<Body> {
    file_answer(file, media_type, VOCABULARY.bench_page_headers)
}

fn file_answer(file: &Bytes, media_type: &str, headers: &[(&str, &str)]) -> Response<Body> {
    let mut answer = Response::new(Body::from(file.clone()));
    insert(&mut answer, CONTENT_TYPE, &format!("{media_type}; charset=utf-8"));
    with_headers(answer, headers)
}

fn with_headers(mut answer: Response<Body>, headers: &[(&str, &str)]) -> Response<Body> {
    for (name, value) in headers {
        if let Ok(name) = HeaderName::from_bytes(name.as_bytes()) {
            insert(&mut answer, name, value);
        }
    }
    answer
}

/// Returns 503 with the code of a fault, also where the code's own status is another one (rule HEA-02).
pub fn not_ready(code: ErrorCode) -> Response<Body> {
    let mut answer = failure(&code.into());
    *answer.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    answer
}

/// Returns 200 with the counts of the server (rule MTR-01).
pub fn metrics(text: String) -> Response<Body> {
    let mut answer = Response::new(Body::from(text));
    insert(&mut answer, CONTENT_TYPE, METRICS.content_type);
    answer
}

/// Returns the health answer: 200, or 503 while degraded (rule HEA-01).
pub fn health(json: String, degraded: bool) -> Response<Body> {
    let status = if degraded { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK };
    json_answer(status, json.into())
}

fn insert(answer: &mut Response<Body>, name: HeaderName, value: &str) {
    // Values come from the contract, or earlier checks found them to be visible ASCII.
    if let Ok(value) = HeaderValue::from_str(value) {
        answer.headers_mut().insert(name, value);
    }
}
