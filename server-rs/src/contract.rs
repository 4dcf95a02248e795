//! Embeds the files of `contract/`, so that both servers share their facts.
//!
//! Every fact that both servers share comes from here. Invariant: nothing in this crate retypes a statement, a
//! message, a limit or a flag that one of these files holds.

/// The error codes.
pub mod errors;
/// Flags, commands, messages and exit codes.
pub mod flags;
/// The limits and the tuning.
pub mod limits;
/// The families of `/metrics`.
pub mod metrics;
/// The routes and the query parameters.
pub mod routes;
/// Enumerations, messages and headers.
pub mod vocabulary;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use miniserde::Deserialize;
use miniserde::json::{self, Number, Value};

pub use limits::{LIMITS, TUNING};
pub use metrics::METRICS;
pub use routes::{ROUTES, RouteSpec};
pub use vocabulary::VOCABULARY;

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

/// `schema.json`.
#[derive(Debug, Deserialize)]
pub struct SchemaFacts {
    /// `user_version` of a database with [`SCHEMA_SQL`].
    pub number: i64,
    /// Tables, and columns as `table.column`, that dumps of earlier schemas may have.
    pub dropped: Vec<String>,
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
/// The parsed messages of a stream.
pub static CLUSTER: LazyLock<ClusterSpec> =
    LazyLock::new(|| parse(include_str!("../../contract/cluster.json")));
/// The parsed formats.
pub static FORMATS: LazyLock<Formats> = LazyLock::new(|| parse(include_str!("../../contract/formats.json")));
/// `otlp.json`; [`crate::telemetry::otlp`] parses it.
pub const OTLP: &str = include_str!("../../contract/otlp.json");
/// `agents.json`; [`crate::mapping`] parses it.
pub const AGENTS_FILE: &str = include_str!("../../contract/agents.json");
/// `zones.json`; [`crate::zones`] parses it.
pub const ZONES: &str = include_str!("../../contract/zones.json");
/// `rpc.json`; [`crate::rpc`] parses it.
pub const RPC: &str = include_str!("../../contract/rpc.json");

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
