//! `contract/config.json` as this server reads it: options, messages, exit codes, and the help made of them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;

use crate::contract::{CONFIG, VERSION, fill, parse};

/// One option of `config.json`.
#[derive(Debug, Deserialize)]
pub(crate) struct OptionSpec {
    pub(crate) name: String,
    pub(crate) env: String,
    #[serde(rename = "type")]
    pub(crate) kind: OptionKind,
    pub(crate) default: Value,
    pub(crate) minimum: Option<u64>,
    pub(crate) maximum: Option<u64>,
    pub(crate) at_least: Option<String>,
    #[serde(default)]
    pub(crate) choices: Vec<String>,
    value: String,
    help: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum OptionKind {
    Text,
    Integer,
    Choice,
    List,
}

#[derive(Debug, Deserialize)]
pub(crate) struct FlagSpec {
    pub(crate) name: String,
    pub(crate) short: char,
    help: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct ConfigSpec {
    pub(crate) options: Vec<OptionSpec>,
    pub(crate) flags: Vec<FlagSpec>,
    pub(crate) env_prefix: String,
    usage: String,
    headline: String,
    pub(crate) messages: BTreeMap<String, String>,
    pub(crate) exits: BTreeMap<String, BTreeMap<String, Value>>,
}

pub(crate) static SPEC: LazyLock<ConfigSpec> = LazyLock::new(|| parse(CONFIG));

/// `--help`, made of the contract.
pub fn help_text() -> String {
    let mut rows: Vec<(String, String)> = Vec::new();
    for option in &SPEC.options {
        let mut text = format!("{} [env: {}]", option.help, option.env);
        match &option.default {
            Value::String(value) => text += &format!(" [default: {value}]"),
            Value::Number(value) => text += &format!(" [default: {value}]"),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {}
        }
        if !option.choices.is_empty() {
            text += &format!(" [choices: {}]", option.choices.join(", "));
        }
        if let (Some(minimum), Some(maximum)) = (option.minimum, option.maximum) {
            text += &format!(" [range: {minimum} - {maximum}]");
        }
        rows.push((format!("--{} {}", option.name, option.value), text));
    }
    for flag in &SPEC.flags {
        rows.push((format!("-{}, --{}", flag.short, flag.name), flag.help.clone()));
    }
    let width = rows.iter().map(|(left, _)| left.len()).max().unwrap_or(0);
    let lines: String = rows.iter().map(|(left, right)| format!("  {left:width$}  {right}\n")).collect();
    format!("{}\n\n{}\n\nOptions:\n{lines}", SPEC.usage, SPEC.headline)
}

/// `--version` (rule PRO-04).
pub fn version_text() -> String {
    format!("ingest-server {} (contract {})\n", env!("CARGO_PKG_VERSION"), *VERSION)
}

/// A message of `config.json`'s `exits`, with its exit code.
pub fn exit_message(exit: &str, message: &str, values: &[(&str, &str)]) -> (u8, String) {
    let spec = SPEC.exits.get(exit);
    let code = spec.and_then(|spec| spec.get("code")).and_then(Value::as_u64).unwrap_or(1);
    let text = spec.and_then(|spec| spec.get(message)).and_then(Value::as_str).unwrap_or_default();
    (u8::try_from(code).unwrap_or(1), fill(text, values))
}
