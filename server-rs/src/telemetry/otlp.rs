//! Holds the messages of OTLP as tables, read once from `contract/otlp.json` (rules OTL-01 to OTL-04).
//!
//! Invariant: a message has at most [`MOST_FIELDS`] fields, and every type that it names is a message of the file.

use std::sync::LazyLock;

use serde_json::Value;

use crate::contract::{OTLP, fill, parse};
use crate::formats::protobuf_check::WireForm;

/// Largest number of fields of one message.
pub const MOST_FIELDS: usize = 8;

/// The type of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the type of its name in the file")]
pub enum Kind {
    Fixed64,
    Int64,
    Double,
    Bool,
    Enum,
    Text,
    Bytes,
    /// An id of this many bytes.
    Id(usize),
    /// The index of a message in the table.
    Message(usize),
}

/// One field of a message.
#[derive(Debug)]
pub struct OtlpField {
    /// The number of the field in Protobuf.
    pub number: u64,
    /// The name of the field in JSON.
    pub name: &'static str,
    /// Its type, or the type of its items.
    pub kind: Kind,
    /// Whether it is repeated.
    pub is_list: bool,
}

/// One message.
#[derive(Debug)]
pub struct Message {
    /// Its name in the file.
    pub name: &'static str,
    /// Its fields.
    pub fields: Vec<OtlpField>,
}

/// One kind of request.
#[derive(Debug)]
pub struct Request {
    /// Its route.
    pub path: &'static str,
    /// The name of its message.
    pub message: &'static str,
    /// The kind of its records.
    pub signal: Signal,
    /// The response member that counts rejected records.
    pub rejected: &'static str,
}

/// The kind of a request's records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is said by its name")]
pub enum Signal {
    Logs,
    Metrics,
    Spans,
}

impl Signal {
    /// Returns its name in the file.
    pub fn name(self) -> &'static str {
        match self {
            Signal::Logs => "logs",
            Signal::Metrics => "metrics",
            Signal::Spans => "spans",
        }
    }
}

static SPEC: LazyLock<Value> = LazyLock::new(|| parse("otlp.json", OTLP));
static MESSAGES: LazyLock<Vec<Message>> =
    LazyLock::new(|| read_messages(&SPEC).expect("the tables are checked by the tests of this module"));
static REQUESTS: LazyLock<Vec<Request>> =
    LazyLock::new(|| read_requests(&SPEC).expect("the tables are checked by the tests of this module"));

/// Reasons to reject records, in the order of reports.
pub static REASONS: LazyLock<Vec<&'static str>> = LazyLock::new(|| names(&SPEC["reasons"]));

/// Returns the message at an index of the table.
pub fn message_at(place: usize) -> &'static Message {
    &MESSAGES[place]
}

/// Returns the message of this name.
pub fn message_of(name: &str) -> Option<&'static Message> {
    MESSAGES.iter().find(|message| message.name == name)
}

/// Returns the kind of request that a route accepts.
pub fn request_of(path: &str) -> Option<&'static Request> {
    REQUESTS.iter().find(|request| request.path == path)
}

/// Returns how to correct a path that is almost an address of OTLP: an exporter has another base URL, or another
/// protocol (rule OTL-13). `None` for any other path.
pub fn right_address(path: &str) -> Option<String> {
    let path = path.to_ascii_lowercase();
    let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    let is_base = |segment: &&str| matches!(*segment, "v1" | "otlp");
    let is_name = |word: &str, of: &Request| {
        let name = of.path.rsplit('/').next().unwrap_or_default();
        word == name || name.strip_suffix('s') == Some(word)
    };
    let meant = |of: &&Request| match segments.as_slice() {
        [] => true,
        [.., last] if is_base(last) => true,
        [.., service, "export"] => {
            service.ends_with("service") && service.split('.').any(|part| is_name(part, of))
        }
        [before @ .., last] => (before.is_empty() || before.iter().any(is_base)) && is_name(last, of),
    };
    let addresses: Vec<&str> = REQUESTS.iter().filter(meant).map(|request| request.path).collect();
    let text = SPEC["wrong_path"].as_str().unwrap_or_default();
    (!addresses.is_empty()).then(|| fill(text, &[("addresses", &addresses.join(" or "))]))
}

