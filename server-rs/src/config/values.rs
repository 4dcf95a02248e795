//! Checks every value in the order of `config.json`, then rules that concern several values (rule PRO-03).
//!
//! Over 250 lines because it has a check for each kind of value, and for each file that a flag names.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use crate::budget::parse_budget;
use crate::config::arguments::{Given, Reader, is_text, quoted};
use crate::config::receiver::{Receiver, parse_receiver};
use crate::config::settings::{Config, Durability};
use crate::config::spec::{OptionKind, OptionSpec, SPEC};
use crate::config::stream_source::{NAME_CHARACTERS, StreamSource, is_stream_name, parse_nats};
use crate::config::text_file::{FILE_MISSING, TextFile, read_text_file};
use crate::contract::{COMMON_SECRETS, LIMITS, VOCABULARY, integer_of, text_of};
use crate::endpoint::{Endpoint, is_endpoint_url, parse_secret};
use crate::log::is_printable;
use crate::prices::{Prices, parse_prices};
use crate::redact::Redaction;
use crate::redact::rules::parse_redaction;

/// The value of `--store` with a stream.
const CLUSTER: &str = "jetstream";
/// Options that a stream needs, and that have no effect without one.
const CLUSTER_OPTIONS: [&str; 2] = ["nats", "stream"];
/// Options that change a database by itself.
const LOCAL_OPTIONS: [&str; 1] = ["forward"];

