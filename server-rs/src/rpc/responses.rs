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
        if format == Format::Json && is_batch {
            out.push(if index == 0 { b'[' } else { b',' });
        }
        if format == Format::Json && length(&response) < LONG_BYTES {
            write_response(&mut out, &response);
            continue;
        }
        let text = long_response(response);
        // The response consists of texts that were valid UTF-8 before.
        let packed = (format == Format::Msgpack).then(|| pack_json(&String::from_utf8_lossy(&text)));
        join(&mut out, packed.unwrap_or(text));
    }
    if format == Format::Json && is_batch {
        out.push(b']');
    }
    Some(out)
}

/// Size from which on a response is not copied while it is the only long one.
const LONG_BYTES: usize = 1 << 20;

/// Writes a response around its result, without a copy of it.
fn long_response(Response { id, result }: Response) -> Vec<u8> {
    let Ok(mut text) = result else {
        let mut out = Vec::new();
        write_response(&mut out, &Response { id, result });
        return out;
    };
    drop(text.splice(0..0, RESULT.iter().copied()));
    end_response(&mut text, &id);
    text
}

/// Appends a text. A long one takes the place of a short one instead.
fn join(out: &mut Vec<u8>, mut text: Vec<u8>) {
    if out.len() >= LONG_BYTES || text.len() < LONG_BYTES {
        return out.extend_from_slice(&text);
    }
    drop(text.splice(0..0, out.drain(..)));
    *out = text;
}

/// What precedes a result.
const RESULT: &[u8] = b"{\"jsonrpc\":\"2.0\",\"result\":";

/// Size of a response without its id and its result.
const ROOM: usize = 64;

fn write_response(out: &mut Vec<u8>, Response { id, result }: &Response) {
    match result {
        Ok(result) => {
            out.extend_from_slice(RESULT);
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
    end_response(out, id);
}

fn end_response(out: &mut Vec<u8>, id: &str) {
    out.extend_from_slice(b",\"id\":");
    out.extend_from_slice(id.as_bytes());
    out.push(b'}');
}
