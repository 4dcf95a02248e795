//! Holds a request and the facts about it that a handler needs.
//!
//! Before a handler runs, a request passes the checks of its route: `Accept`, `Expect` and the query. A read may wait for
//! a sequence (rule CLU-09).

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::Body;
use axum::extract::FromRequestParts;
use http::Method;
use http::header::{EXPECT, HeaderMap};
use http::request::Parts;
use tokio::time::Instant;

use crate::app::App;
use crate::contract::routes::Parameter;
use crate::contract::{LIMITS, RouteSpec};
use crate::error::{ErrorCode, Failure};
use crate::http::connection::Connection;
use crate::http::negotiation::{Answer, choose_answer, has_choice};
use crate::http::parameters::Parameters;

/// A request that has passed the checks of its route.
#[derive(Debug)]
pub struct Exchange {
    /// Headers as sent.
    pub headers: HeaderMap,
    /// The contract's entry for the route.
    pub route: &'static RouteSpec,
    /// Format and media type of the answer.
    pub answer: Answer,
    /// Whether `Accept` selects the format of the answer (rule HTT-13).
    pub has_choice: bool,
    /// Query parameters, checked by the route's list.
    pub parameters: Parameters,
    /// The unread body.
    pub body: UnreadBody,
    /// Time by which the request must be complete.
    pub deadline: Deadline,
    /// The request's connection.
    pub connection: Connection,
}

impl FromRequestParts<Arc<App>> for Exchange {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Failure> {
        let internal = || Failure::new(ErrorCode::Internal);
        let spec = parts.extensions.get::<&'static RouteSpec>().copied().ok_or_else(internal)?;
        let answer = choose_answer(&parts.method, &parts.headers, spec)?;
        check_expect(&parts.headers)?;
        let parameters =
            Parameters::parse(spec, &parts.method, parts.uri.query(), answer.format.is_export())?;
        let body = parts.extensions.get::<UnreadBody>().cloned().ok_or_else(internal)?;
        let deadline = parts.extensions.get::<Deadline>().copied().ok_or_else(internal)?;
        let connection = parts.extensions.get::<Connection>().cloned().ok_or_else(internal)?;
        if matches!(parts.method, Method::GET | Method::HEAD) {
            app.await_sequence(parameters.number(Parameter::MinSeq)).await?;
        }
        Ok(Self {
            headers: parts.headers.clone(),
            route: spec,
            answer,
            has_choice: has_choice(&parts.method, spec),
            parameters,
            body,
            deadline,
            connection,
        })
    }
}

/// Refuses an `Expect` header with any value other than `100-continue` (rule HTT-09).
fn check_expect(headers: &HeaderMap) -> Result<(), Failure> {
    let known = |value: &http::HeaderValue| value.as_bytes().eq_ignore_ascii_case(b"100-continue");
    if headers.get_all(EXPECT).iter().all(known) {
        Ok(())
    } else {
        Err(Failure::new(ErrorCode::ExpectationFailed))
    }
}

/// An unread body. Handlers take it out. A body that is still there after the answer is dropped or closes the
/// connection (rule HTT-10).
#[derive(Debug, Clone)]
pub struct UnreadBody(Arc<Mutex<Option<Body>>>);

impl UnreadBody {
    /// Holds a body.
    pub fn new(body: Body) -> Self {
        Self(Arc::new(Mutex::new(Some(body))))
    }

    /// Takes the body out.
    pub fn take(&self) -> Option<Body> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Time by which a request must be complete.
#[derive(Debug, Clone, Copy)]
pub struct Deadline(Instant);

impl Deadline {
    /// Creates the deadline of a request whose head has just been read.
    pub fn start() -> Self {
        Self(Instant::now() + Duration::from_millis(LIMITS.request_timeout_ms))
    }

    /// Returns the time by which the next bytes must arrive.
    pub(super) fn next(self) -> Instant {
        self.0.min(Instant::now() + Duration::from_millis(LIMITS.body_idle_timeout_ms))
    }
}
