//! Describes calls that were read, and what each is to do.

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
    /// In their order.
    pub calls: Vec<Call>,
    /// Whether they are answered by an array.
    pub is_batch: bool,
}

/// One call.
#[derive(Debug, PartialEq, Eq)]
pub struct Call {
    /// Its `id` as JSON text; a call without one gets no response.
    pub id: Option<String>,
    /// What is to be done.
    pub work: Work,
}

/// What a call is to do: nothing where it is at fault, or where its result is known.
#[derive(Debug, PartialEq, Eq)]
pub enum Work {
    /// Nothing: it is at fault.
    Refused(Refusal),
    /// Nothing: this is its result as JSON text.
    Echo(Vec<u8>),
    /// Stores a batch, whose body this is.
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

/// What depends on the request and on the server.
#[derive(Debug, Clone, Copy)]
pub struct Reading {
    /// Whether the methods of measurements exist (rule RPC-06).
    pub has_bench: bool,
    /// Whether results say that a zero is negative (rule RPC-04).
    pub keeps_minus_zero: bool,
}

/// The one response to a body that has no calls.
pub(crate) fn refused(error: RpcError) -> Calls {
    Calls {
        calls: vec![Call { id: Some("null".to_owned()), work: Work::Refused(error.into()) }],
        is_batch: false,
    }
}

/// The calls that were read of so many, where those are not too many.
pub(crate) fn calls_of(calls: Vec<Call>, count: usize, is_batch: bool) -> Calls {
    if (1..=LIMITS.rpc_batch_calls).contains(&count) {
        Calls { calls, is_batch }
    } else {
        refused(RpcError::InvalidRequest)
    }
}

/// What a method does with arguments that are of its types.
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
