//! Flags and environment variables to a checked configuration, or to every problem at once (rules PRO-02 to PRO-04).
//!
//! Names, bounds, help and messages are those of `contract/config.json`. Nothing falls back to a default
//! because it was wrong.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::LazyLock;

use lexopt::Arg;
use serde::Deserialize;
use serde_json::Value;

use crate::contract::{CONFIG, VERSION, fill, parse};
use crate::http::guard::Token;

/// One option of `config.json`.
#[derive(Debug, Deserialize)]
pub(crate) struct OptionSpec {
    pub(crate) name: String,
    pub(crate) env: String,
    #[serde(rename = "type")]
    kind: OptionKind,
    pub(crate) default: Value,
    minimum: Option<u64>,
    maximum: Option<u64>,
    at_least: Option<String>,
    #[serde(default)]
    choices: Vec<String>,
    value: String,
    help: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum OptionKind {
    Text,
    Integer,
    Choice,
    List,
}

#[derive(Debug, Deserialize)]
struct FlagSpec {
    name: String,
    short: char,
    help: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct ConfigSpec {
    pub(crate) options: Vec<OptionSpec>,
    flags: Vec<FlagSpec>,
    env_prefix: String,
    usage: String,
    headline: String,
    messages: BTreeMap<String, String>,
    pub(crate) exits: BTreeMap<String, BTreeMap<String, Value>>,
}

pub(crate) static SPEC: LazyLock<ConfigSpec> = LazyLock::new(|| parse(CONFIG));

/// When an answer to an ingest request is durable (`--durability`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// It survives the end of the process.
    Process,
    /// It survives the loss of power.
    Power,
}

impl Durability {
    /// The flag's value.
    pub fn as_str(self) -> &'static str {
        match self {
            Durability::Process => "process",
            Durability::Power => "power",
        }
    }
}

/// The checked configuration; units stand in the names.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "each is the flag of its name, explained in contract/config.json")]
pub struct Config {
    pub host: IpAddr,
    pub port: u16,
    pub db: String,
    pub durability: Durability,
    pub max_body_bytes: u64,
    pub max_batch_events: usize,
    pub max_metadata_bytes: usize,
    pub queue_events: usize,
    pub queue_bytes: u64,
    pub session_timeout_minutes: i64,
    pub max_stream_clients: usize,
    pub heartbeat_ms: u64,
    pub stats_interval_ms: u64,
    pub token: Option<Token>,
    pub allow_hosts: Vec<String>,
    pub allow_origins: Vec<String>,
    pub log_level: String,
}

/// What the command line asks for.
#[derive(Debug)]
pub enum Command {
    /// Run with this configuration.
    Run(Box<Config>),
    /// Print this and exit 0.
    Print(String),
}

/// Where a value was given, and its text.
#[derive(Debug, Clone)]
struct Given {
    source: String,
    text: String,
}

/// Reads arguments (without the program's name) and environment. The error holds one problem a line.
pub fn parse_config(
    args: impl IntoIterator<Item = OsString>,
    env: impl IntoIterator<Item = (OsString, OsString)>,
) -> Result<Command, Vec<String>> {
    let mut reader = Reader { problems: Vec::new(), given: BTreeMap::new() };
    if let Some(print) = reader.arguments(args) {
        return Ok(Command::Print(print));
    }
    reader.environment(env);
    let config = reader.config();
    if reader.problems.is_empty() { Ok(Command::Run(Box::new(config))) } else { Err(reader.problems) }
}

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

struct Reader {
    problems: Vec<String>,
    given: BTreeMap<&'static str, Vec<Given>>,
}

impl Reader {
    fn problem(&mut self, message: &str, values: &[(&str, &str)]) {
        let text = SPEC.messages.get(message).map_or(message, String::as_str);
        self.problems.push(fill(text, values));
    }

    /// Takes the command line in; the text to print when it asks for help or the version.
    fn arguments(&mut self, args: impl IntoIterator<Item = OsString>) -> Option<String> {
        let mut print = None;
        let mut parser = lexopt::Parser::from_args(args);
        while let Ok(Some(arg)) = parser.next() {
            match arg {
                Arg::Long(name) => {
                    let name = name.to_owned();
                    if let Some(option) = SPEC.options.iter().find(|option| option.name == name) {
                        self.value_of(option, &mut parser);
                    } else {
                        let value = parser.optional_value();
                        self.flag(&format!("--{name}"), &name, value.is_some(), &mut print);
                    }
                }
                Arg::Short(short) => {
                    let flag = SPEC.flags.iter().find(|flag| flag.short == short);
                    let name = flag.map_or(String::new(), |flag| flag.name.clone());
                    let value = parser.optional_value();
                    self.flag(&format!("-{short}"), &name, value.is_some(), &mut print);
                }
                Arg::Value(value) => {
                    self.problem("unexpected_argument", &[("argument", &quoted(&value.to_string_lossy()))]);
                }
            }
        }
        print
    }

