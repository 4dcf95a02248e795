//! Holds a request with what is known of it, as a handler gets it.
//!
//! Before a handler runs, a request passes the checks of its route: `Accept`, `Expect` and the query.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::Body;
use axum::extract::FromRequestParts;
use http::header::{ACCEPT, EXPECT, HeaderMap};
use http::request::Parts;
use tokio::time::Instant;

use crate::contract::{LIMITS, RouteSpec};
use crate::error::{ErrorCode, Failure};
use crate::http::connection::Connection;
use crate::http::parameters::Parameters;

/// What a handler gets: a request that has passed the checks of its route.
#[derive(Debug)]
pub struct Exchange {
    /// As they were sent.
    pub headers: HeaderMap,
    /// Checked by the route's list.
    pub parameters: Parameters,
    /// Not read yet.
    pub body: BodySlot,
    /// When the request has to be complete.
    pub deadline: Deadline,
    /// Where it came in.
    pub connection: Connection,
}

impl<S: Sync> FromRequestParts<S> for Exchange {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failure> {
        let internal = || Failure::new(ErrorCode::Internal);
        let spec = parts.extensions.get::<&'static RouteSpec>().copied().ok_or_else(internal)?;
        check_accept(&parts.headers, &spec.produces)?;
        check_expect(&parts.headers)?;
        let parameters = Parameters::parse(spec, parts.uri.query())?;
        let body = parts.extensions.get::<BodySlot>().cloned().ok_or_else(internal)?;
        let deadline = parts.extensions.get::<Deadline>().copied().ok_or_else(internal)?;
        let connection = parts.extensions.get::<Connection>().cloned().ok_or_else(internal)?;
        Ok(Self { headers: parts.headers.clone(), parameters, body, deadline, connection })
    }
}

/// Rule HTT-13 (RFC 9110, section 12.5.1).
fn check_accept(headers: &HeaderMap, produces: &str) -> Result<(), Failure> {
    let mut values = headers.get_all(ACCEPT).iter().peekable();
    if values.peek().is_none() {
        return Ok(());
    }
    let range = format!("{}/*", produces.split('/').next().unwrap_or_default());
    let values: Vec<_> = values.map(|value| String::from_utf8_lossy(value.as_bytes())).collect();
    let admits = values.iter().flat_map(|value| value.split(',')).any(|item| {
        let mut parts = item.split(';').map(|part| part.trim_matches([' ', '\t']));
        let media = parts.next().unwrap_or_default();
        let matches = [produces, &range, "*/*"].iter().any(|known| media.eq_ignore_ascii_case(known));
        let refused = parts.any(|part| {
            part.split_once('=').is_some_and(|(name, value)| {
                name.eq_ignore_ascii_case("q") && value.parse::<f64>().is_ok_and(|weight| weight == 0.0)
            })
        });
        matches && !refused
    });
    if admits { Ok(()) } else { Err(Failure::new(ErrorCode::NotAcceptable)) }
}

/// Rule HTT-09.
fn check_expect(headers: &HeaderMap) -> Result<(), Failure> {
    let known = |value: &http::HeaderValue| value.as_bytes().eq_ignore_ascii_case(b"100-continue");
    if headers.get_all(EXPECT).iter().all(known) {
        Ok(())
    } else {
        Err(Failure::new(ErrorCode::ExpectationFailed))
    }
}

/// A body that is not read yet. Handlers take it out; what is left in it after the answer was made has to be
/// dropped or to end the connection (rule HTT-10).
#[derive(Debug, Clone)]
pub struct BodySlot(Arc<Mutex<Option<Body>>>);

impl BodySlot {
    /// Holds a body.
    pub fn new(body: Body) -> Self {
        Self(Arc::new(Mutex::new(Some(body))))
    }

    /// Takes the body out.
    pub fn take(&self) -> Option<Body> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// When a request has to be complete.
#[derive(Debug, Clone, Copy)]
pub struct Deadline(Instant);

impl Deadline {
    /// Counts from now, when the head has been read.
    pub fn start() -> Self {
        Self(Instant::now() + Duration::from_millis(LIMITS.request_timeout_ms))
    }

    /// The next bytes have to come before this.
    pub(super) fn next(self) -> Instant {
        self.0.min(Instant::now() + Duration::from_millis(LIMITS.body_idle_timeout_ms))
    }
}
