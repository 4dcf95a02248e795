//! Describes calls and the work that each requests.

use crate::contract::LIMITS;
use crate::formats::Format;
use crate::rpc::arguments::Argument;
use crate::rpc::batches::batch_body;
use crate::rpc::options::Options;
use crate::rpc::refusal::{Refusal, RpcError};
use crate::rpc::schema::{Method, Service};

/// The calls of a body.
#[derive(Debug, PartialEq, Eq)]
pub struct Calls {
    /// The calls, in order.
    pub calls: Vec<Call>,
    /// Whether the response is an array.
    pub is_batch: bool,
}

/// One call.
#[derive(Debug, PartialEq, Eq)]
pub struct Call {
    /// Its `id` as JSON text; a call without one gets no response.
    pub id: Option<String>,
    /// The requested work.
    pub work: Work,
}

/// The work of a call; a refused call and a known result need none.
#[derive(Debug, PartialEq, Eq)]
pub enum Work {
    /// None: the call is refused.
    Refused(Refusal),
    /// None: this is its result as JSON text.
    Echo(Vec<u8>),
    /// Stores a batch with this body.
    Ingest(Vec<u8>, Format),
    /// Reads events.
    Events(Options),
    /// Reads statistics.
    Stats(Options),
    /// Reads sessions.
    Sessions(Options),
    /// Reads the state of the topic with this name.
    Snapshot(String, Options),
}

impl Work {
    /// Returns whether it reads the database.
    pub fn reads(&self) -> bool {
        matches!(self, Self::Events(_) | Self::Stats(_) | Self::Sessions(_) | Self::Snapshot(..))
    }
}

/// Facts about the request and the server that reading depends on.
#[derive(Debug, Clone, Copy)]
pub struct Reading {
    /// Whether the methods of measurements exist (rule RPC-06).
    pub has_bench: bool,
    /// Whether results keep the sign of -0 (rule RPC-04).
    pub keeps_minus_zero: bool,
}

/// Returns the one response to a body without calls.
pub(crate) fn refused(error: RpcError) -> Calls {
    Calls {
        calls: vec![Call { id: Some("null".to_owned()), work: Work::Refused(error.into()) }],
        is_batch: false,
    }
}

/// Returns the calls, unless their number exceeds the limit.
pub(crate) fn calls_of(calls: Vec<Call>, count: usize, is_batch: bool) -> Calls {
    if (1..=LIMITS.rpc_batch_calls).contains(&count) {
        Calls { calls, is_batch }
    } else {
        refused(RpcError::InvalidRequest)
    }
}

/// Returns the work of a method with arguments of its types.
pub(crate) fn work_of(method: &Method, arguments: Vec<Argument>) -> Work {
    let mut arguments = arguments.into_iter();
    let mut json = || match arguments.next() {
        Some(Argument::Json(text)) => text,
        _ => Vec::new(),
    };
    match method.service {
        Service::Echo => Work::Echo(json()),
        Service::Ingest => Work::Ingest(batch_body(&json(), Format::Json), Format::Json),
        Service::Snapshot => {
            let topic = serde_json::from_slice(&json()).unwrap_or_default();
            Work::Snapshot(topic, options_of(arguments.next()))
        }
        Service::Events => Work::Events(options_of(arguments.next())),
        Service::Stats => Work::Stats(options_of(arguments.next())),
        Service::Sessions => Work::Sessions(options_of(arguments.next())),
    }
}

fn options_of(argument: Option<Argument>) -> Options {
    match argument {
        Some(Argument::Options(options)) => options,
        _ => Options::new(),
    }
}