    fn flag(&mut self, flag: &str, name: &str, has_value: bool, print: &mut Option<String>) {
        match name {
            "help" | "version" if has_value => self.problem("takes_no_value", &[("flag", flag)]),
            "help" => *print = Some(help_text()),
            "version" => *print = Some(print.take().unwrap_or_else(version_text)),
            _ => self.problem("unknown_flag", &[("flag", flag)]),
        }
    }

    fn value_of(&mut self, option: &'static OptionSpec, parser: &mut lexopt::Parser) {
        let flag = format!("--{}", option.name);
        let value = parser.optional_value().or_else(|| {
            // A word that begins with two hyphens is the next flag, not this one's value.
            let mut raw = parser.try_raw_args()?;
            let is_flag = raw.peek()?.to_string_lossy().starts_with("--");
            if is_flag { None } else { raw.next() }
        });
        let Some(value) = value else {
            return self.problem("missing_value", &[("flag", &flag)]);
        };
        let Ok(text) = value.into_string() else {
            return self.problem("text", &[("source", &flag)]);
        };
        let given = self.given.entry(&option.name).or_default();
        if !given.is_empty() && option.kind != OptionKind::List {
            return self.problem("twice", &[("flag", &flag)]);
        }
        given.push(Given { source: flag, text });
    }

    fn environment(&mut self, env: impl IntoIterator<Item = (OsString, OsString)>) {
        let ours: BTreeMap<String, OsString> = env
            .into_iter()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
            .filter(|(name, _)| name.starts_with(&SPEC.env_prefix))
            .collect();
        for (name, value) in ours {
            let Some(option) = SPEC.options.iter().find(|option| option.env == name) else {
                self.problem("unknown_env", &[("env", &name)]);
                continue;
            };
            if value.is_empty() || self.given.contains_key(option.name.as_str()) {
                continue;
            }
            let Ok(text) = value.into_string() else {
                self.problem("text", &[("source", &name)]);
                continue;
            };
            let texts: Vec<&str> =
                if option.kind == OptionKind::List { text.split(',').collect() } else { vec![&text] };
            let given = texts.iter().map(|text| Given { source: name.clone(), text: (*text).to_owned() });
            self.given.insert(&option.name, given.collect());
        }
    }

    /// Checks every value in the order of `config.json`, then what concerns several.
    fn config(&mut self) -> Config {
        let mut numbers = BTreeMap::new();
        let mut texts = BTreeMap::new();
        let mut lists = BTreeMap::new();
        let mut token = None;
        let mut host = IpAddr::V4(Ipv4Addr::LOCALHOST);
        for option in &SPEC.options {
            let name = option.name.as_str();
            let given = self.given.get(name).cloned().unwrap_or_default();
            match option.kind {
                OptionKind::Integer => {
                    numbers.insert(name, self.integer(option, given.first()));
                }
                OptionKind::List => {
                    let values = given.iter().filter_map(|given| self.list_item(name, given)).collect();
                    lists.insert(name, values);
                }
                OptionKind::Text | OptionKind::Choice => {
                    let text = self.text(option, given.first());
                    if name == "host" {
                        host = self.host(&text, given.first()).unwrap_or(host);
                    }
                    if let ("token-file", Some(given)) = (name, given.first()) {
                        token = self.token(given);
                    }
                    texts.insert(name, text);
                }
            }
        }
        self.relations(&numbers, host);
        let number = |name: &str| numbers.get(name).copied().unwrap_or_default();
        let size = |name: &str| usize::try_from(number(name)).unwrap_or(usize::MAX);
        let mut list = |name: &str| lists.remove(name).unwrap_or_default();
        Config {
            host,
            port: u16::try_from(number("port")).unwrap_or_default(),
            db: texts.remove("db").unwrap_or_default(),
            durability: match texts.get("durability").map(String::as_str) {
                Some("power") => Durability::Power,
                _ => Durability::Process,
            },
            max_body_bytes: number("max-body-bytes"),
            max_batch_events: size("max-batch-events"),
            max_metadata_bytes: size("max-metadata-bytes"),
            queue_events: size("queue-events"),
            queue_bytes: number("queue-bytes"),
            session_timeout_minutes: i64::try_from(number("session-timeout-minutes")).unwrap_or(i64::MAX),
            max_stream_clients: size("max-stream-clients"),
            heartbeat_ms: number("heartbeat-ms"),
            stats_interval_ms: number("stats-interval-ms"),
            token,
            allow_hosts: list("allow-host"),
            allow_origins: list("allow-origin"),
            log_level: texts.remove("log-level").unwrap_or_default(),
        }
    }

