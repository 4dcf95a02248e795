//! Judges the answer of a receiver (rules FWD-06 and FWD-07). Pure.

use miniserde::{Deserialize, json};

use crate::contract::TUNING;

/// The failure of a request without an answer.
pub const UNREACHABLE: &str = "unreachable";

/// What an answer means for its batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The receiver has every event except the refused ones.
    Stored {
        /// Their places in the batch.
        refused: Vec<usize>,
    },
    /// The receiver cannot take the batch as a whole: it may take a smaller one.
    Refused,
    /// The batch must be sent again later.
    Failed {
        /// The reason, for logs and `/api/health`.
        failure: String,
        /// Seconds that the receiver asked for.
        retry_after_s: Option<u64>,
    },
}

#[derive(Deserialize)]
struct BatchAnswer {
    received: usize,
    duplicates: usize,
    rejected: Vec<Rejected>,
}

#[derive(Deserialize)]
struct Rejected {
    index: usize,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "the answer of a twin has a code")]
struct ErrorAnswer {
    code: String,
}

/// Judges the answer to a batch of this many events.
pub fn read_answer(status: u16, retry_after: Option<&str>, body: &[u8], events: usize) -> Answer {
    let text = std::str::from_utf8(body).unwrap_or_default();
    match status {
        201 => match json::from_str::<BatchAnswer>(text) {
            Ok(answer) if answer.received + answer.duplicates + answer.rejected.len() == events => {
                Answer::Stored { refused: answer.rejected.iter().map(|rejected| rejected.index).collect() }
            }
            _ => failed("unexpected_answer"),
        },
        413 => Answer::Refused,
        // A proxy answers 400 too, for example to a wrong scheme. Only a server with this API has a code.
        400 if json::from_str::<ErrorAnswer>(text).is_ok() => Answer::Refused,
        _ => Answer::Failed { failure: format!("status_{status}"), retry_after_s: seconds_of(retry_after) },
    }
}

/// Returns a failure without a time.
pub fn failed(failure: &str) -> Answer {
    Answer::Failed { failure: failure.to_owned(), retry_after_s: None }
}

/// Returns the seconds of `Retry-After`; a date counts as absent.
fn seconds_of(retry_after: Option<&str>) -> Option<u64> {
    let text = retry_after?.trim();
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().unwrap_or(u64::MAX).min(TUNING.forward_retry_after_most_s))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_answer_that_counts_every_event_acknowledges_a_batch() {
        let stored = br#"{"received":1,"ids":[7],"duplicates":1,"rejected":[{"index":2,"errors":["a: b"]}],"revision":"7"}"#;
        assert_eq!(read_answer(201, None, stored, 3), Answer::Stored { refused: vec![2] });
        for (status, body) in [(201, stored.as_slice()), (201, b"<html>"), (201, b"{}")] {
            assert_eq!(read_answer(status, None, body, 4), failed("unexpected_answer"));
        }
        assert_eq!(read_answer(200, None, stored, 3), failed("status_200"));
    }

    #[test]
    fn only_a_coded_400_and_413_refuse_a_batch() {
        assert_eq!(read_answer(413, None, b"", 1), Answer::Refused);
        assert_eq!(read_answer(400, None, br#"{"error":"e","code":"invalid_msgpack"}"#, 1), Answer::Refused);
        assert_eq!(read_answer(400, None, b"<html>", 1), failed("status_400"));
        assert_eq!(read_answer(401, None, br#"{"code":"unauthorized"}"#, 1), failed("status_401"));
    }

    #[test]
    fn retry_after_counts_in_seconds_up_to_a_limit() {
        let times = [
            ("7", Some(7)),
            (" 0 ", Some(0)),
            ("99999999999999999999999", Some(3600)),
            ("x", None),
            ("", None),
        ];
        for (text, expected) in times {
            let Answer::Failed { retry_after_s, .. } = read_answer(503, Some(text), b"", 1) else {
                panic!("{text}");
            };
            assert_eq!(retry_after_s, expected, "{text}");
        }
    }
}
