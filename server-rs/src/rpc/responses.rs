//! Writes the responses to calls (rules RPC-02 and RPC-04).

use rmp::encode::write_array_len;

use crate::formats::Format;
use crate::rpc::pack::pack_json;
use crate::rpc::refusal::Refusal;
use crate::rpc::room::room_for;

/// The result of a call that has an `id`.
#[derive(Debug)]
pub struct Response {
    /// As JSON text.
    pub id: String,
    /// The result as JSON text, or the refusal.
    pub result: Result<Vec<u8>, Refusal>,
}

/// Returns the body of an answer; `None` when no call needs a response. Frees each result once it is written.
pub fn write_responses(responses: Vec<Response>, is_batch: bool, format: Format) -> Option<Vec<u8>> {
    if responses.is_empty() {
        return None;
    }
    let length =
        |Response { id, result }: &Response| ROOM + id.len() + result.as_ref().map_or(ROOM, Vec::len);
    let mut out = Vec::with_capacity(room_for(responses.iter().map(length).sum()));
    if format == Format::Msgpack && is_batch {
        // Writing to memory cannot fail. A body has far fewer calls than an array may have elements.
        drop(write_array_len(&mut out, u32::try_from(responses.len()).unwrap_or(u32::MAX)));
    }
    for (index, response) in responses.into_iter().enumerate() {
        if format == Format::Msgpack {
            let mut json = Vec::with_capacity(room_for(length(&response)));
            write_response(&mut json, &response);
            drop(response);
            // The response consists of texts that were valid UTF-8 before.
            out.extend_from_slice(&pack_json(&String::from_utf8_lossy(&json)));
            continue;
        }
        if is_batch {
            out.push(if index == 0 { b'[' } else { b',' });
        }
        write_response(&mut out, &response);
    }
    if format == Format::Json && is_batch {
        out.push(b']');
    }
    Some(out)
}

/// Size of a response without its id and its result.
const ROOM: usize = 64;

fn write_response(out: &mut Vec<u8>, Response { id, result }: &Response) {
    match result {
        Ok(result) => {
            out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"result\":");
            out.extend_from_slice(result);
        }
        Err(Refusal { error, data }) => {
            let spec = error.spec();
            let head = format!(
                "{{\"jsonrpc\":\"2.0\",\"error\":{{\"code\":{},\"message\":\"{}\"",
                spec.code, spec.message
            );
            out.extend_from_slice(head.as_bytes());
            if let Some(data) = data {
                out.extend_from_slice(b",\"data\":");
                out.extend_from_slice(data.as_bytes());
            }
            out.push(b'}');
        }
    }
    out.extend_from_slice(b",\"id\":");
    out.extend_from_slice(id.as_bytes());
    out.push(b'}');
}
