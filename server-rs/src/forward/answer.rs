//! Judges the answer of a receiver (rules FWD-06 and FWD-07). Pure.
//!
//! Any receiver may send any bytes. Invariant: numbers that do not count the events never acknowledge a batch.

use serde::de::{Deserialize, Deserializer, Error};

use crate::contract::TUNING;
use crate::json_members::{count_of, members_of, read_members};

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

/// The index of a refused event in its batch.
struct Rejected(usize);

impl<'de> Deserialize<'de> for Rejected {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        let [index] = read_members(json, ["index"])?;
        let index = count_of(index).and_then(|index| index.try_into().ok());
        index.map(Self).ok_or_else(|| D::Error::custom("no index"))
    }
}

/// Judges the answer to a batch of this many events.
pub fn read_answer(status: u16, retry_after: Option<&str>, body: &[u8], events: usize) -> Answer {
    let text = String::from_utf8_lossy(body);
    match status {
        201 => match refused_of(&text, events) {
            Some(refused) => Answer::Stored { refused },
            None => failed("unexpected_answer"),
        },
        413 => Answer::Refused,
        // A proxy answers 400 too, for example to a wrong scheme. Only a server with this API has a code.
        400 if has_code(&text) => Answer::Refused,
        _ => Answer::Failed { failure: format!("status_{status}"), retry_after_s: seconds_of(retry_after) },
    }
}

/// Returns the refused events of an answer; `None` when it does not count every event.
fn refused_of(text: &str, events: usize) -> Option<Vec<usize>> {
    let [received, duplicates, rejected] = members_of(text, ["received", "duplicates", "rejected"])?;
    let refused: Vec<Rejected> = serde_json::from_str(rejected?.get()).ok()?;
    // Each number is below 2^53, so the sum does not overflow.
    let count = count_of(received)? + count_of(duplicates)? + refused.len() as u64;
    (count == events as u64).then(|| refused.into_iter().map(|rejected| rejected.0).collect())
}

fn has_code(text: &str) -> bool {
    members_of(text, ["code"]).is_some_and(|[code]| code.is_some_and(|code| code.get().starts_with('"')))
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

    /// The answers of `hostileAnswers` in `server-ts/src/forward/answer.test.ts`.
    #[test]
    fn a_hostile_answer_acknowledges_a_batch_only_by_counting_it() {
        let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let stored = |refused: &[usize]| Answer::Stored { refused: refused.to_vec() };
        let unexpected = failed("unexpected_answer");
        for (answer, expected) in [
            (r#"{"received":2,"duplicates":0,"rejected":[]}"#.to_owned(), stored(&[])),
            (r#"{"received":2.0,"duplicates":-0,"rejected":[]}"#.to_owned(), stored(&[])),
            (r#"{"received":1e0,"duplicates":0,"rejected":[{"index":0e1}]}"#.to_owned(), stored(&[0])),
            (r#"{"received":9,"rejected":[],"duplicates":0,"received":2}"#.to_owned(), stored(&[])),
            (r#"{"received":"x","rejected":[],"duplicates":0,"received":2}"#.to_owned(), stored(&[])),
            (r#"{"received":1,"duplicates":0,"rejected":[{"index":0,"index":1}]}"#.to_owned(), stored(&[1])),
            (
                r#"{"received":1,"duplicates":0,"rejected":[{"index":9007199254740991}]}"#.to_owned(),
                stored(&[9_007_199_254_740_991]),
            ),
            (r#"{"received":2,"duplicates":0,"rejected":[],"\ud800":"\ud800"}"#.to_owned(), stored(&[])),
            (format!(r#"{{"x":{},"received":2,"duplicates":0,"rejected":[]}}"#, deep(100_000)), stored(&[])),
            (r#"{"received":2,"duplicates":0,"rejected":[],"received":"x"}"#.to_owned(), unexpected.clone()),
            (r#"{"received":2,"duplicates":0,"rejected":[]} {}"#.to_owned(), unexpected.clone()),
            (r#"{"received":2,"duplicates":0}"#.to_owned(), unexpected.clone()),
            (r#"{"received":2,"duplicates":0,"rejected":{}}"#.to_owned(), unexpected.clone()),
            (r#"{"received":2,"duplicates":null,"rejected":[]}"#.to_owned(), unexpected.clone()),
            (r#"{"received":"2","duplicates":0,"rejected":[]}"#.to_owned(), unexpected.clone()),
            (r#"{"received":3,"duplicates":-1,"rejected":[]}"#.to_owned(), unexpected.clone()),
            (r#"{"received":1.5,"duplicates":0.5,"rejected":[]}"#.to_owned(), unexpected.clone()),
            (r#"{"received":1e400,"duplicates":0,"rejected":[]}"#.to_owned(), unexpected.clone()),
            // The sum of these is 2^64 + 2.
            (
                r#"{"received":18446744073709551615,"duplicates":3,"rejected":[]}"#.to_owned(),
                unexpected.clone(),
            ),
            (r#"{"received":9007199254740993,"duplicates":2,"rejected":[]}"#.to_owned(), unexpected.clone()),
            (r#"{"received":1,"duplicates":0,"rejected":[0]}"#.to_owned(), unexpected.clone()),
            (r#"{"received":1,"duplicates":0,"rejected":[null]}"#.to_owned(), unexpected.clone()),
            (r#"{"received":1,"duplicates":0,"rejected":[[0]]}"#.to_owned(), unexpected.clone()),
            (r#"{"received":1,"duplicates":0,"rejected":[{"index":-1}]}"#.to_owned(), unexpected.clone()),
            (
                r#"{"received":1,"duplicates":0,"rejected":[{"index":9007199254740992}]}"#.to_owned(),
                unexpected.clone(),
            ),
            ("[2,0,[]]".to_owned(), unexpected.clone()),
            (format!(r#"{{"received":2,"duplicates":0,"rejected":{}}}"#, deep(100_000)), unexpected.clone()),
            (deep(100_000), unexpected),
        ] {
            assert_eq!(read_answer(201, None, answer.as_bytes(), 2), expected, "{answer:.99}");
        }
        let bytes = b"{\"x\":\"\xff\",\"received\":2,\"duplicates\":0,\"rejected\":[]}";
        assert_eq!(read_answer(201, None, bytes, 2), stored(&[]));
        for (answer, is_coded) in [
            (r#"{"code":7,"code":"\ud800"}"#, true),
            (r#"{"code":"a","code":null}"#, false),
            (r#"["code"]"#, false),
            (r#"{"code":"a"}}"#, false),
        ] {
            assert_eq!(read_answer(400, None, answer.as_bytes(), 2) == Answer::Refused, is_coded, "{answer}");
        }
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
