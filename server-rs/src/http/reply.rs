//! Makes every answer: the only module that chooses a status and headers.
//! Over 250 lines because every answer of the server is made here, and most of them are a few lines.

use std::collections::BTreeMap;
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use http::header::{
    CACHE_CONTROL, CONNECTION, CONTENT_TYPE, ETAG, HeaderName, HeaderValue, LOCATION, RETRY_AFTER,
    SET_COOKIE, VARY,
};
use http::{Response, StatusCode};
use serde_json::{Map, Value};

use crate::contract::{LIMITS, VOCABULARY};
use crate::error::{ErrorCode, Failure};
use crate::event::{BatchOutcomes, FieldError, Outcome};
use crate::http::negotiation::Answer;

/// The media type of every JSON answer.
pub const JSON: HeaderValue = HeaderValue::from_static("application/json; charset=utf-8");

/// Marks an answer that ends its connection.
pub const CLOSE: HeaderValue = HeaderValue::from_static("close");

/// What an answer varies with, beside the origin.
const ACCEPT: HeaderValue = HeaderValue::from_static("Accept");

/// What a handler gives: an answer, or why there is none.
pub type Reply = Result<Response<Body>, Failure>;

/// 200 with JSON text.
pub fn ok(json: impl Into<Bytes>) -> Response<Body> {
    json_answer(StatusCode::OK, json.into())
}

/// 200 with rows in the format that was chosen (rule HTT-13).
pub fn rows(body: impl Into<Body>, answer: Answer) -> Response<Body> {
    let mut response = Response::new(body.into());
    let suffix = &answer.format.spec().answer_suffix;
    insert(&mut response, CONTENT_TYPE, &format!("{}{suffix}", answer.media_type));
    varying(response)
}

fn json_answer(status: StatusCode, json: Bytes) -> Response<Body> {
    let mut answer = Response::new(Body::from(json));
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, JSON);
    answer
}

