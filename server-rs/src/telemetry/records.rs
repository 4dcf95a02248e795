//! Visits the records of a request one by one (rules OTL-02 to OTL-04 and OTL-06).
//!
//! Invariant: one record is in memory at a time. Both encodings of a request yield the same records.

use std::borrow::Cow;

use crate::contract::LIMITS;
use crate::error::{ErrorCode, Failure};
use crate::formats::fault::refusal;
use crate::formats::{Format, text_of};
use crate::scanner::Scanner;
use crate::telemetry::agents::is_shared;
use crate::telemetry::message::{Form, Node, NotOtlp};
use crate::telemetry::otlp::{Message, Request, Signal, message_of};
use crate::telemetry::otlp_check::check_message;
use crate::telemetry::value::Value;
use crate::telemetry::values::{Attributes, value_json};

/// A log record or a span.
#[derive(Debug)]
#[expect(missing_docs, reason = "the other members are those of the messages")]
pub struct Record {
    pub signal: Signal,
    pub attributes: Attributes,
    /// The `eventName` of a log or the name of a span.
    pub name: Option<String>,
    /// The JSON text of the body of a log.
    pub body: Option<String>,
    /// In Unix nanoseconds: the time and observed time of a log, the start and end of a span.
    pub times: [Option<u64>; 2],
    pub trace_id: Option<String>,
    pub span_id: Option<String>,
    pub parent_span_id: Option<String>,
    /// Whether a span's status code means an error.
    pub has_failed: bool,
}

/// Data that the records of a scope share.
#[derive(Debug, Default)]
pub struct Group {
    /// The name of the scope.
    pub scope: String,
    /// The resource attributes that mappings use.
    pub resource: Attributes,
}

/// One step of a walk.
#[derive(Debug)]
pub enum Item<'a> {
    /// A log record or a span that is not read yet.
    Record(Place<'a>),
    /// A number of data points.
    Points(u64),
}

/// The place of a log record or a span.
#[derive(Debug)]
pub struct Place<'a> {
    node: Node<'a>,
    signal: Signal,
}

/// The records of a well-formed request.
#[derive(Debug)]
pub struct Records {
    body: Body,
    message: &'static Message,
    signal: Signal,
}

#[derive(Debug)]
enum Body {
    Json(String),
    Protobuf(Vec<u8>),
}

/// The status code of a failed span.
const STATUS_ERROR: u64 = 2;

impl Records {
    /// Checks a body to its last byte.
    pub fn read(format: Format, body: Vec<u8>, request: &'static Request) -> Result<Self, Failure> {
        let message = message_of(request.message).ok_or(Failure::new(ErrorCode::Internal))?;
        let body = match format {
            Format::Json => Body::Json(check_json(body)?),
            Format::Protobuf => {
                check_message(&body, message).map_err(|fault| refusal(ErrorCode::InvalidProtobuf, fault))?;
                Body::Protobuf(body)
            }
            Format::Ndjson | Format::Msgpack | Format::Arrow => {
                return Err(Failure::new(ErrorCode::Internal));
            }
        };
        Ok(Self { body, message, signal: request.signal })
    }

