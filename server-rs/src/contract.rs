//! Embeds the files of `contract/`, so that both servers share their facts.
//!
//! Every fact that both servers share comes from here. Invariant: nothing in this crate retypes a statement, a
//! message, a limit or a flag that one of these files holds. Over 250 lines because every file and every limit of the
//! contract has its line here.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use miniserde::Deserialize;
use miniserde::json::{self, Number, Value};

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

/// `limits.json`; names contain the units.
#[derive(Debug, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of the file, which explains them")]
pub struct Limits {
    pub max_integer: u64,
    pub max_cost_usd: f64,
    pub json_depth: usize,
    pub max_field_number: u64,
    pub clock_least_ms: i64,
    pub clock_most_ms: i64,
    pub bench_body_bytes: u64,
    pub attachment_name_bytes: usize,
    pub largest_attachment_bytes: u64,
    pub command_name_bytes: usize,
    pub media_type_bytes: usize,
    pub shown_bytes: usize,
    pub refusals_logged: usize,
    pub refusals_window_ms: u64,
    pub attachment_chunk_bytes: usize,
    pub attachment_block_bytes: u64,
    pub otlp_record_bytes: usize,
    pub otlp_shared_value_bytes: usize,
    pub rpc_batch_calls: usize,
    pub rpc_batch_bytes: usize,
    pub rpc_sequence_items: usize,
    pub zstd_window_log: u32,
    pub head_bytes: usize,
    pub head_hard_bytes: usize,
    pub header_count: usize,
    pub target_bytes: usize,
    pub trailer_bytes: usize,
    pub drain_body_bytes: u64,
    pub compressed_extra_bytes: u64,
    pub assumed_event_bytes: u64,
    pub event_bytes_smoothing: u64,
    pub admission_order_ms: u64,
    pub admission_small_wait_ms: u64,
    pub admission_wait_ms: u64,
    pub large_body_bytes: usize,
    pub large_body_turns: usize,
    pub head_timeout_ms: u64,
    pub body_idle_timeout_ms: u64,
    pub request_timeout_ms: u64,
    pub keep_alive_idle_ms: u64,
    pub token_characters: usize,
    pub session_cookie_s: u64,
    pub login_code_s: u64,
    pub redaction_entries: usize,
    pub redaction_key_bytes: usize,
    pub redaction_prefix_bytes: usize,
    pub redaction_minimum: i64,
    pub redaction_least_bytes: usize,
    pub preflight_max_age_s: u32,
    pub linger_ms: u64,
    pub shutdown_ms: u64,
    pub port_tries: usize,
    pub connections: usize,
    pub least_connections: usize,
    pub lingering_refusals: usize,
    pub reserved_descriptors: u64,
    pub database_name_bytes: usize,
    pub database_path_bytes: usize,
    pub readers: usize,
    pub least_readers: usize,
    pub large_metadata_bytes: usize,
    pub reader_wait_ms: u64,
    pub search_run_ms: u64,
    pub page_default: u64,
    pub page_bytes: usize,
    pub page_blocks: u64,
    pub page_spans: u64,
    pub page_span_summaries: i64,
    pub page_sessions: u64,
    pub page_search_bytes: i64,
    pub series_buckets: i64,
    pub series_names: usize,
    pub duration_classes: u64,
    pub export_page_rows: u64,
    pub export_page_bytes: usize,
    pub group_events: usize,
    pub stalled_heartbeats: u32,
    pub stream_topics: usize,
    pub stream_retry_ms: u64,
    pub snapshot_wait_ms: u64,
    pub stream_page_events: u64,
    pub stream_tail_bytes: usize,
    pub stream_kernel_bytes: usize,
    pub checkpoint_wal_bytes: u64,
    pub checkpoint_pass_rest_bytes: u64,
    pub checkpoint_finish_wal_bytes: u64,
    pub checkpoint_finish_rest_share: u64,
    pub checkpoint_restart_wal_bytes: u64,
    pub checkpoint_restart_wait_ms: u64,
    pub checkpoint_restart_interval_ms: u64,
    pub checkpoint_most_wal_bytes: u64,
    pub checkpoint_pass_wait_ms: u64,
    pub event_block_rows: i64,
    pub event_span_blocks: i64,
    pub event_span_names: usize,
    pub parent_watch_ms: u64,
    pub names_per_kind: i64,
    pub pairs_per_kind: i64,
    pub agent_types: i64,
    pub listed_names: i64,
    pub event_key_tail: usize,
    pub event_key_block_keys: usize,
    pub event_key_run_blocks: i64,
    pub event_key_run_keys: i64,
    pub event_key_merge_runs: usize,
    pub event_key_merge_keys_per_event: u64,
    pub event_key_filter_bits: u64,
    pub retention_kept_events: i64,
    pub retention_step_events: u64,
    pub deletion_step_events: u64,
    pub retention_step_blocks: u64,
    pub retention_step_attachments: usize,
    pub retention_slack_share: u64,
    pub retention_free_bytes: u64,
    pub retention_vacuum_pages: u64,
    pub forward_batch_events: u64,
    pub forward_batch_bytes: usize,
    pub forward_pause_ms: u64,
    pub forward_timeout_ms: u64,
    pub forward_retry_ms: u64,
    pub forward_retry_most_ms: u64,
    pub forward_retry_after_most_s: u64,
    pub forward_answer_bytes: usize,
    pub cluster_connect_ms: u64,
    pub cluster_answer_ms: u64,
    pub cluster_behind_ms: u64,
    pub cluster_retry_ms: u64,
    pub cluster_heartbeat_ms: u64,
    pub cluster_window_s: u64,
    pub cluster_group_events: usize,
    pub cluster_group_bytes: usize,
    pub cluster_known_duplicates: usize,
    pub cluster_sweep_ms: u64,
    pub cluster_sweep_most_s: u64,
    pub cluster_leftover_s: u64,
    pub disk_full_bytes: u64,
    pub disk_low_bytes: u64,
    pub disk_low_share: u64,
    pub probe_interval_ms: u64,
    pub storage_watch_ms: u64,
    pub notice_interval_ms: u64,
    pub notice_page_events: i64,
    pub notice_sessions: usize,
    pub webhook_url_bytes: usize,
    pub webhook_secret_bytes: usize,
    pub webhook_secret_most_bytes: usize,
    pub webhook_queue: usize,
    pub webhook_timeout_ms: u64,
    pub webhook_attempts: u32,
    pub webhook_retry_ms: u64,
    pub sqlite_minimum: String,
    pub http_methods: Vec<String>,
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
/// The parsed limits.
pub static LIMITS: LazyLock<Limits> = LazyLock::new(|| parse(include_str!("../../contract/limits.json")));
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
/// `otlp.json`; [`crate::telemetry::otlp`] parses it.
pub const OTLP: &str = include_str!("../../contract/otlp.json");
/// `agents.json`; [`crate::mapping`] parses it.
pub const AGENTS_FILE: &str = include_str!("../../contract/agents.json");
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
