//! Reads typed calls and writes their responses (rules RPC-01 to RPC-07, decision 56).
//!
//! Invariant: a result does not depend on which code path has read its arguments. Knows nothing of HTTP; `http/rpc`
//! runs the calls.

/// The methods and their types.
pub mod schema;
/// Problems of arguments.
pub mod problem;
/// Reasons why a call has no result.
pub mod refusal;
/// Reads query parameters given as an argument.
pub mod options;
/// Reads values in the form that most clients write.
mod quick;
/// Checks values against types.
pub(crate) mod values;
/// Checks arguments against their types.
pub mod arguments;
/// Turns the events of a call into a batch.
pub mod batches;
/// Work that calls request.
pub mod work;
/// Reads calls in JSON.
pub mod calls;
/// Reads calls in MessagePack.
pub mod msgpack;
/// Converts JSON text to MessagePack.
pub mod pack;
/// Sizes memory for long texts.
pub(crate) mod room;
/// Writes responses in both formats.
pub mod responses;

use crate::error::Failure;
use crate::formats::Format;
use calls::read_json_calls;
use msgpack::read_msgpack_calls;
use work::{Calls, Reading};

/// Reads the calls of a body; an error is an internal error of this server.
pub fn read_calls(body: &[u8], format: Format, reading: Reading) -> Result<Calls, Failure> {
    match format {
        Format::Msgpack => read_msgpack_calls(body, reading),
        Format::Json | Format::Ndjson | Format::Protobuf | Format::Arrow => {
            Ok(read_json_calls(body, reading))
        }
    }
}
