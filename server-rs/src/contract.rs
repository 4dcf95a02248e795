//! Embeds the files of `contract/`, so that both servers share their facts.
//!
//! Every fact that both servers share comes from here. Invariant: nothing in this crate retypes a statement, a
//! message, a limit or a flag that one of these files holds. Over 250 lines because every file and every limit of the
//! contract has its line here.

/// The limits and the tuning.
pub mod limits;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use miniserde::Deserialize;
use miniserde::json::{self, Number, Value};

pub use limits::{LIMITS, TUNING};

/// The version of the contract, without its line end.
pub static VERSION: LazyLock<&str> = LazyLock::new(|| include_str!("../../contract/VERSION").trim_end());
/// The file of `--redact` that is inside of the program (rule RED-01).
pub const COMMON_SECRETS: &str = include_str!("../../contract/redact/secrets.json");
/// The pragmas of every connection (rule STO-01).
pub const PRAGMAS: &str = include_str!("../../contract/pragmas.sql");
/// The pragmas of a new file, before [`PRAGMAS`] (rule RET-07).
pub const FILE_PRAGMAS: &str = include_str!("../../contract/file.sql");
/// The pragmas that `/api/health` reports: those of the file in their order, then values that SQLite alone knows
/// (rule HEA-01).
pub static REPORTED_PRAGMAS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let set = PRAGMAS.lines().filter_map(|line| line.strip_prefix("PRAGMA ")?.split([' ', '=']).next());
    set.chain(["synchronous", "page_size"]).collect()
});
/// The schema of a new file (rule STO-10).
pub const SCHEMA_SQL: &str = include_str!("../../contract/migrations/0001_init.sql");
/// What follows the rows of a dump whose schema is below each number, in their order (rule BAK-05).
pub const LOADS: [(i64, &str); 1] = [(2, include_str!("../../contract/loads/0002_open_hour.sql"))];

/// `schema.json`.
#[derive(Debug, Deserialize)]
pub struct SchemaFacts {
    /// `user_version` of a database with [`SCHEMA_SQL`].
    pub number: i64,
    /// Tables, and columns as `table.column`, that dumps of earlier schemas may have.
    pub dropped: Vec<String>,
}

/// `vocabulary.json`.
#[derive(Debug, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of the file, which explains them")]
pub struct Vocabulary {
    pub event_types: Vec<String>,
    pub statuses: Vec<String>,
    pub sources: Vec<String>,
    pub session_statuses: Vec<String>,
    pub waiting_reasons: Vec<String>,
    pub reasons_that_need_an_answer: Vec<String>,
    pub dismissal: Dismissal,
    pub notifications: Notifications,
    pub summary_keys: Vec<String>,
    pub overflow_name: String,
    pub redaction: RedactionSpec,
    pub security: Security,
    pub page_headers: BTreeMap<String, String>,
    pub attachment_headers: BTreeMap<String, String>,
    pub inline_media_types: Vec<String>,
    pub hook_payload: HookPayload,
    pub bench_page_headers: BTreeMap<String, String>,
    pub topics: Vec<String>,
    pub session_topic_prefix: String,
    pub field_messages: FieldMessages,
    pub format_messages: FormatMessages,
    pub parameter_messages: ParameterMessages,
    pub rpc_errors: RpcErrors,
    pub rpc_messages: RpcMessages,
    pub errors: BTreeMap<String, ErrorSpec>,
}

/// The event that stores a user's dismissal (rule WAI-05).
#[derive(Debug, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of the file, which explains them")]
pub struct Dismissal {
    pub event_type: String,
    pub source_event: String,
}

/// The types of notifications by their kind, and their messages (rules NOT-01 and NOT-02).
#[derive(Debug, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of the file, which explains them")]
pub struct Notifications {
    pub types: BTreeMap<String, String>,
    pub messages: BTreeMap<String, String>,
}

/// The attachment that stores a hook's payload (rule ATT-10).
#[derive(Debug, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of the file, which explains them")]
pub struct HookPayload {
    pub name: String,
    pub media_type: String,
}

/// The replacement of redacted text, the fields that identify, and the character classes as ranges (rules RED-04
/// and RED-05).
#[derive(Debug, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of the file, which explains them")]
pub struct RedactionSpec {
    pub text: String,
    pub identities: Vec<String>,
    pub classes: BTreeMap<String, Vec<String>>,
}

/// An error code's status, public text and `Retry-After`.
#[derive(Debug, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of the file, which explains them")]
pub struct ErrorSpec {
    pub status: u16,
    pub text: String,
    pub retry_after_s: Option<u32>,
}

/// Texts of the cookie and of preflights (rules SEC-05 and SEC-07).
#[derive(Debug, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of the file, which explains them")]
pub struct Security {
    pub refused: String,
    pub refused_always: String,
    pub cookie_name: String,
    pub cookie_attributes: String,
    pub allow_methods: String,
    pub allow_headers: String,
}

