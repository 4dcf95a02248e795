//! Reads typed calls and writes their responses (rules RPC-01 to RPC-07, decision 56).
//!
//! Invariant: a result does not depend on which code has read its arguments. Knows nothing of HTTP; `http/rpc` runs what
//! was read.

/// The methods and their types.
pub mod schema;
/// What is wrong with an argument.
pub mod problem;
/// Why a call has no result.
pub mod refusal;
/// Query parameters as an argument.
pub mod options;
/// Values as most clients write them.
mod quick;
/// Values against types.
pub(crate) mod values;
/// Arguments against their types.
pub mod arguments;
/// Events of a call as a batch.
pub mod batches;
/// What calls are to do.
pub mod work;
/// Calls in JSON.
pub mod calls;
/// Calls in MessagePack.
pub mod msgpack;
/// JSON text becomes MessagePack.
pub mod pack;
/// Memory for long texts.
pub(crate) mod room;
/// Responses in both formats.
pub mod responses;

use crate::error::Failure;
use crate::formats::Format;
use calls::read_json_calls;
use msgpack::read_msgpack_calls;
use work::{Calls, Reading};

/// Reads the calls of a body; a failure is a fault of ours.
pub fn read_calls(body: &[u8], format: Format, reading: Reading) -> Result<Calls, Failure> {
    match format {
        Format::Msgpack => read_msgpack_calls(body, reading),
        Format::Json | Format::Ndjson | Format::Protobuf | Format::Arrow => {
            Ok(read_json_calls(body, reading))
        }
    }
}
