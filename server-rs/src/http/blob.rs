//! Handles `/bench/blob`, which exists with `--bench` alone (rules BEN-01 and BEN-04).
//!
//! It sends the same bytes in several forms, so that a page can measure the cost of each form.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;

use crate::contract::routes::Parameter;
use crate::error::{ErrorCode, Failure};
use crate::http::exchange::Exchange;
use crate::http::reply;

/// Start value of Marsaglia's xorshift generator.
const SEED: u32 = 2_463_534_242;

/// The longest sequence generated so far; a shorter one is a prefix of it.
static MADE: Mutex<Bytes> = Mutex::new(Bytes::new());

/// `GET /bench/blob` (rule BEN-04).
pub async fn get_blob(exchange: Exchange) -> reply::Reply {
    let internal = || Failure::new(ErrorCode::Internal);
    let size = exchange.parameters.number(Parameter::Size).and_then(|size| usize::try_from(size).ok());
    let (size, form) =
        (size.ok_or_else(internal)?, exchange.parameters.text(Parameter::As).map(str::to_owned));
    let work = tokio::task::spawn_blocking(move || {
        let bytes = blob(size);
        let started = Instant::now();
        let (media_type, body) = match form.as_deref() {
            Some("base64") => ("text/plain", BASE64_STANDARD.encode(&bytes).into()),
            Some("json") => ("application/json", json(&bytes)),
            Some("numbers") => ("application/json", numbers(&bytes)),
            _ => ("application/octet-stream", bytes),
        };
        reply::blob(body, media_type, started.elapsed())
    });
    work.await.map_err(|_| internal())
}

/// Returns the first bytes of the sequence; reuses bytes generated earlier.
fn blob(size: usize) -> Bytes {
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    if made.len() < size {
        let mut state = SEED;
        let mut bytes = Vec::with_capacity(size.next_multiple_of(4));
        while bytes.len() < size {
            bytes.extend_from_slice(&state.to_le_bytes());
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
        }
        *made = bytes.into();
    }
    made.slice(..size)
}

fn json(bytes: &[u8]) -> Bytes {
    serde_json::json!({"size": bytes.len(), "data": BASE64_STANDARD.encode(bytes)}).to_string().into()
}

fn numbers(bytes: &[u8]) -> Bytes {
    // A random byte takes 2.6 digits and a comma on average.
    let mut text = String::with_capacity(bytes.len() * 4);
    let mut digits = itoa::Buffer::new();
    for (index, byte) in bytes.iter().enumerate() {
        text.push(if index == 0 { '[' } else { ',' });
        text.push_str(digits.format(*byte));
    }
    text.push(']');
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shorter_blob_is_a_prefix_of_a_longer_one() {
        let long = blob(1001);
        assert_eq!(long.len(), 1001);
        assert_eq!(long[..4], SEED.to_le_bytes());
        assert_eq!(blob(7), long[..7]);
    }

    #[test]
    fn the_json_forms_hold_every_byte() {
        assert_eq!(numbers(&[0, 255, 7]), "[0,255,7]");
        assert_eq!(json(&[0, 255, 7]), r#"{"size":3,"data":"AP8H"}"#);
    }
}