/// The answer to one event (rules ING-01 to ING-03).
/// `revision` is one that has the event in it (rule ING-11).
pub fn single(outcome: &Outcome, revision: i64) -> Reply {
    match outcome {
        Outcome::Stored(id) => {
            let json = format!(r#"{{"received":1,"ids":[{id}],"duplicates":0,"revision":"{revision}"}}"#);
            Ok(json_answer(StatusCode::CREATED, json.into()))
        }
        Outcome::Duplicate => {
            Ok(ok(format!(r#"{{"received":0,"ids":[],"duplicates":1,"revision":"{revision}"}}"#)))
        }
        Outcome::Rejected(problems) => Err(invalid_event(problems)),
    }
}

/// The answer to an agent's hook, which tells the agent nothing but to go on (rule HOK-01).
pub fn hook(outcome: &Outcome) -> Reply {
    match outcome {
        Outcome::Stored(_) | Outcome::Duplicate => Ok(ok("{}")),
        Outcome::Rejected(problems) => Err(invalid_event(problems)),
    }
}

fn invalid_event(problems: &[FieldError]) -> Failure {
    let details: Vec<Value> = problems
        .iter()
        .map(|problem| serde_json::json!({"field": problem.field, "message": problem.message}))
        .collect();
    Failure::new(ErrorCode::InvalidEvent).with("details", details)
}

/// The answer to a batch (rules ING-04 and ING-05).
pub fn batch(batch: &BatchOutcomes, revision: i64, with_results: bool) -> Response<Body> {
    json_answer(StatusCode::CREATED, batch_json(batch, revision, with_results).into())
}

/// Its text; ids without a tree of values, since most of an answer is these.
pub fn batch_json(batch: &BatchOutcomes, revision: i64, with_results: bool) -> String {
    let BatchOutcomes { outcomes, lines } = batch;
    let (mut ids, mut received, mut duplicates) = (String::with_capacity(outcomes.len() * 8), 0, 0);
    let mut rejected: Vec<Value> = Vec::new();
    for (index, outcome) in outcomes.iter().enumerate() {
        match outcome {
            Outcome::Stored(id) => {
                ids.push_str(if received == 0 { "" } else { "," });
                ids.push_str(itoa::Buffer::new().format(*id));
                received += 1;
            }
            Outcome::Duplicate => duplicates += 1,
            Outcome::Rejected(problems) => {
                rejected.push(refusal(index, lines, None, problems));
            }
        }
    }
    let rejected = Value::from(rejected);
    let mut json =
        format!(r#"{{"received":{received},"ids":[{ids}],"duplicates":{duplicates},"rejected":{rejected}"#);
    if with_results {
        let results = outcomes.iter().enumerate().map(|(index, outcome)| result(index, lines, outcome));
        json.push_str(",\"results\":");
        json.push_str(&Value::from_iter(results).to_string());
    }
    json.push_str(",\"revision\":\"");
    json.push_str(itoa::Buffer::new().format(revision));
    json.push_str("\"}");
    json
}

fn result(index: usize, lines: &[usize], outcome: &Outcome) -> Value {
    match outcome {
        Outcome::Stored(id) => serde_json::json!({"index": index, "status": "stored", "id": id}),
        Outcome::Duplicate => serde_json::json!({"index": index, "status": "duplicate"}),
        Outcome::Rejected(problems) => refusal(index, lines, Some("rejected"), problems),
    }
}

/// One rejected event, with its line where the format has lines (rule FMT-02).
fn refusal(index: usize, lines: &[usize], status: Option<&str>, problems: &[FieldError]) -> Value {
    let mut members = Map::new();
    members.insert("index".to_owned(), index.into());
    if let Some(line) = lines.get(index) {
        members.insert("line".to_owned(), (*line).into());
    }
    if let Some(status) = status {
        members.insert("status".to_owned(), status.into());
    }
    let errors = problems.iter().map(|problem| format!("{}: {}", problem.field, problem.message));
    members.insert("errors".to_owned(), errors.collect());
    Value::from(members)
}

/// How many bytes the sink has dropped (rule BEN-02).
pub fn sink(length: u64) -> Response<Body> {
    ok(format!(r#"{{"bytes":{length}}}"#))
}

/// The bytes of a request (rule BEN-03).
pub fn echo(body: Bytes) -> Response<Body> {
    let mut answer = Response::new(Body::from(body));
    insert(&mut answer, CONTENT_TYPE, "application/octet-stream");
    answer
}

/// The responses to typed calls, where there are any, and how long they took without the work of the methods (rule
/// RPC-07).
pub fn rpc(responses: Option<Vec<u8>>, chosen: Answer, time: Duration) -> Response<Body> {
    let mut answer = responses.map_or_else(no_content, |body| rows(body, chosen));
    let timing = format!("lib;dur={:.3}", time.as_secs_f64() * 1000.0);
    insert(&mut answer, HeaderName::from_static("server-timing"), &timing);
    answer
}

/// Bytes in a form that took this long to make (rule BEN-04).
pub fn blob(body: Bytes, media_type: &str, took: Duration) -> Response<Body> {
    let mut answer = Response::new(Body::from(body));
    insert(&mut answer, CONTENT_TYPE, media_type);
    insert(&mut answer, CACHE_CONTROL, "no-store");
    let timing = format!("encode;dur={:.3}", took.as_secs_f64() * 1000.0);
    insert(&mut answer, HeaderName::from_static("server-timing"), &timing);
    answer
}

/// Says that another `Accept` would give another answer (rule HTT-13).
pub fn varying(mut answer: Response<Body>) -> Response<Body> {
    answer.headers_mut().insert(VARY, ACCEPT);
    answer
}

/// A failure's answer (rule HTT-01).
pub fn failure(failure: &Failure) -> Response<Body> {
    let spec = failure.code.error_spec();
    let status = StatusCode::from_u16(spec.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut answer = json_answer(status, failure_json(failure).into());
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
        // Where there was a choice, another `Accept` gives another answer (rule HTT-13).
        ErrorCode::NotAcceptable if has_choice(failure) => {
            headers.insert(VARY, ACCEPT);
        }
        _ => {}
    }
    answer
}

fn has_choice(failure: &Failure) -> bool {
    failure.members.get("supported").and_then(Value::as_array).is_some_and(|supported| supported.len() > 1)
}

/// Its text.
pub fn failure_json(failure: &Failure) -> String {
    let mut body = Map::new();
    body.insert("error".to_owned(), failure.code.error_spec().text.as_str().into());
    body.insert("code".to_owned(), failure.code.as_str().into());
    body.extend(failure.members.clone());
    Value::from(body).to_string()
}

/// A whole answer in bytes, for a connection that no request is read from.
pub fn raw_failure(code: ErrorCode) -> Vec<u8> {
    let spec = code.error_spec();
    let body = failure_json(&code.into());
    let reason =
        StatusCode::from_u16(spec.status).ok().and_then(|status| status.canonical_reason()).unwrap_or("");
    let retry_after =
        spec.retry_after_s.map_or(String::new(), |seconds| format!("retry-after: {seconds}\r\n"));
    let date = httpdate::fmt_http_date(std::time::SystemTime::now());
    format!(
        "HTTP/1.1 {} {reason}\r\ncontent-type: application/json; charset=utf-8\r\n{retry_after}connection: close\r\n\
         content-length: {}\r\ndate: {date}\r\n\r\n{body}",
        spec.status,
        body.len()
    )
    .into_bytes()
}

/// 204 with `Allow` (rule HTT-04).
pub fn options(allow: &str) -> Response<Body> {
    let mut answer = no_content();
    insert(&mut answer, http::header::ALLOW, allow);
    answer
}

/// 405 with `Allow`.
pub(crate) fn method_not_allowed(allow: &str) -> Response<Body> {
    let mut answer = failure(&ErrorCode::MethodNotAllowed.into());
    insert(&mut answer, http::header::ALLOW, allow);
    answer
}

/// 204 to a preflight (rule SEC-05).
pub fn preflight() -> Response<Body> {
    let mut answer = no_content();
    insert(&mut answer, http::header::ACCESS_CONTROL_ALLOW_METHODS, &VOCABULARY.security.allow_methods);
    insert(&mut answer, http::header::ACCESS_CONTROL_ALLOW_HEADERS, &VOCABULARY.security.allow_headers);
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

/// 303 to the page, with the cookie (rule SEC-07).
pub fn signed_in(cookie: &str) -> Response<Body> {
    let mut answer = Response::new(Body::empty());
    *answer.status_mut() = StatusCode::SEE_OTHER;
    insert(&mut answer, LOCATION, "/");
    insert(&mut answer, SET_COOKIE, cookie);
    insert(&mut answer, CACHE_CONTROL, "no-store");
    // To HEAD as well, where hyper would leave it out.
    answer.headers_mut().insert(http::header::CONTENT_LENGTH, HeaderValue::from_static("0"));
    answer
}

/// No body, and no length either: of one that is known to be empty, an answer to HEAD would say 0.
pub(crate) fn without_length() -> Body {
    Body::from_stream(futures_util::stream::empty::<Result<Bytes, std::convert::Infallible>>())
}

/// The stream's answer (rules STR-01 and STR-10).
pub fn stream(body: Body) -> Response<Body> {
    let mut answer = Response::new(body);
    insert(&mut answer, CONTENT_TYPE, "text/event-stream");
    insert(&mut answer, CACHE_CONTROL, "no-store");
    insert(&mut answer, HeaderName::from_static("x-accel-buffering"), "no");
    answer
}

/// The state of a topic, under its tag (rule SYN-05).
pub fn snapshot(answer: Response<Body>, etag: &str) -> Response<Body> {
    tagged(answer, etag)
}

/// 304: the client has the state of this tag (rule SYN-06; RFC 9110, section 15.4.5).
pub fn not_modified(etag: &str) -> Response<Body> {
    let mut answer = Response::new(without_length());
    *answer.status_mut() = StatusCode::NOT_MODIFIED;
    tagged(answer, etag)
}

fn tagged(mut answer: Response<Body>, etag: &str) -> Response<Body> {
    insert(&mut answer, ETAG, etag);
    insert(&mut answer, CACHE_CONTROL, "no-cache");
    answer
}

/// A file of the page (rule PAG-01).
pub fn page(file: &Bytes, media_type: &str) -> Response<Body> {
    file_answer(file, media_type, &VOCABULARY.page_headers)
}

/// A file of the page of measurements (rule BEN-05).
pub fn bench_page(file: &Bytes, media_type: &str) -> Response<Body> {
    file_answer(file, media_type, &VOCABULARY.bench_page_headers)
}

fn file_answer(file: &Bytes, media_type: &str, headers: &BTreeMap<String, String>) -> Response<Body> {
    let mut answer = Response::new(Body::from(file.clone()));
    insert(&mut answer, CONTENT_TYPE, &format!("{media_type}; charset=utf-8"));
    for (name, value) in headers {
        if let Ok(name) = HeaderName::from_bytes(name.as_bytes()) {
            insert(&mut answer, name, value);
        }
    }
    answer
}

/// The health answer: 200, or 503 while degraded (rule HEA-01).
pub fn health(json: String, degraded: bool) -> Response<Body> {
    let status = if degraded { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK };
    json_answer(status, json.into())
}

fn insert(answer: &mut Response<Body>, name: HeaderName, value: &str) {
    // Values come from the contract or were checked to be visible ASCII when they came in.
    if let Ok(value) = HeaderValue::from_str(value) {
        answer.headers_mut().insert(name, value);
    }
}
