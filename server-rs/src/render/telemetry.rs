//! Renders the answers to telemetry, in JSON or Protobuf (rule OTL-01).

use prost::Message;
use serde_json::json;

use crate::formats::Format;

/// The used part of `google.rpc.Status`.
#[derive(Clone, PartialEq, Message)]
struct Status {
    #[prost(int32, tag = "1")]
    code: i32,
    #[prost(string, tag = "2")]
    message: String,
}

/// The answer, which has the same form for all kinds of requests.
#[derive(Clone, PartialEq, Message)]
struct ExportResponse {
    #[prost(message, optional, tag = "1")]
    partial_success: Option<PartialSuccess>,
}

#[derive(Clone, PartialEq, Message)]
struct PartialSuccess {
    #[prost(int64, tag = "1")]
    rejected: i64,
    #[prost(string, tag = "2")]
    error_message: String,
}

/// Renders the answer to a request with these rejected records and their counts; `member` counts them.
pub fn export_response(format: Format, member: &str, rejected: &[(&str, u64)]) -> Vec<u8> {
    let count: u64 = rejected.iter().map(|(_, count)| count).sum();
    let reasons: Vec<String> = rejected.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
    let error_message = reasons.join(", ");
    let is_partial = count > 0;
    if format == Format::Protobuf {
        let rejected = i64::try_from(count).unwrap_or(i64::MAX);
        let partial_success = is_partial.then_some(PartialSuccess { rejected, error_message });
        ExportResponse { partial_success }.encode_to_vec()
    } else if is_partial {
        json!({ "partialSuccess": { member: count.to_string(), "errorMessage": error_message } })
            .to_string()
            .into_bytes()
    } else {
        b"{}".to_vec()
    }
}

/// Renders the answer to a failed request.
pub fn status(format: Format, code: i32, message: &str) -> Vec<u8> {
    if format == Format::Protobuf {
        Status { code, message: message.to_owned() }.encode_to_vec()
    } else {
        json!({ "code": code, "message": message }).to_string().into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_complete_success_is_the_empty_message() {
        assert_eq!(export_response(Format::Json, "rejectedSpans", &[]), b"{}");
        assert_eq!(export_response(Format::Protobuf, "rejectedSpans", &[]), b"");
    }

    #[test]
    fn a_partial_success_has_counts_and_reasons() {
        let rejected = [("unknown_event", 2), ("invalid", 1)];
        let json = export_response(Format::Json, "rejectedSpans", &rejected);
        let expected =
            r#"{"partialSuccess":{"rejectedSpans":"3","errorMessage":"2 unknown_event, 1 invalid"}}"#;
        assert_eq!(String::from_utf8_lossy(&json), expected);
        let bytes = export_response(Format::Protobuf, "rejectedSpans", &rejected);
        assert_eq!(bytes, b"\x0a\x1e\x08\x03\x12\x1a2 unknown_event, 1 invalid");
    }

    #[test]
    fn a_status_has_a_code_and_a_message() {
        assert_eq!(status(Format::Json, 8, "a"), br#"{"code":8,"message":"a"}"#);
        assert_eq!(status(Format::Protobuf, 8, "a"), b"\x08\x08\x12\x01a");
    }
}