/// Messages for problems of an event's fields.
#[derive(Debug, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of the file, which explains them")]
pub struct FieldMessages {
    pub object: String,
    pub json_line: String,
    pub json_text: String,
    pub string: String,
    pub string_when_provided: String,
    pub non_empty: String,
    pub well_formed: String,
    pub one_of: String,
    pub max_bytes: String,
    pub integer: String,
    pub number: String,
    pub max_number: String,
    pub timestamp_string: String,
    pub timestamp: String,
}

/// Messages for bodies that are not MessagePack or Protobuf (rules FMT-04 and FMT-06).
#[derive(Debug, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of the file, which explains them")]
pub struct FormatMessages {
    pub truncated: String,
    pub trailing: String,
    pub depth: String,
    pub key: String,
    pub utf8: String,
    pub finite: String,
    pub binary: String,
    pub extension: String,
    pub reserved: String,
    pub varint: String,
    pub tag: String,
    pub field: String,
    pub wire_type: String,
    pub field_type: String,
}

/// Messages for problems of query parameters.
#[derive(Debug, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of the file, which explains them")]
pub struct ParameterMessages {
    pub twice: String,
    pub encoding: String,
    pub empty: String,
    pub missing: String,
    pub unknown: String,
    pub well_formed: String,
    pub one_of: String,
    pub integer: String,
    pub timestamp: String,
    pub bytes: String,
    pub topics: String,
    pub exclusive: String,
    pub needs: String,
    pub order: String,
    pub file_name: String,
}

/// The errors of typed calls (rule RPC-02).
#[derive(Debug, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of the file, which explains them")]
pub struct RpcErrors {
    pub parse_error: RpcErrorSpec,
    pub invalid_request: RpcErrorSpec,
    pub method_not_found: RpcErrorSpec,
    pub invalid_params: RpcErrorSpec,
    pub server_error: RpcErrorSpec,
}

/// Code and text of an error of a typed call.
#[derive(Debug, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of the file, which explains them")]
pub struct RpcErrorSpec {
    pub code: i32,
    pub message: String,
}

/// Messages for problems of a typed call's arguments (rule RPC-03).
#[derive(Debug, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of the file, which explains them")]
pub struct RpcMessages {
    pub params: String,
    pub missing: String,
    pub unexpected: String,
    pub long: String,
    pub double: String,
    pub boolean: String,
    pub string: String,
    pub dictionary: String,
    pub sequence: String,
    pub option: String,
}

/// `routes.json`.
#[derive(Debug, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of the file, which explains them")]
pub struct Routes {
    pub routes: Vec<RouteSpec>,
    pub parameters: BTreeMap<String, ParameterSpec>,
}

/// One route: its methods, its response format, and its parameters in the order of their checks.
#[derive(Debug, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of the file, which explains them")]
pub struct RouteSpec {
    pub path: String,
    pub methods: Vec<String>,
    pub produces: String,
    /// Formats that `Accept` selects from, for GET, or for POST where there is no GET.
    pub formats: Option<Vec<String>>,
    /// Formats of the bodies that POST reads.
    pub reads: Option<Vec<String>>,
    pub parameters: Vec<String>,
    /// Parameter names by method, for methods that refuse all other parameters.
    pub own_parameters: Option<BTreeMap<String, Vec<String>>>,
    /// Whether the route needs no token.
    pub free: Option<bool>,
    /// Whether the route exists only with `--bench` (rule BEN-01).
    pub bench: Option<bool>,
}

/// One query parameter.
#[derive(Debug, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of the file, which explains them")]
pub struct ParameterSpec {
    pub name: String,
    #[serde(rename = "type")]
    pub kind: ParameterKind,
    /// For a choice: the name of a list in the vocabulary, or the values themselves.
    pub values: Option<Value>,
    pub minimum: Option<u64>,
    pub maximum: Option<u64>,
    /// The most bytes of a text.
    pub bytes: Option<usize>,
    /// The maximum for formats that are sent in several pages.
    pub export_maximum: Option<u64>,
    /// Whether the parameter is required.
    pub required: Option<bool>,
    /// The parameter that this one requires.
    pub needs: Option<String>,
    /// The default: an integer, or text as in a query string.
    pub default: Option<Value>,
}

/// The types of query parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[expect(missing_docs, reason = "the variants are those of the file, which explains them")]
pub enum ParameterKind {
    #[serde(rename = "text")]
    Text,
    #[serde(rename = "choice")]
    Choice,
    #[serde(rename = "timestamp")]
    Timestamp,
    #[serde(rename = "integer")]
    Integer,
    #[serde(rename = "topics")]
    Topics,
}

/// `metrics.json`.
#[derive(Debug, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of the file, which explains them")]
pub struct MetricsSpec {
    pub content_type: String,
    pub other: String,
    pub values: LabelValues,
    pub families: Vec<FamilySpec>,
}

