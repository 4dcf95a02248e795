//! Reads calls in MessagePack (rule RPC-01): converts each to JSON text, then reads it like any other.
//!
//! Invariant: events to store stay MessagePack, so the server reads them like every batch in that format (rule
//! FMT-05).

use crate::contract::LIMITS;
use crate::error::{ErrorCode, Failure};
use crate::formats::Format;
use crate::formats::msgpack::json_of;
use crate::formats::msgpack_check::{check_elements, first_element};
use crate::rpc::batches::batch_body;
use crate::rpc::calls::read_call;
use crate::rpc::refusal::RpcError;
use crate::rpc::work::{Call, Calls, Reading, Work, calls_of, refused};

/// Reads a body in MessagePack; an error is an internal error of this server.
pub fn read_msgpack_calls(body: &[u8], reading: Reading) -> Result<Calls, Failure> {
    let Ok(places) = check_elements(body, LIMITS.rpc_batch_calls) else {
        return Ok(refused(RpcError::ParseError));
    };
    let Some(places) = places else {
        return Ok(calls_of(vec![read_one(body, reading)?], 1, false));
    };
    let places_of_calls = places.events.into_iter();
    let calls = places_of_calls.map(|place| read_one(&body[place], reading)).collect::<Result<_, _>>()?;
    Ok(calls_of(calls, places.count, true))
}

fn read_one(bytes: &[u8], reading: Reading) -> Result<Call, Failure> {
    let text = json_of(bytes)?;
    let mut call = read_call(&text, reading).map_err(|_| Failure::new(ErrorCode::Internal))?;
    if let Work::Ingest(body, format) = &mut call.work {
        let events = first_element(bytes, b"params").unwrap_or_default();
        *body = batch_body(events, Format::Msgpack);
        *format = Format::Msgpack;
    }
    Ok(call)
}
