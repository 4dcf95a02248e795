//! Handles `/api/rpc` and `/api/rpc/schema`: reads the calls, runs them one after the other, and answers (rule
//! RPC-01).

use std::sync::Arc;
use std::time::Instant;

use axum::extract::State;
use bytes::Bytes;
use serde_json::Value;

use crate::app::App;
use crate::contract::routes::{Parameter, Route};
use crate::contract::{LIMITS, RPC, TUNING};
use crate::error::{ErrorCode, Failure};
use crate::formats::Format;
use crate::http::body::read_body;
use crate::http::events::read_events;
use crate::http::exchange::Exchange;
use crate::http::parameters::Parameters;
use crate::http::reply;
use crate::http::sessions::read_sessions;
use crate::http::snapshot::read_snapshot;
use crate::http::stats::read_stats;
use crate::meters::EventSource;
use crate::render::outcomes::{batch_json, failure_json};
use crate::rpc::options::Options;
use crate::rpc::problem::Problem;
use crate::rpc::read_calls;
use crate::rpc::refusal::{Refusal, RpcError, refusal_of};
use crate::rpc::responses::{Response, write_responses};
use crate::rpc::work::{Call, Calls, Reading, Work};
use crate::topics::topic_named;

/// `GET /api/rpc/schema` (rule RPC-04).
pub async fn get_schema(_: Exchange) -> reply::Reply {
    Ok(reply::ok(Bytes::from_static(RPC.as_bytes())))
}

/// `POST /api/rpc` (rules RPC-01 to RPC-07).
pub async fn post_rpc(State(app): State<Arc<App>>, exchange: Exchange) -> reply::Reply {
    let config = &app.config;
    let limit = if config.bench { LIMITS.bench_body_bytes } else { config.max_body_bytes };
    let ticket = app.admission.ticket();
    // Each call that stores events takes its own room.
    let (body, format, ticket) = read_body(&exchange, limit, 0, ticket).await?;
    let answer = exchange.answer;
    let reading = Reading { has_bench: config.bench, keeps_minus_zero: answer.format == Format::Msgpack };
    let is_large = body.len() > TUNING.large_body_bytes;
    let read = move || {
        let start = Instant::now();
        let calls = read_calls(&body, format, reading);
        // This frees the body's memory.
        drop(body);
        (calls, start.elapsed())
    };
    let ((calls, time_to_read), mut ticket) =
        if is_large { ticket.run_blocking(read).await? } else { (read(), ticket) };
    ticket.end_turn();
    let Calls { calls, is_batch } = calls?;
    let mut responses = Vec::with_capacity(calls.len());
    let mut room = Room { left: if is_batch { LIMITS.rpc_batch_bytes } else { usize::MAX } };
    for Call { id, work } in calls {
        // Without a response, a call takes no room.
        let Some(id) = id else {
            drop(run(&app, work).await);
            continue;
        };
        if is_batch && room.used() > TUNING.large_body_bytes && room.left > 0 && work.reads() {
            ticket.take_results().await;
        }
        let result = match work {
            Work::Refused(_) | Work::Echo(_) => run(&app, work).await,
            _ if room.left == 0 => Err(too_large()),
            Work::Ingest(..) => room.take(run(&app, work).await),
            _ => room.take_fitting(run(&app, work).await),
        };
        responses.push(Response { id, result });
    }
    let length: usize = responses.iter().map(|response| response.result.as_ref().map_or(0, Vec::len)).sum();
    let write = move || {
        let start = Instant::now();
        let body = write_responses(responses, is_batch, answer.format);
        (body, start.elapsed())
    };
    let (body, time_to_write) =
        if length > TUNING.large_body_bytes { ticket.run_blocking(write).await?.0 } else { write() };
    Ok(reply::rpc(body, answer, time_to_read + time_to_write))
}

/// The bytes that the results of a batch may still have. What the body of the request holds needs no room (rule RPC-01).
struct Room {
    left: usize,
}

impl Room {
    /// Returns the bytes of the results so far.
    fn used(&self) -> usize {
        LIMITS.rpc_batch_bytes.saturating_sub(self.left)
    }

    /// Takes room for a result that the client must get: its events are stored.
    fn take(&mut self, result: Result<Vec<u8>, Refusal>) -> Result<Vec<u8>, Refusal> {
        self.left = self.left.saturating_sub(result.as_ref().map_or(0, Vec::len));
        result
    }

    /// Takes room for a result, or refuses the result that does not fit.
    fn take_fitting(&mut self, result: Result<Vec<u8>, Refusal>) -> Result<Vec<u8>, Refusal> {
        let fits = result.as_ref().map_or(0, Vec::len) <= self.left;
        let taken = self.take(result);
        if fits { taken } else { Err(too_large()) }
    }
}

/// Returns the refusal of a call whose result has no room (rule RPC-01).
fn too_large() -> Refusal {
    unable(Failure::new(ErrorCode::AnswerTooLarge).with("limit", LIMITS.rpc_batch_bytes))
}

/// Returns the result of a call as JSON text.
async fn run(app: &Arc<App>, work: Work) -> Result<Vec<u8>, Refusal> {
    match work {
        Work::Refused(refusal) => Err(refusal),
        Work::Echo(result) => Ok(result),
        Work::Ingest(body, format) => {
            let outcomes = app
                .ingest
                .batch(body, format, EventSource::Rpc, app.admission.ticket())
                .await
                .map_err(unable)?;
            Ok(batch_json(&outcomes, app.store.newest_id(), false).into_bytes())
        }
        Work::Events(options) => {
            let parameters = await_options(app, Route::ApiEvents, 0, &options).await?;
            read_events(app, &parameters).await.map_err(unable)
        }
        Work::Stats(options) => {
            let parameters = await_options(app, Route::ApiStats, 0, &options).await?;
            read_stats(app, &parameters).await.map_err(unable)
        }
        Work::Sessions(options) => {
            let parameters = await_options(app, Route::ApiSessions, 0, &options).await?;
            read_sessions(app, &parameters).await.map_err(unable)
        }
        Work::Snapshot(topic, options) => {
            let parameters = await_options(app, Route::ApiSnapshotTopic, 1, &options).await?;
            let topic = topic_named(&topic).ok_or_else(|| unable(ErrorCode::NotFound.into()))?;
            read_snapshot(app, &topic, &parameters).await.map_err(unable)
        }
    }
}

/// Reads the options of a route, and waits for the sequence that they name (rule CLU-09).
async fn await_options(
    app: &App,
    route: Route,
    index: usize,
    options: &Options,
) -> Result<Parameters, Refusal> {
    let parameters = parameters_of(route, index, options)?;
    app.await_sequence(parameters.number(Parameter::MinSeq)).await.map_err(unable)?;
    Ok(parameters)
}

/// Reads the options of a route, the argument at this index; the first invalid option is a problem (rule RPC-05).
fn parameters_of(route: Route, index: usize, options: &Options) -> Result<Parameters, Refusal> {
    Parameters::of_options(route.spec(), options).map_err(|failure| {
        let text = |name: &str| failure.members.get(name).and_then(Value::as_str);
        match (text("parameter"), text("message")) {
            (Some(parameter), Some(message)) => {
                refusal_of(&Problem::new(message).under(parameter).under(index))
            }
            _ => unable(failure),
        }
    })
}

/// Returns the refusal of a method that failed.
#[expect(clippy::needless_pass_by_value, reason = "it is what a result is mapped by")]
fn unable(failure: Failure) -> Refusal {
    Refusal { error: RpcError::ServerError, data: Some(failure_json(&failure)) }
}