/// The values of labels with a fixed list.
#[derive(Debug, Deserialize)]
#[expect(missing_docs, reason = "each is the label of its name")]
pub struct LabelValues {
    pub method: Vec<String>,
    pub status: Vec<u16>,
    pub outcome: Vec<String>,
    pub source: Vec<String>,
    pub mode: Vec<String>,
    pub result: Vec<String>,
}

/// One family of metrics.
#[derive(Debug, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of the file, which explains them")]
pub struct FamilySpec {
    pub name: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub help: String,
    pub labels: Vec<String>,
    /// Upper bounds of a histogram, without infinity.
    pub buckets: Option<Vec<f64>>,
}

/// `cluster.json`.
#[derive(Debug, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of the file, which explains them")]
pub struct ClusterSpec {
    pub headers: ClusterHeaders,
    pub changes: BTreeMap<String, ChangeSpec>,
}

/// The headers of messages of the stream.
#[derive(Debug, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of the file, which explains them")]
pub struct ClusterHeaders {
    pub wait: String,
    pub truncated: String,
    pub change: String,
}

/// The members of a change of the copies, with their types.
#[derive(Debug, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of the file, which explains them")]
pub struct ChangeSpec {
    pub members: BTreeMap<String, String>,
    pub optional: Option<Vec<String>>,
}

/// `formats.json`.
#[derive(Debug, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of the file, which explains them")]
pub struct Formats {
    pub formats: BTreeMap<String, FormatSpec>,
}

/// One format: its media types, the primary one first, and the parameter that they may have.
#[derive(Debug, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of the file, which explains them")]
pub struct FormatSpec {
    pub media_types: Vec<String>,
    pub parameter: Option<MediaTypeParameter>,
    pub answer_suffix: String,
}

/// A parameter of a media type, and its only valid value.
#[derive(Debug, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of the file, which explains them")]
pub struct MediaTypeParameter {
    pub name: String,
    pub value: String,
}

/// The parsed facts about the schema.
pub static SCHEMA: LazyLock<SchemaFacts> =
    LazyLock::new(|| parse(include_str!("../../contract/schema.json")));
/// The parsed vocabulary.
pub static VOCABULARY: LazyLock<Vocabulary> =
    LazyLock::new(|| parse(include_str!("../../contract/vocabulary.json")));
/// The parsed routes.
pub static ROUTES: LazyLock<Routes> = LazyLock::new(|| parse(include_str!("../../contract/routes.json")));
/// The parsed families of metrics.
pub static METRICS: LazyLock<MetricsSpec> =
    LazyLock::new(|| parse(include_str!("../../contract/metrics.json")));
/// The parsed messages of a stream.
pub static CLUSTER: LazyLock<ClusterSpec> =
    LazyLock::new(|| parse(include_str!("../../contract/cluster.json")));
/// The parsed formats.
pub static FORMATS: LazyLock<Formats> = LazyLock::new(|| parse(include_str!("../../contract/formats.json")));
/// `hooks/*.json` by the last segment of their routes; [`crate::hooks`] parses them.
pub const HOOK_FILES: [(&str, &str); 2] = [
    ("claude-code", include_str!("../../contract/hooks/claude-code.json")),
    ("codex", include_str!("../../contract/hooks/codex.json")),
];
/// `otlp.json`; [`crate::telemetry::otlp`] parses it.
pub const OTLP: &str = include_str!("../../contract/otlp.json");
/// `agents/*.json` by the names of `otlp.json`; [`crate::telemetry::agents`] parses them.
pub const AGENT_FILES: [(&str, &str); 4] = [
    ("claude-code", include_str!("../../contract/agents/claude-code.json")),
    ("codex", include_str!("../../contract/agents/codex.json")),
    ("gemini-cli", include_str!("../../contract/agents/gemini-cli.json")),
    ("gen-ai", include_str!("../../contract/agents/gen-ai.json")),
];
/// `rpc.json`; [`crate::rpc`] parses it.
pub const RPC: &str = include_str!("../../contract/rpc.json");
/// `config.json`; [`crate::config`] parses it.
pub const CONFIG: &str = include_str!("../../contract/config.json");

/// Parses a file of the contract. The binary contains these files, so a file that does not parse fails every
/// test.
pub(crate) fn parse<T: Deserialize>(text: &'static str) -> T {
    json::from_str(text).expect("the contract's files are checked by tests/contract.rs")
}

/// Returns the text of a JSON string.
pub(crate) fn text_of(value: &Value) -> Option<&str> {
    if let Value::String(text) = value { Some(text) } else { None }
}

/// Returns the value of a JSON integer.
pub(crate) fn integer_of(value: &Value) -> Option<u64> {
    if let Value::Number(Number::U64(number)) = value { Some(*number) } else { None }
}

/// Replaces the `{name}` placeholders of a message.
pub fn fill(message: &str, values: &[(&str, &str)]) -> String {
    values.iter().fold(message.to_owned(), |text, (name, value)| text.replace(&format!("{{{name}}}"), value))
}
