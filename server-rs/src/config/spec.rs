//! Makes the texts of `--help` and `--version` from `contract/config.json`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use miniserde::Deserialize;
use miniserde::json::Value;

use crate::contract::{CONFIG, VERSION, fill, integer_of, parse, text_of};

/// One option of `config.json`.
#[derive(Debug, Deserialize)]
pub(crate) struct OptionSpec {
    pub(crate) name: String,
    pub(crate) env: String,
    #[serde(rename = "type")]
    pub(crate) kind: OptionKind,
    pub(crate) default: Option<Value>,
    pub(crate) minimum: Option<u64>,
    pub(crate) maximum: Option<u64>,
    pub(crate) at_least: Option<String>,
    pub(crate) choices: Option<Vec<String>>,
    /// The switch that excludes this option.
    pub(crate) excludes: Option<String>,
    /// The option that this one requires.
    pub(crate) needs: Option<String>,
    /// The value that names a file inside of the program.
    pub(crate) builtin: Option<String>,
    /// `None` for a switch.
    value: Option<String>,
    help: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(crate) enum OptionKind {
    #[serde(rename = "text")]
    Text,
    #[serde(rename = "integer")]
    Integer,
    #[serde(rename = "choice")]
    Choice,
    #[serde(rename = "list")]
    List,
    /// Takes no value on the command line; its variable is `true` or `false`.
    #[serde(rename = "switch")]
    Switch,
}

#[derive(Debug, Deserialize)]
pub(crate) struct FlagSpec {
    pub(crate) name: String,
    pub(crate) short: String,
    help: String,
}

/// A command: work on a database without a server (rule PRO-15).
#[derive(Debug, Deserialize)]
pub(crate) struct CommandSpec {
    pub(crate) name: String,
    /// The name of its one argument; `None` for a command without one.
    pub(crate) operand: Option<String>,
    /// The options that have an effect on it.
    pub(crate) options: Vec<String>,
    help: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct ConfigSpec {
    pub(crate) options: Vec<OptionSpec>,
    pub(crate) flags: Vec<FlagSpec>,
    pub(crate) commands: Vec<CommandSpec>,
    pub(crate) env_prefix: String,
    usage: String,
    headline: String,
    pub(crate) messages: BTreeMap<String, String>,
    pub(crate) exits: BTreeMap<String, BTreeMap<String, Value>>,
}

pub(crate) static SPEC: LazyLock<ConfigSpec> = LazyLock::new(|| parse(CONFIG));

/// Returns the `--help` text, made from the contract.
pub fn help_text() -> String {
    let mut rows: Vec<(String, String)> = Vec::new();
    for option in &SPEC.options {
        let mut text = format!("{} [env: {}]", option.help, option.env);
        match &option.default {
            Some(Value::String(value)) => text += &format!(" [default: {value}]"),
            Some(Value::Number(value)) => text += &format!(" [default: {value}]"),
            _ => {}
        }
        if let Some(choices) = &option.choices {
            text += &format!(" [choices: {}]", choices.join(", "));
        }
        if let (Some(minimum), Some(maximum)) = (option.minimum, option.maximum) {
            text += &format!(" [range: {minimum} - {maximum}]");
        }
        let value = option.value.as_ref().map_or(String::new(), |value| format!(" {value}"));
        rows.push((format!("--{}{value}", option.name), text));
    }
    for flag in &SPEC.flags {
        rows.push((format!("-{}, --{}", flag.short, flag.name), flag.help.clone()));
    }
    let commands = SPEC.commands.iter().map(|command| {
        let operand = command.operand.as_ref().map_or(String::new(), |operand| format!(" {operand}"));
        (format!("{}{operand}", command.name), command.help.clone())
    });
    let commands = lines_of(&commands.collect::<Vec<_>>());
    let options = lines_of(&rows);
    format!("{}\n\n{}\n\nCommands:\n{commands}\nOptions:\n{options}", SPEC.usage, SPEC.headline)
}

/// Formats rows of two columns.
fn lines_of(rows: &[(String, String)]) -> String {
    let width = rows.iter().map(|(left, _)| left.len()).max().unwrap_or(0);
    rows.iter().map(|(left, right)| format!("  {left:width$}  {right}\n")).collect()
}

/// Returns the `--version` text (rule PRO-04).
pub fn version_text() -> String {
    format!("ingest-server {} (contract {})\n", env!("CARGO_PKG_VERSION"), *VERSION)
}

/// Returns a message of `exits` in `config.json`, with its exit code.
pub fn exit_message(exit: &str, message: &str, values: &[(&str, &str)]) -> (u8, String) {
    let spec = SPEC.exits.get(exit);
    let code = spec.and_then(|spec| spec.get("code")).and_then(integer_of).unwrap_or(1);
    let text = spec.and_then(|spec| spec.get(message)).and_then(text_of).unwrap_or_default();
    (u8::try_from(code).unwrap_or(1), fill(text, values))
}
