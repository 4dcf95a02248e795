//! Reads a request's body within its limits of size and time (rules BOD-02 to BOD-04, HTT-09 to HTT-11). The ingest
//! pipeline checks whether it is well-formed.

use axum::body::Body;
use http::header::{CONTENT_LENGTH, EXPECT, HeaderMap, TRANSFER_ENCODING};
use http_body_util::BodyExt;
use tokio::time::timeout_at;

use crate::admission::Ticket;
use crate::contract::{LIMITS, TUNING};
use crate::error::{ErrorCode, Failure};
use crate::formats::Format;
use crate::http::exchange::{Deadline, Exchange};
use crate::http::inflate::{Encoding, InflateError, encoding_of, inflate};
use crate::http::negotiation::content_format;
use crate::rpc::room::room_for;

/// Reads and inflates a body of at most `limit` bytes and `most_events` events; the ticket holds its room.
pub async fn read_body(
    exchange: &Exchange,
    limit: u64,
    most_events: usize,
    mut ticket: Ticket,
) -> Result<(Vec<u8>, Format, Ticket), Failure> {
    let Exchange { headers, route, body: slot, deadline, .. } = exchange;
    let format = content_format(headers, route)?;
    let encoding = encoding_of(headers)?;
    let declared = declared_length(headers);
    let too_large = Failure::new(ErrorCode::PayloadTooLarge).with("limit", limit).closing();
    // Incompressible data grows, so a compressed body may be slightly over the limit (rule BOD-04).
    let longest = if encoding == Encoding::Identity { limit } else { limit + LIMITS.compressed_extra_bytes };
    if let Some(length) = declared.filter(|length| encoding == Encoding::Identity && *length > limit) {
        return Err(too_large.with("actual", length));
    }
    let expected = declared.map(|length| length.min(longest));
    ticket.start_body(expected).await?;
    let mut body = slot.take().ok_or(Failure::new(ErrorCode::Internal))?;
    let capacity = usize::try_from(expected.unwrap_or(0)).unwrap_or(0);
    // What has not arrived takes little memory.
    let mut bytes = Vec::with_capacity(capacity.min(TUNING.large_body_bytes));
    loop {
        let frame = tokio::select! {
            biased;
            frame = next_frame(&mut body, *deadline) => frame?,
            () = ticket.pressed() => {
                ticket.hold_still().await.map_err(Failure::closing)?;
                continue;
            }
        };
        let Some(frame) = frame else {
            break;
        };
        let length = bytes.len() as u64 + frame.len() as u64;
        if length > longest {
            return Err(too_large);
        }
        ticket.hold_bytes(length).await.map_err(Failure::closing)?;
        if bytes.len() + frame.len() > bytes.capacity() {
            bytes.reserve(room_for(capacity).saturating_sub(bytes.len()).max(frame.len()));
        }
        bytes.extend_from_slice(&frame);
    }
    let sent = bytes.len() as u64;
    if encoding == Encoding::Identity {
        ticket.end_body(sent, most_events).await?;
        return Ok((bytes, format, ticket));
    }
    let (inflated, mut ticket) = ticket.run_blocking(move || inflate(encoding, &bytes, limit)).await?;
    let inflated = inflated.map_err(|error| match error {
        InflateError::TooLarge => too_large,
        InflateError::Broken => Failure::new(ErrorCode::BadRequest),
    })?;
    ticket.hold_bytes(inflated.len() as u64).await?;
    ticket.end_body(sent, most_events).await?;
    Ok((inflated, format, ticket))
}

/// Returns the next bytes of a body within the deadline; `None` at its end.
pub(super) async fn next_frame(body: &mut Body, deadline: Deadline) -> Result<Option<bytes::Bytes>, Failure> {
    loop {
        match timeout_at(deadline.next(), body.frame()).await {
            Err(_) => return Err(Failure::new(ErrorCode::RequestTimeout).closing()),
            Ok(None) => return Ok(None),
            // The body's framing is broken, or the client disconnected.
            Ok(Some(Err(_))) => return Err(Failure::new(ErrorCode::BadRequest).closing()),
            Ok(Some(Ok(frame))) => match frame.into_data() {
                Ok(data) => return Ok(Some(data)),
                Err(frame) if frame.trailers_ref().is_some_and(holds_framing) => {
                    return Err(Failure::new(ErrorCode::BadRequest).closing());
                }
                Err(_) => {}
            },
        }
    }
}

/// Returns whether a trailer field would change the framing of its own body (RFC 9110, section 6.5.1).
fn holds_framing(trailers: &HeaderMap) -> bool {
    trailers.contains_key(CONTENT_LENGTH) || trailers.contains_key(TRANSFER_ENCODING)
}

/// Reads and drops a small body that no handler read, while the answer is being sent. Returns `false` when the
/// connection must close instead (rule HTT-10).
pub(crate) fn discard_later(headers: &HeaderMap, mut body: Body, deadline: Deadline) -> bool {
    if http_body::Body::is_end_stream(&body) {
        return true;
    }
    let small = declared_length(headers).is_some_and(|length| length <= LIMITS.drain_body_bytes);
    if !small || waits_for_continue(headers) {
        return false;
    }
    // A body that does not arrive in time is abandoned together with its connection.
    tokio::spawn(async move { while let Ok(Some(_)) = next_frame(&mut body, deadline).await {} });
    true
}

/// Returns whether the client holds its body back until `100 Continue` (RFC 9110, section 10.1.1).
fn waits_for_continue(headers: &HeaderMap) -> bool {
    headers.get_all(EXPECT).iter().any(|value| value.as_bytes().eq_ignore_ascii_case(b"100-continue"))
}

/// Returns the value of `Content-Length`.
pub(super) fn declared_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}
