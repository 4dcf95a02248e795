//! Handles `/bench/sink` and `/bench/echo`, which exist with `--bench` alone (rules BEN-01 to BEN-03).
//!
//! They are the baseline of measurements: HTTP without further work. Invariant: the sink holds at most one read in
//! memory.

use bytes::{Bytes, BytesMut};

use crate::contract::LIMITS;
use crate::error::{ErrorCode, Failure};
use crate::http::body::{declared_length, next_frame};
use crate::http::exchange::Exchange;
use crate::http::inflate::{Encoding, encoding_of};
use crate::http::reply;

/// `POST /bench/sink` (rule BEN-02).
pub async fn post_sink(exchange: Exchange) -> reply::Reply {
    let mut length = 0;
    receive(&exchange, |bytes| length += bytes.len() as u64).await?;
    Ok(reply::sink(length))
}

/// `POST /bench/echo` (rule BEN-03).
pub async fn post_echo(exchange: Exchange) -> reply::Reply {
    let declared = declared_length(&exchange.headers).unwrap_or(0).min(LIMITS.bench_body_bytes);
    let mut body = BytesMut::with_capacity(usize::try_from(declared).unwrap_or(0));
    receive(&exchange, |bytes| body.extend_from_slice(&bytes)).await?;
    Ok(reply::echo(body.freeze()))
}

/// Calls `take` with the bytes of a body as they arrive (rule BEN-01).
async fn receive(exchange: &Exchange, mut take: impl FnMut(Bytes)) -> Result<(), Failure> {
    let Exchange { headers, body: slot, deadline, .. } = exchange;
    if encoding_of(headers)? != Encoding::Identity {
        return Err(Failure::new(ErrorCode::UnsupportedEncoding));
    }
    let limit = LIMITS.bench_body_bytes;
    let too_large = Failure::new(ErrorCode::PayloadTooLarge).with("limit", limit).closing();
    if let Some(length) = declared_length(headers).filter(|length| *length > limit) {
        return Err(too_large.with("actual", length));
    }
    let mut body = slot.take().ok_or(Failure::new(ErrorCode::Internal))?;
    let mut received = 0;
    while let Some(bytes) = next_frame(&mut body, *deadline).await? {
        received += bytes.len() as u64;
        if received > limit {
            return Err(too_large);
        }
        take(bytes);
    }
    Ok(())
}