impl Reader {
    /// Checks every value in the order of `config.json`, then rules that concern several values.
    pub(super) fn config(&mut self) -> Config {
        let mut numbers = BTreeMap::new();
        let mut texts = BTreeMap::new();
        let mut lists = BTreeMap::new();
        let (mut token, mut new_token) = (None, None);
        let mut prices = None;
        let mut redaction = None;
        let (mut webhook_url, mut webhook_secret, mut budget_cents) = (None, None, None);
        let (mut forward, mut forward_token) = (None, None);
        let (mut nats, mut nats_token) = (None, None);
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
                OptionKind::Text | OptionKind::Choice | OptionKind::Switch => {
                    let text = self.text(option, given.first());
                    if name == "host" {
                        host = self.host(&text, given.first()).unwrap_or(host);
                    }
                    if let ("token-file", Some(given)) = (name, given.first()) {
                        (token, new_token) = self.token(given);
                    }
                    if let ("forward", Some(given)) = (name, given.first()) {
                        forward = self.receiver(given);
                    }
                    if let ("forward-token-file", Some(given)) = (name, given.first()) {
                        forward_token = self.token(given).0;
                    }
                    if let ("nats", Some(given)) = (name, given.first()) {
                        nats = self.nats(given);
                    }
                    if let ("nats-token-file", Some(given)) = (name, given.first()) {
                        nats_token = self.token(given).0;
                    }
                    if let ("stream", Some(given)) = (name, given.first()) {
                        self.stream(given);
                    }
                    if let ("prices", Some(given)) = (name, given.first()) {
                        prices = self.prices(given);
                    }
                    if let ("redact", Some(given)) = (name, given.first()) {
                        redaction = self.redaction(option, given);
                    }
                    if let ("webhook", Some(given)) = (name, given.first()) {
                        webhook_url = self.webhook_url(given);
                    }
                    if let ("webhook-secret-file", Some(given)) = (name, given.first()) {
                        webhook_secret = self.webhook_secret(given);
                    }
                    if let ("command-name", Some(given)) = (name, given.first()) {
                        self.command_name(given);
                    }
                    if let ("budget-usd-day", Some(given)) = (name, given.first()) {
                        budget_cents = self.budget(given);
                    }
                    texts.insert(name, text);
                }
            }
        }
        self.relations(&numbers, &texts, host);
        let number = |name: &str| numbers.get(name).copied().unwrap_or_default();
        let size = |name: &str| usize::try_from(number(name)).unwrap_or(usize::MAX);
        let mut list = |name: &str| lists.remove(name).unwrap_or_default();
        let is_cluster = texts.get("store").is_some_and(|text| text == CLUSTER);
        let cluster = nats.filter(|_| is_cluster).map(|host| StreamSource {
            url: format!("nats://{host}"),
            host,
            token: nats_token,
            name: texts.remove("stream").unwrap_or_default(),
            replicas: size("nats-replicas"),
        });
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
            waiting_stale_hours: i64::try_from(number("waiting-stale-hours")).unwrap_or(i64::MAX),
            max_stream_clients: size("max-stream-clients"),
            heartbeat_ms: number("heartbeat-ms"),
            stats_interval_ms: number("stats-interval-ms"),
            token,
            new_token,
            allow_hosts: list("allow-host"),
            allow_origins: list("allow-origin"),
            socket: texts.remove("socket").filter(|text| !text.is_empty()),
            stdin: texts.remove("stdin").filter(|text| !text.is_empty()),
            max_attachment_bytes: number("max-attachment-bytes"),
            attachments_bytes: number("attachments-bytes"),
            retain_days: number("retain-days"),
            retain_bytes: number("retain-bytes"),
            keep_hook_payloads: texts.get("keep-hook-payloads").is_some_and(|text| text == "true"),
            prices: prices.map(Arc::new),
            redaction: redaction.map(Arc::new),
            webhook: webhook_url
                .zip(webhook_secret)
                .and_then(|(url, secret)| Endpoint::new(&url, &secret))
                .map(Arc::new),
            webhook_finish_minutes: i64::try_from(number("webhook-finish-minutes")).unwrap_or(i64::MAX),
            budget_cents,
            forward,
            forward_token,
            cluster,
            bench: texts.get("bench").is_some_and(|text| text == "true"),
            idle_exit_s: number("idle-exit"),
            parent_pid: u32::try_from(number("parent-pid")).unwrap_or_default(),
            ready_file: texts.remove("ready-file").filter(|text| !text.is_empty()),
            command_name: texts.remove("command-name").unwrap_or_default(),
            exit_with_stdin: texts.get("exit-with-stdin").is_some_and(|text| text == "true"),
            log_level: texts.remove("log-level").unwrap_or_default(),
        }
    }

    fn integer(&mut self, option: &OptionSpec, given: Option<&Given>) -> u64 {
        let default = option.default.as_ref().and_then(integer_of).unwrap_or_default();
        let Some(given) = given else { return default };
        let (minimum, maximum) = (option.minimum.unwrap_or(0), option.maximum.unwrap_or(u64::MAX));
        let digits =
            (1..=16).contains(&given.text.len()) && given.text.bytes().all(|byte| byte.is_ascii_digit());
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
        let default = option.default.as_ref().and_then(text_of).unwrap_or_default().to_owned();
        let Some(given) = given else { return default };
        if given.text.is_empty() {
            self.problem("empty", &[("source", &given.source)]);
            return default;
        }
        let choices = option.choices.as_deref().unwrap_or_default();
        if !is_text(&given.text) {
            self.problem("text", &[("source", &given.source)]);
        } else if option.choices.is_some() && !choices.contains(&given.text) {
            let values = [
                ("source", given.source.as_str()),
                ("choices", &choices.join(", ")),
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
            _ if given.text.contains('*') => (false, "allow_origin_wildcard"),
            _ if is_file_origin(&given.text) => (false, "allow_origin_file"),
            _ => (is_origin(&given.text), "allow_origin"),
        };
        if !valid {
            self.problem(message, &[("source", &given.source), ("value", &quoted(&given.text))]);
            return None;
        }
        Some(given.text.to_ascii_lowercase())
    }

    /// Returns the token, or the file that must be created for a new one (rule SEC-08).
    fn token(&mut self, given: &Given) -> (Option<String>, Option<String>) {
        let file = read_text_file(&given.text);
        if matches!(file, Err(FILE_MISSING)) && self.is_new_token(given) {
            return (None, Some(given.text.clone()));
        }
        let Some(text) = self.private_text(given, file) else { return (None, None) };
        let token = text.trim_matches([' ', '\t', '\r', '\n']);
        if token.len() >= LIMITS.token_characters && token.bytes().all(|byte| byte.is_ascii_graphic()) {
            return (Some(token.to_owned()), None);
        }
        let minimum = LIMITS.token_characters.to_string();
        let values =
            [("source", given.source.as_str()), ("value", &quoted(&given.text)), ("minimum", &minimum)];
        self.problem("token_short", &values);
        (None, None)
    }

    /// Returns the content of a file, or reports why it has none.
    fn text_file(&mut self, given: &Given, file: Result<TextFile, &'static str>) -> Option<TextFile> {
        let message = match file {
            Ok(file) => return Some(file),
            Err(message) => message,
        };
        // An empty file name was already reported as a problem.
        if !given.text.is_empty() {
            self.problem(message, &[("source", &given.source), ("value", &quoted(&given.text))]);
        }
        None
    }

    /// Returns the text of a file that must not be open to other users.
    fn private_text(&mut self, given: &Given, file: Result<TextFile, &'static str>) -> Option<String> {
        let file = self.text_file(given, file)?;
        if file.is_open {
            self.problem("file_open", &[("source", &given.source), ("value", &quoted(&given.text))]);
            return None;
        }
        Some(file.text)
    }

    /// Returns whether a value is the file of `--new-token`.
    fn is_new_token(&self, file: &Given) -> bool {
        let of_server = self.given.get("token-file").and_then(|given| given.first());
        self.is_on("new-token") && of_server.is_some_and(|given| given.source == file.source)
    }

    /// Returns the receiver of forwarded events.
    fn receiver(&mut self, given: &Given) -> Option<Receiver> {
        let receiver = parse_receiver(&given.text);
        // An empty value was already reported as a problem.
        if receiver.is_none() && !given.text.is_empty() {
            self.problem("forward", &[("source", &given.source), ("value", &quoted(&given.text))]);
        }
        receiver
    }

    /// Returns host and port of the server of NATS.
    fn nats(&mut self, given: &Given) -> Option<String> {
        let host = parse_nats(&given.text);
        // An empty value was already reported as a problem.
        if host.is_none() && given.text.contains('@') {
            self.problem("nats_secret", &[("source", &given.source)]);
        } else if host.is_none() && !given.text.is_empty() {
            self.problem("nats", &[("source", &given.source), ("value", &quoted(&given.text))]);
        }
        host
    }

    fn stream(&mut self, given: &Given) {
        // An empty value was already reported as a problem.
        if !given.text.is_empty() && !is_stream_name(&given.text) {
            let maximum = NAME_CHARACTERS.to_string();
            let values =
                [("source", given.source.as_str()), ("maximum", &maximum), ("value", &quoted(&given.text))];
            self.problem("stream", &values);
        }
    }

    /// Returns whether a switch is given as true.
    fn is_on(&self, name: &str) -> bool {
        self.given.get(name).and_then(|given| given.first()).is_some_and(|given| given.text == "true")
    }

    fn prices(&mut self, given: &Given) -> Option<Prices> {
        let text = self.text_file(given, read_text_file(&given.text))?.text;
        let values = [("source", given.source.as_str()), ("value", &quoted(&given.text))];
        parse_prices(&text)
            .map_err(|problem| {
                let maximum = LIMITS.max_cost_usd.to_string();
                let values = [values[0], values[1], ("path", &quoted(&problem.path)), ("maximum", &maximum)];
                self.problem(problem.fault.as_str(), &values);
            })
            .ok()
    }

    fn redaction(&mut self, option: &OptionSpec, given: &Given) -> Option<Redaction> {
        let text = if option.builtin.as_ref() == Some(&given.text) {
            COMMON_SECRETS.to_owned()
        } else {
            self.text_file(given, read_text_file(&given.text))?.text
        };
        let values = [("source", given.source.as_str()), ("value", &quoted(&given.text))];
        let classes: Vec<&str> = VOCABULARY.redaction.classes.iter().map(|(name, _)| *name).collect();
        let limits = [
            ("entries", LIMITS.redaction_entries.to_string()),
            ("key_bytes", LIMITS.redaction_key_bytes.to_string()),
            ("prefix_bytes", LIMITS.redaction_prefix_bytes.to_string()),
            ("minimum", LIMITS.redaction_minimum.to_string()),
            ("least", LIMITS.redaction_least_bytes.to_string()),
            ("classes", classes.join(", ")),
        ];
        let rules = parse_redaction(&text).map_err(|problems| {
            for problem in problems {
                let path = quoted(&problem.path);
                let mut values = vec![values[0], values[1], ("path", &path)];
                values.extend(limits.iter().map(|(name, value)| (*name, value.as_str())));
                self.problem(problem.fault.as_str(), &values);
            }
        });
        rules.ok().map(Redaction::new)
    }

    fn webhook_url(&mut self, given: &Given) -> Option<String> {
        // An empty URL was already reported as a problem. The URL may hold a secret, so the message does not.
        if given.text.is_empty() || is_endpoint_url(&given.text) {
            return Some(given.text.clone());
        }
        let maximum = LIMITS.webhook_url_bytes.to_string();
        self.problem("webhook_url", &[("source", &given.source), ("maximum", &maximum)]);
        None
    }

    fn webhook_secret(&mut self, given: &Given) -> Option<Vec<u8>> {
        let text = self.private_text(given, read_text_file(&given.text))?;
        let secret = parse_secret(text.trim_matches([' ', '\t', '\r', '\n']));
        if secret.is_none() {
            let (minimum, maximum) =
                (LIMITS.webhook_secret_bytes.to_string(), LIMITS.webhook_secret_most_bytes.to_string());
            let values = [
                ("source", given.source.as_str()),
                ("value", &quoted(&given.text)),
                ("minimum", &minimum),
                ("maximum", &maximum),
            ];
            self.problem("webhook_secret", &values);
        }
        secret
    }

    fn command_name(&mut self, given: &Given) {
        // An empty name was already reported as a problem.
        if given.text.len() > LIMITS.command_name_bytes || !is_printable(&given.text) {
            let maximum = LIMITS.command_name_bytes.to_string();
            let values =
                [("source", given.source.as_str()), ("maximum", &maximum), ("value", &quoted(&given.text))];
            self.problem("command_name", &values);
        }
    }

    fn budget(&mut self, given: &Given) -> Option<u64> {
        let cents = parse_budget(&given.text);
        // An empty amount was already reported as a problem.
        if cents.is_none() && !given.text.is_empty() {
            let maximum = LIMITS.max_cost_usd.to_string();
            let values =
                [("source", given.source.as_str()), ("maximum", &maximum), ("value", &quoted(&given.text))];
            self.problem("budget", &values);
        }
        cents
    }

    fn relations(&mut self, numbers: &BTreeMap<&str, u64>, texts: &BTreeMap<&str, String>, host: IpAddr) {
        for option in &SPEC.options {
            let Some(other) = &option.at_least else { continue };
            let (Some(value), Some(minimum)) =
                (numbers.get(option.name.as_str()), numbers.get(other.as_str()))
            else {
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
        for option in &SPEC.options {
            let Some(other) = &option.excludes else { continue };
            if self.given.contains_key(option.name.as_str())
                && texts.get(other.as_str()).is_some_and(|text| text == "true")
            {
                let source = self.source(&option.name);
                self.problem("exclusive", &[("source", &source), ("other", &format!("--{other}"))]);
            }
        }
        for option in &SPEC.options {
            let Some(other) = &option.needs else { continue };
            let is_used = match option.kind {
                OptionKind::Switch => self.is_on(&option.name),
                _ => self.given.contains_key(option.name.as_str()),
            };
            if is_used && !self.given.contains_key(other.as_str()) {
                let source = self.source(&option.name);
                self.problem("needs", &[("source", &source), ("other", &format!("--{other}"))]);
            }
        }
        self.cluster_relations(texts);
    }

    /// Checks what `--store jetstream` needs and excludes (rule CLU-01).
    fn cluster_relations(&mut self, texts: &BTreeMap<&str, String>) {
        let is_cluster = texts.get("store").is_some_and(|text| text == CLUSTER);
        for name in CLUSTER_OPTIONS {
            let is_given = self.given.contains_key(name);
            let problem = match (is_cluster, is_given) {
                (true, false) => Some((self.source("store"), format!("--{name}"))),
                (false, true) => Some((self.source(name), format!("--store {CLUSTER}"))),
                _ => None,
            };
            if let Some((source, other)) = problem {
                self.problem("needs", &[("source", &source), ("other", &other)]);
            }
        }
        for name in LOCAL_OPTIONS {
            if is_cluster && self.given.contains_key(name) {
                let values = [("source", &*self.source(name)), ("other", &*format!("--store {CLUSTER}"))];
                self.problem("exclusive", &values);
            }
        }
    }

    /// Returns the source of a value; the flag's name for a default value.
    fn source(&self, name: &str) -> String {
        let given = self.given.get(name).and_then(|given| given.first());
        given.map_or_else(|| format!("--{name}"), |given| given.source.clone())
    }
}

/// Returns whether a text is a host name: letters, digits, dots, hyphens and underscores, or an IPv6 address
/// in brackets.
pub fn is_host_name(text: &str) -> bool {
    if let Some(address) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return address.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b':' || byte == b'.');
    }
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'))
}

/// Returns whether a text is the origin of a page from a file. Browsers send `null` for it, and also for
/// sandboxed pages of any site.
fn is_file_origin(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    text == "null" || text.starts_with("file:")
}

/// Returns whether a text is an origin: a scheme, `://`, and an authority without path (RFC 6454, section
/// 6.2).
fn is_origin(text: &str) -> bool {
    let Some((scheme, authority)) = text.split_once("://") else {
        return false;
    };
    let scheme_ok = scheme.bytes().next().is_some_and(|first| first.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'.' | b'-'));
    scheme_ok
        && !authority.is_empty()
        && authority.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'/' | b'?' | b'#'))
}