    fn integer(&mut self, option: &OptionSpec, given: Option<&Given>) -> u64 {
        let default = option.default.as_u64().unwrap_or_default();
        let Some(given) = given else { return default };
        let (minimum, maximum) = (option.minimum.unwrap_or(0), option.maximum.unwrap_or(u64::MAX));
        let digits = (1..=16).contains(&given.text.len()) && given.text.bytes().all(|byte| byte.is_ascii_digit());
        let value = if digits { given.text.parse().ok() } else { None };
        value.filter(|value| (minimum..=maximum).contains(value)).unwrap_or_else(|| {
            let values = [
                ("source", given.source.as_str()),
                ("minimum", &minimum.to_string()),
                ("maximum", &maximum.to_string()),
                ("value", &quoted(&given.text)),
            ];
            self.problem("integer", &values);
            default
        })
    }

    fn text(&mut self, option: &OptionSpec, given: Option<&Given>) -> String {
        let default = option.default.as_str().unwrap_or_default().to_owned();
        let Some(given) = given else { return default };
        if given.text.is_empty() {
            self.problem("empty", &[("source", &given.source)]);
            return default;
        }
        if option.kind == OptionKind::Choice && !option.choices.contains(&given.text) {
            let values = [
                ("source", given.source.as_str()),
                ("choices", &option.choices.join(", ")),
                ("value", &quoted(&given.text)),
            ];
            self.problem("choice", &values);
            return default;
        }
        given.text.clone()
    }

    fn host(&mut self, text: &str, given: Option<&Given>) -> Option<IpAddr> {
        if text == "localhost" {
            return Some(IpAddr::V4(Ipv4Addr::LOCALHOST));
        }
        let address = text.parse().ok();
        if let (None, Some(given)) = (address, given) {
            self.problem("host", &[("source", &given.source), ("value", &quoted(&given.text))]);
        }
        address
    }

    fn list_item(&mut self, name: &str, given: &Given) -> Option<String> {
        if given.text.is_empty() {
            self.problem("empty", &[("source", &given.source)]);
            return None;
        }
        let (valid, message) = match name {
            "allow-host" => (is_host_name(&given.text), "allow_host"),
            _ => (is_origin(&given.text), "allow_origin"),
        };
        if !valid {
            self.problem(message, &[("source", &given.source), ("value", &quoted(&given.text))]);
            return None;
        }
        Some(given.text.to_ascii_lowercase())
    }

    fn token(&mut self, given: &Given) -> Option<Token> {
        let values = [("source", given.source.as_str()), ("value", &quoted(&given.text))];
        let Ok(text) = std::fs::read_to_string(&given.text) else {
            self.problem("token_unreadable", &values);
            return None;
        };
        let token = Token::new(text.trim_matches([' ', '\t', '\r', '\n']));
        if token.is_none() {
            self.problem("token_short", &values);
        }
        token
    }

    fn relations(&mut self, numbers: &BTreeMap<&str, u64>, host: IpAddr) {
        for option in &SPEC.options {
            let Some(other) = &option.at_least else { continue };
            let (Some(value), Some(minimum)) = (numbers.get(option.name.as_str()), numbers.get(other.as_str())) else {
                continue;
            };
            if value < minimum {
                let source = self.source(&option.name);
                let values = [
                    ("source", source.as_str()),
                    ("other", &format!("--{other}")),
                    ("minimum", &minimum.to_string()),
                    ("value", &quoted(&value.to_string())),
                ];
                self.problem("at_least", &values);
            }
        }
        if !host.is_loopback() && !self.given.contains_key("token-file") {
            let source = self.source("host");
            self.problem("token_required", &[("source", &source), ("value", &quoted(&host.to_string()))]);
        }
    }

    /// Where a value came from; its flag when it is the default.
    fn source(&self, name: &str) -> String {
        let given = self.given.get(name).and_then(|given| given.first());
        given.map_or_else(|| format!("--{name}"), |given| given.source.clone())
    }
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// Letters, digits, dots, hyphens and underscores, or an IPv6 address in brackets.
fn is_host_name(text: &str) -> bool {
    if let Some(address) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return address.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b':' || byte == b'.');
    }
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'))
}

/// A scheme, `://`, and an authority without path (RFC 6454, section 6.2).
fn is_origin(text: &str) -> bool {
    let Some((scheme, authority)) = text.split_once("://") else { return false };
    let scheme_ok = scheme.bytes().next().is_some_and(|first| first.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'.' | b'-'));
    scheme_ok
        && !authority.is_empty()
        && authority.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'/' | b'?' | b'#'))
}
