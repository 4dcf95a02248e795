//! Reads calls of JSON-RPC 2.0 in JSON (rules RPC-01 to RPC-03).
//!
//! Invariant: a body is read to its end before any call runs, so a body that is not JSON has no effect.

use std::sync::LazyLock;

use crate::contract::LIMITS;
use crate::event::{Span, SpanKind};
use crate::rpc::arguments::{Argument, complete, read_arguments};
use crate::rpc::problem::Problem;
use crate::rpc::refusal::{RpcError, refusal_of};
use crate::rpc::schema::{METHODS, Method, method_named};
use crate::rpc::values::Checked;
use crate::rpc::work::{Call, Calls, Reading, Work, calls_of, refused, work_of};
use crate::scanner::{Scan, Scanner};

const NULL: &str = "null";

/// Size limit of a method name with every character escaped; a longer name is not decoded.
static NAME_BYTES: LazyLock<usize> = LazyLock::new(|| {
    METHODS.iter().map(|method| method.name.len()).max().unwrap_or_default() * r"\u0000".len() + 2
});

/// Reads a body in JSON.
pub fn read_json_calls(body: &[u8], reading: Reading) -> Calls {
    let calls = std::str::from_utf8(body).ok().and_then(|text| scan_calls(text, reading).ok());
    calls.unwrap_or_else(|| refused(RpcError::ParseError))
}

fn scan_calls(text: &str, reading: Reading) -> Scan<Calls> {
    let mut scanner = Scanner::new(text.as_bytes());
    scanner.skip_space();
    let is_batch = scanner.peek() == Some(b'[');
    let (mut calls, mut count) = (Vec::new(), 1);
    if is_batch {
        count = 0;
        scanner.elements(1, |scanner| {
            if count < LIMITS.rpc_batch_calls {
                calls.push(scan_call(scanner, text, 1, reading)?);
            } else {
                scanner.skip_value(1)?;
            }
            count += 1;
            Ok(())
        })?;
    } else {
        calls.push(scan_call(&mut scanner, text, 0, reading)?);
    }
    scanner.end()?;
    Ok(calls_of(calls, count, is_batch))
}

/// Reads one call that makes up the whole text.
pub(crate) fn read_call(text: &str, reading: Reading) -> Scan<Call> {
    scan_call(&mut Scanner::new(text.as_bytes()), text, 0, reading)
}

/// Arguments that were checked as soon as the scanner reached them, since most calls name their method first.
struct Early {
    method: &'static Method,
    start: usize,
    arguments: Result<Vec<Argument>, Problem>,
}

/// Scans the call at this position, at nesting depth `depth`.
fn scan_call(scanner: &mut Scanner<'_>, text: &str, depth: usize, reading: Reading) -> Scan<Call> {
    if scanner.peek() != Some(b'{') {
        scanner.skip_value(depth)?;
        return Ok(invalid(NULL));
    }
    let [mut version, mut name, mut params, mut id] = [Span::ABSENT; 4];
    let mut early: Option<Early> = None;
    scanner.members(depth + 1, |scanner, key| {
        let bytes = scanner.bytes;
        if key.key_is("params", bytes) {
            let start = scanner.at();
            params = match method_of(text, name, reading) {
                None => scanner.skip_value(depth + 1)?,
                Some(method) => {
                    let arguments = read_arguments(scanner, method, depth + 1, reading.keeps_minus_zero)?;
                    early = Some(Early { method, start, arguments });
                    Span { start, end: scanner.at(), kind: SpanKind::Array }
                }
            };
        } else {
            let value = scanner.skip_value(depth + 1)?;
            if key.key_is("jsonrpc", bytes) {
                version = value;
            } else if key.key_is("method", bytes) {
                name = value;
            } else if key.key_is("id", bytes) {
                id = value;
            }
        }
        Ok(())
    })?;
    let is_version = is_text(version) && version.key_is("2.0", text.as_bytes());
    let has_id = is_text(id) || matches!(id.kind, SpanKind::Number | SpanKind::Null);
    let id_text = if has_id { &text[id.start..id.end] } else { NULL };
    if !is_version || !is_text(name) || (!has_id && id.kind != SpanKind::Absent) {
        return Ok(invalid(id_text));
    }
    let work = match method_of(text, name, reading) {
        None => Work::Refused(RpcError::MethodNotFound.into()),
        Some(method) => {
            let early =
                early.filter(|early| early.start == params.start && std::ptr::eq(early.method, method));
            let arguments = match early {
                Some(early) => early.arguments,
                None => read_params(scanner.bytes, params, method, depth + 1, reading)?,
            };
            match arguments {
                Ok(arguments) => work_of(method, arguments),
                Err(problem) => Work::Refused(refusal_of(&problem)),
            }
        }
    };
    Ok(Call { id: has_id.then(|| id_text.to_owned()), work })
}

fn invalid(id: &str) -> Call {
    Call { id: Some(id.to_owned()), work: Work::Refused(RpcError::InvalidRequest.into()) }
}

fn is_text(span: Span) -> bool {
    matches!(span.kind, SpanKind::String | SpanKind::EscapedString)
}

/// Returns the method with the name at this span; `None` when no method has it.
fn method_of(text: &str, name: Span, reading: Reading) -> Option<&'static Method> {
    match name.kind {
        SpanKind::String => method_named(&text[name.start + 1..name.end - 1], reading.has_bench),
        // A call may repeat the key `params` many times, so an overlong name is not decoded.
        SpanKind::EscapedString if name.end - name.start <= *NAME_BYTES => {
            let name: String = serde_json::from_str(&text[name.start..name.end]).ok()?;
            method_named(&name, reading.has_bench)
        }
        _ => None,
    }
}

/// Reads the arguments of a scanned `params`; an absent `params` has no arguments.
fn read_params(
    bytes: &[u8],
    params: Span,
    method: &Method,
    depth: usize,
    reading: Reading,
) -> Checked<Vec<Argument>> {
    if params.kind == SpanKind::Absent {
        return Ok(complete(method, Vec::new()));
    }
    let mut scanner = Scanner::starting_at(bytes, params.start);
    read_arguments(&mut scanner, method, depth, reading.keeps_minus_zero)
}
