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

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_path_to_error::{Error, Track};

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
    /// The name in earlier schemas of a column, both as `table.column`.
    pub renamed: BTreeMap<String, String>,
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
    LazyLock::new(|| parse("schema.json", include_str!("../../contract/schema.json")));
/// The parsed messages of a stream.
pub static CLUSTER: LazyLock<ClusterSpec> =
    LazyLock::new(|| parse("cluster.json", include_str!("../../contract/cluster.json")));
/// The parsed formats.
pub static FORMATS: LazyLock<Formats> =
    LazyLock::new(|| parse("formats.json", include_str!("../../contract/formats.json")));
/// `otlp.json`; [`crate::telemetry::otlp`] parses it.
pub const OTLP: &str = include_str!("../../contract/otlp.json");
/// `agents.json`; [`crate::mapping`] parses it.
pub const AGENTS_FILE: &str = include_str!("../../contract/agents.json");
/// `zones.json`; [`crate::zones`] parses it.
pub const ZONES: &str = include_str!("../../contract/zones.json");
/// `prices/models.json`; [`crate::prices`] parses it.
pub const PRICES: &str = include_str!("../../contract/prices/models.json");
/// `prices/names.json`; [`crate::price_names`] parses it.
pub const PRICE_NAMES: &str = include_str!("../../contract/prices/names.json");
/// `rpc.json`; [`crate::rpc`] parses it.
pub const RPC: &str = include_str!("../../contract/rpc.json");

/// Reads the files that are parsed, so that a wrong one stops the start with its place, not the first request.
pub(crate) fn read_files() {
    LazyLock::force(&SCHEMA);
    LazyLock::force(&CLUSTER);
    LazyLock::force(&FORMATS);
}

/// Parses a file of the contract, which the program contains.
pub(crate) fn parse<T: DeserializeOwned>(file: &str, text: &str) -> T {
    read(text).unwrap_or_else(|error| panic!("contract/{file}: {}: {}", error.path(), error.inner()))
}

/// Parses a JSON text to its last byte; an error has its place.
pub(crate) fn read<T: DeserializeOwned>(text: &str) -> Result<T, Error<serde_json::Error>> {
    let (mut json, mut track) = (serde_json::Deserializer::from_str(text), Track::new());
    let value = T::deserialize(serde_path_to_error::Deserializer::new(&mut json, &mut track));
    value.and_then(|value| json.end().map(|()| value)).map_err(|error| Error::new(track.path(), error))
}

/// Replaces the `{name}` placeholders of a message.
pub fn fill(message: &str, values: &[(&str, &str)]) -> String {
    values.iter().fold(message.to_owned(), |text, (name, value)| text.replace(&format!("{{{name}}}"), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_file_is_an_error_with_its_place() {
        read_files();
        let text = include_str!("../../contract/formats.json");
        for (wrong, found) in [
            (
                text.replacen("\"name\": \"charset\"", "\"name\": 7", 1),
                "formats.json.parameter.name: invalid type",
            ),
            (text.replacen("\"media_types\"", "\"types\"", 1), "formats.json: missing field `media_types`"),
            (format!("{text}x"), ".: trailing characters"),
        ] {
            let error = read::<Formats>(&wrong).expect_err(found);
            let error = format!("{}: {}", error.path(), error.inner());
            assert!(error.starts_with(found), "{error}");
        }
    }
}