/// Returns the `google.rpc.Status` code for an HTTP status (rule OTL-01).
pub fn status_code(status: u16) -> i32 {
    const UNKNOWN: i32 = 2;
    let code = SPEC["status_codes"][status.to_string()].as_i64();
    code.and_then(|code| i32::try_from(code).ok()).unwrap_or(UNKNOWN)
}

impl Kind {
    /// Returns its wire form in Protobuf.
    pub fn wire_form(self) -> WireForm {
        match self {
            Kind::Int64 | Kind::Bool | Kind::Enum => WireForm::Varint,
            Kind::Fixed64 | Kind::Double => WireForm::Fixed64,
            Kind::Text => WireForm::Text,
            Kind::Bytes | Kind::Id(_) | Kind::Message(_) => WireForm::Bytes,
        }
    }

    fn read(name: &str, messages: &[&String]) -> Option<Self> {
        Some(match name {
            "fixed64" => Kind::Fixed64,
            "int64" => Kind::Int64,
            "double" => Kind::Double,
            "bool" => Kind::Bool,
            "enum" => Kind::Enum,
            "string" => Kind::Text,
            "bytes" => Kind::Bytes,
            "id8" => Kind::Id(8),
            "id16" => Kind::Id(16),
            _ => Kind::Message(messages.iter().position(|known| *known == name)?),
        })
    }
}

fn names(list: &'static Value) -> Vec<&'static str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Reads the messages; returns `None` when the file breaks the invariant.
fn read_messages(spec: &'static Value) -> Option<Vec<Message>> {
    let messages = spec["messages"].as_object()?;
    let known: Vec<&String> = messages.keys().collect();
    let field = |spec: &'static Value| {
        let kind = spec[2].as_str()?;
        let item = kind.strip_suffix("[]");
        Some(OtlpField {
            number: spec[0].as_u64()?,
            name: spec[1].as_str()?,
            kind: Kind::read(item.unwrap_or(kind), &known)?,
            is_list: item.is_some(),
        })
    };
    let message = |(name, fields): (&'static String, &'static Value)| {
        let fields = fields.as_array()?.iter().map(field).collect::<Option<Vec<_>>>()?;
        (fields.len() <= MOST_FIELDS).then_some(Message { name, fields })
    };
    messages.iter().map(message).collect()
}

fn read_requests(spec: &'static Value) -> Option<Vec<Request>> {
    let request = |(path, spec): (&'static String, &'static Value)| {
        let signals = [Signal::Logs, Signal::Metrics, Signal::Spans];
        Some(Request {
            path,
            message: message_of(spec["message"].as_str()?)?.name,
            signal: signals.into_iter().find(|signal| spec["signal"] == signal.name())?,
            rejected: spec["rejected"].as_str()?,
        })
    };
    spec["requests"].as_object()?.iter().map(request).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_match_otlp_json() {
        assert_eq!(REQUESTS.len(), 3);
        let log = message_of("LogRecord").expect("a message");
        let attributes = log.fields.iter().find(|field| field.name == "attributes").expect("a field");
        assert!(attributes.is_list);
        assert_eq!(attributes.kind.wire_form(), WireForm::Bytes);
        assert_eq!((status_code(429), status_code(599)), (8, 2));
    }

    #[test]
    fn an_unknown_message_type_is_refused() {
        for broken in [
            r#"{"messages":{"A":[[1,"b","B"]]}}"#,
            r#"{"messages":{"A":[["1","b","string"]]}}"#,
            r#"{"messages":7}"#,
        ] {
            let spec: Value = serde_json::from_str(broken).expect("JSON");
            assert!(read_messages(Box::leak(Box::new(spec))).is_none(), "{broken}");
        }
    }
}
