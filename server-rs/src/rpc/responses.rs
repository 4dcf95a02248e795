//! Writes the responses to calls (rules RPC-02 and RPC-04).

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

/// Returns the body of an answer; `None` when no call needs a response.
pub fn write_responses(responses: &[Response], is_batch: bool, format: Format) -> Option<Vec<u8>> {
    if responses.is_empty() {
        return None;
    }
    let length = responses
        .iter()
        .map(|Response { id, result }| ROOM + id.len() + result.as_ref().map_or(ROOM, Vec::len));
    let mut out = Vec::with_capacity(room_for(length.sum()));
    for (index, response) in responses.iter().enumerate() {
        if is_batch {
            out.push(if index == 0 { b'[' } else { b',' });
        }
        write_response(&mut out, response);
    }
    if is_batch {
        out.push(b']');
    }
    if format == Format::Msgpack {
        // The response consists of texts that were valid UTF-8 before.
        out = pack_json(&String::from_utf8_lossy(&out));
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
