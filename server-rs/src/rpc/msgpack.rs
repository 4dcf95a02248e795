//! Reads calls in MessagePack (rule RPC-01): each becomes JSON text, which is read as any other.
//!
//! Invariant: events to be stored stay MessagePack, so that they are read as every batch in it is (rule FMT-05).

use crate::contract::{LIMITS, VOCABULARY};
use crate::error::Failure;
use crate::formats::Format;
use crate::formats::fault::Fault;
use crate::formats::msgpack::json_of;
use crate::formats::msgpack_check::{check_elements, first_element};
use crate::rpc::calls::{Call, Calls, Reading, Refusal, Work, calls_of, read_call};

/// A map with the one member `events`, whose value follows.
const BATCH: &[u8] = b"\x81\xa6events";

/// Reads a body in MessagePack; a failure is a fault of ours.
pub fn read_msgpack_calls(body: &[u8], reading: Reading) -> Result<Calls, Failure> {
    let refused = |_: Fault| Refusal::new(&VOCABULARY.rpc_errors.parse_error).alone();
    let places = match check_elements(body, LIMITS.rpc_batch_calls).map_err(refused) {
        Err(refused) => return Ok(refused),
        Ok(places) => places,
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
    let mut call = read_call(&text, reading).map_err(|_| Failure::new(crate::error::ErrorCode::Internal))?;
    if let Work::Ingest(body, format) = &mut call.work {
        let events = first_element(bytes, b"params").unwrap_or_default();
        *body = [BATCH, events].concat();
        *format = Format::Msgpack;
    }
    Ok(call)
}