    /// Calls `visit` with each record and its shared data.
    pub fn walk(&self, mut visit: impl FnMut(&Group, Item<'_>)) -> Result<(), Failure> {
        let form = match &self.body {
            Body::Json(text) => Form::Json(text.trim_matches([' ', '\t', '\r', '\n'])),
            Body::Protobuf(bytes) => Form::Protobuf(bytes),
        };
        let [resources, scopes, records] = lists(self.signal);
        let walked = Node { form, message: self.message }.fields().each(resources, |resource| {
            let fields = resource.fields();
            let mut group = Group::default();
            if let Some(node) = fields.node("resource") {
                group.resource = Attributes::read(&node.fields(), "attributes", is_shared);
            }
            fields.each(scopes, |scope| {
                let fields = scope.fields();
                let name = fields.node("scope").and_then(|scope| scope.fields().text("name"));
                group.scope = name.map(Cow::into_owned).unwrap_or_default();
                fields.each(records, |record| {
                    visit(&group, read_item(record, self.signal)?);
                    Ok(())
                })
            })
        });
        walked.map_err(|NotOtlp| Failure::new(ErrorCode::InvalidOtlp))
    }
}

/// Returns the names of the envelope's lists, from the outermost inwards.
fn lists(signal: Signal) -> [&'static str; 3] {
    match signal {
        Signal::Logs => ["resourceLogs", "scopeLogs", "logRecords"],
        Signal::Metrics => ["resourceMetrics", "scopeMetrics", "metrics"],
        Signal::Spans => ["resourceSpans", "scopeSpans", "spans"],
    }
}

fn read_item(node: Node<'_>, signal: Signal) -> Result<Item<'_>, NotOtlp> {
    if signal == Signal::Metrics {
        let mut count = 0;
        for points in node.fields().present().filter_map(Value::node) {
            points.fields().each("dataPoints", |_| {
                count += 1;
                Ok(())
            })?;
        }
        return Ok(Item::Points(count));
    }
    Ok(Item::Record(Place { node, signal }))
}

impl Place<'_> {
    /// Returns whether the record is too large to read (rule OTL-06).
    pub fn is_too_large(&self) -> bool {
        self.node.size() > LIMITS.otlp_record_bytes
    }

    /// Reads the record.
    pub fn read(&self) -> Record {
        let (signal, fields) = (self.signal, self.node.fields());
        let (name, times) = match signal {
            Signal::Spans => ("name", ["startTimeUnixNano", "endTimeUnixNano"]),
            Signal::Logs | Signal::Metrics => ("eventName", ["timeUnixNano", "observedTimeUnixNano"]),
        };
        let status = fields.node("status").and_then(|status| status.fields().get("code")?.code());
        Record {
            signal,
            attributes: Attributes::read(&fields, "attributes", |_, _| true),
            name: fields.text(name).map(Cow::into_owned),
            body: fields.node("body").and_then(value_json),
            times: times.map(|time| fields.time(time)),
            trace_id: fields.id("traceId"),
            span_id: fields.id("spanId"),
            parent_span_id: fields.id("parentSpanId"),
            has_failed: status == Some(STATUS_ERROR),
        }
    }
}

/// Returns the text of a body that is one JSON object.
fn check_json(body: Vec<u8>) -> Result<String, Failure> {
    let body = text_of(body)?;
    let mut scanner = Scanner::new(body.as_bytes());
    scanner.skip_space();
    let is_object = scanner.peek() == Some(b'{');
    let scanned = scanner.skip_value(0).and_then(|_| scanner.end());
    scanned.map_err(|_| Failure::new(ErrorCode::InvalidJson))?;
    if is_object { Ok(body) } else { Err(Failure::new(ErrorCode::InvalidOtlp)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::telemetry::otlp::request_of;

    fn walk(path: &str, body: &str) -> Result<Vec<String>, ErrorCode> {
        let request = request_of(path).expect("a request");
        let mut items = Vec::new();
        let records = Records::read(Format::Json, body.into(), request).map_err(|failure| failure.code)?;
        let walked = records.walk(|group, item| {
            let item = match item {
                Item::Points(count) => count.to_string(),
                Item::Record(place) if place.is_too_large() => "large".to_owned(),
                Item::Record(place) => place.read().attributes.json(),
            };
            items.push(format!("{} {} {item}", group.scope, group.resource.json()));
        });
        walked.map_err(|failure| failure.code)?;
        Ok(items)
    }

    #[test]
    fn of_equal_members_the_last_counts_in_any_position() {
        let body = r#"{"resourceLogs":7,"resourceLogs":[{"scopeLogs":[{"logRecords":[{"attributes":[{"key":"a","value":{"intValue":1}}]},{}],"scope":{"name":"x"},"scope":{"name":"s"}}],"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"n"}},{"key":"os","value":{"stringValue":"o"}}]}},{}]}"#;
        let shared = r#"s {"service.name":"n"}"#;
        assert_eq!(
            walk("/v1/logs", body),
            Ok(vec![format!(r#"{shared} {{"a":1}}"#), format!("{shared} {{}}")])
        );
        for empty in ["{}", r#" {"resourceLogs":null} "#, r#"{"resourceLogs":[],"x":[1]}"#] {
            assert_eq!(walk("/v1/logs", empty), Ok(Vec::new()), "{empty}");
        }
    }

    #[test]
    fn an_envelope_with_wrong_types_is_refused() {
        for (body, code) in [
            ("", ErrorCode::InvalidJson),
            (r#"{"resourceLogs":[{]}"#, ErrorCode::InvalidJson),
            ("[]", ErrorCode::InvalidOtlp),
            (r#"{"resourceLogs":{}}"#, ErrorCode::InvalidOtlp),
            (r#"{"resourceLogs":[null]}"#, ErrorCode::InvalidOtlp),
            (r#"{"resourceLogs":[{"scopeLogs":"x"}]}"#, ErrorCode::InvalidOtlp),
            (r#"{"resourceLogs":[{"scopeLogs":[{"logRecords":[7]}]}]}"#, ErrorCode::InvalidOtlp),
        ] {
            assert_eq!(walk("/v1/logs", body), Err(code), "{body}");
        }
        let metrics = |metric: &str| {
            walk(
                "/v1/metrics",
                &format!(r#"{{"resourceMetrics":[{{"scopeMetrics":[{{"metrics":[{metric}]}}]}}]}}"#),
            )
        };
        assert_eq!(metrics(r#"{"sum":{"dataPoints":[{},{"x":1}]},"gauge":7}"#), Ok(vec![" {} 2".to_owned()]));
        assert_eq!(metrics(r#"{"sum":{"dataPoints":[7]}}"#), Err(ErrorCode::InvalidOtlp));
    }

    #[test]
    fn an_oversized_record_is_not_read() {
        let record = |bytes: usize| {
            let name = "x".repeat(bytes - r#"{"name":""}"#.len());
            walk(
                "/v1/traces",
                &format!(r#"{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{{"name":"{name}"}}]}}]}}]}}"#),
            )
        };
        assert_eq!(record(LIMITS.otlp_record_bytes), Ok(vec![" {} {}".to_owned()]));
        assert_eq!(record(LIMITS.otlp_record_bytes + 1), Ok(vec![" {} large".to_owned()]));
    }
}
