//! Checks every value in the order of `config.json`, then rules that concern several values (rule PRO-03).
//!
//! Each flag is read once, as the type that `FLAGS` gives it. Over 250 lines because it has a check for each kind of
//! value, and for each file that a flag names.

use std::fmt::Display;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use crate::budget::parse_budget;
use crate::config::arguments::{Given, Reader, is_text, quoted};
use crate::config::receiver::{Receiver, parse_receiver};
use crate::config::settings::Config;
use crate::config::stream_source::{NAME_CHARACTERS, StreamSource, is_stream_name, parse_nats};
use crate::config::text_file::{FileFault, TextFile, read_text_file};
use crate::config::time_zone::{MachineZone, machine_zone};
use crate::contract::flags::{
    BUILTIN_REDACTION, ChoiceFlag, FLAGS, Flag, FlagKind, IntegerFlag, ListFlag, MESSAGES, OptionalFlag,
    Store, SwitchFlag, TextFlag,
};
use crate::contract::{COMMON_SECRETS, LIMITS, VOCABULARY};
use crate::endpoint::{Endpoint, is_endpoint_url, parse_secret};
use crate::json_fault::fault_line;
use crate::log::is_printable;
use crate::prices::{PriceList, Prices, built_in_prices, parse_prices};
use crate::redact::Redaction;
use crate::redact::rules::parse_redaction;
use crate::zones::find_zone;

/// Flags that a stream needs, and that have no effect without one.
const CLUSTER_FLAGS: [Flag; 2] = [Flag::Nats, Flag::Stream];
/// Flags that change a database by itself.
const LOCAL_FLAGS: [Flag; 1] = [Flag::Forward];

impl Reader {
    /// Checks every value in the order of `config.json`, then rules that concern several values.
    pub(super) fn config(&mut self) -> Config {
        let host = self.text(&FLAGS.host);
        let host = self.host(&host).unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
        let port = self.integer(&FLAGS.port);
        let db = self.text(&FLAGS.db);
        let durability = self.choice(&FLAGS.durability);
        let max_body_bytes = self.integer(&FLAGS.max_body_bytes);
        let max_batch_events = self.integer(&FLAGS.max_batch_events);
        let max_metadata_bytes = self.integer(&FLAGS.max_metadata_bytes);
        let queue_events = self.integer(&FLAGS.queue_events);
        let queue_bytes = self.integer(&FLAGS.queue_bytes);
        let session_timeout_minutes = self.integer(&FLAGS.session_timeout_minutes);
        let waiting_stale_hours = self.integer(&FLAGS.waiting_stale_hours);
        let max_stream_clients = self.integer(&FLAGS.max_stream_clients);
        let heartbeat_ms = self.integer(&FLAGS.heartbeat_ms);
        let stats_interval_ms = self.integer(&FLAGS.stats_interval_ms);
        let token_file = self.optional(&FLAGS.token_file);
        let (token, new_token) = token_file.map_or((None, None), |given| self.token(&given));
        self.switch(&FLAGS.new_token);
        let allow_hosts = self.list(&FLAGS.allow_host, host_problem);
        let allow_origins = self.list(&FLAGS.allow_origin, origin_problem);
        let socket = self.optional(&FLAGS.socket).map(|given| given.text);
        let stdin = self.choice(&FLAGS.stdin);
        let max_attachment_bytes = self.integer(&FLAGS.max_attachment_bytes);
        let attachments_bytes = self.integer(&FLAGS.attachments_bytes);
        let retain_days = self.integer(&FLAGS.retain_days);
        let retain_bytes = self.integer(&FLAGS.retain_bytes);
        let keep_hook_payloads = self.switch(&FLAGS.keep_hook_payloads);
        let price_file = self.optional(&FLAGS.prices).and_then(|given| self.price_file(&given));
        let no_prices = self.switch(&FLAGS.no_prices);
        let redaction = self.optional(&FLAGS.redact).and_then(|given| self.redaction(&given));
        let webhook_url = self.optional(&FLAGS.webhook).and_then(|given| self.webhook_url(&given));
        let secret_file = self.optional(&FLAGS.webhook_secret_file);
        let webhook_secret = secret_file.and_then(|given| self.webhook_secret(&given));
        let webhook_finish_minutes = self.integer(&FLAGS.webhook_finish_minutes);
        let budget_cents = self.optional(&FLAGS.budget_usd_day).and_then(|given| self.budget(&given));
        let given_zone = self.optional(&FLAGS.time_zone);
        let MachineZone { zone, unknown } = self.time_zone(given_zone);
        let forward = self.optional(&FLAGS.forward).and_then(|given| self.receiver(&given));
        let forward_token = self.optional(&FLAGS.forward_token_file).and_then(|given| self.token(&given).0);
        let store = self.choice(&FLAGS.store);
        let nats = self.optional(&FLAGS.nats).and_then(|given| self.nats(&given));
        let nats_token = self.optional(&FLAGS.nats_token_file).and_then(|given| self.token(&given).0);
        let stream = self.optional(&FLAGS.stream).map(|given| self.stream(given));
        let nats_replicas = self.integer(&FLAGS.nats_replicas);
        let bench = self.switch(&FLAGS.bench);
        let exit_with_stdin = self.switch(&FLAGS.exit_with_stdin);
        let parent_pid = self.integer(&FLAGS.parent_pid);
        let idle_exit_s = self.integer(&FLAGS.idle_exit);
        let ready_file = self.optional(&FLAGS.ready_file).map(|given| given.text);
        let command_name = self.text(&FLAGS.command_name);
        self.command_name(&command_name);
        let log_level = self.choice(&FLAGS.log_level);
        self.relations(host, store);
        let is_cluster = store == Store::Jetstream;
        let cluster = nats.zip(stream).filter(|_| is_cluster).map(|(host, name)| StreamSource {
            url: format!("nats://{host}"),
            host,
            token: nats_token,
            name,
            replicas: nats_replicas,
        });
        let webhook = webhook_url.zip(webhook_secret).and_then(|(url, secret)| Endpoint::new(&url, &secret));
        Config {
            host,
            port,
            db,
            durability,
            max_body_bytes,
            max_batch_events,
            max_metadata_bytes,
            queue_events,
            queue_bytes,
            session_timeout_minutes,
            waiting_stale_hours,
            max_stream_clients,
            heartbeat_ms,
            stats_interval_ms,
            token,
            new_token,
            allow_hosts,
            allow_origins,
            socket,
            stdin,
            max_attachment_bytes,
            attachments_bytes,
            retain_days,
            retain_bytes,
            keep_hook_payloads,
            prices: (!no_prices).then(|| Arc::new(Prices { file: price_file, built_in: built_in_prices() })),
            redaction: redaction.map(Arc::new),
            webhook: webhook.map(Arc::new),
            webhook_finish_minutes,
            budget_cents,
            time_zone: zone,
            unknown_zone: unknown,
            forward,
            forward_token,
            cluster,
            bench,
            exit_with_stdin,
            parent_pid,
            idle_exit_s,
            ready_file,
            command_name,
            log_level,
        }
    }

    fn integer<T>(&mut self, flag: &IntegerFlag<T>) -> T
    where
        T: Copy + PartialOrd + Display + TryFrom<u64>,
        u64: TryFrom<T>,
    {
        let mut number = flag.default;
        if let Some(given) = self.first(flag.flag) {
            let digits =
                (1..=16).contains(&given.text.len()) && given.text.bytes().all(|byte| byte.is_ascii_digit());
            let value =
                given.text.parse::<u64>().ok().filter(|_| digits).and_then(|value| T::try_from(value).ok());
            if let Some(value) = value.filter(|value| (flag.minimum..=flag.maximum).contains(value)) {
                number = value;
            } else {
                let values = [
                    ("source", given.source.as_str()),
                    ("minimum", &flag.minimum.to_string()),
                    ("maximum", &flag.maximum.to_string()),
                    ("value", &quoted(&given.text)),
                ];
                self.problem(MESSAGES.integer, &values);
            }
        }
        // Every number is at least 0.
        if let Ok(number) = u64::try_from(number) {
            self.numbers.insert(flag.flag, number);
        }
        number
    }

    fn text(&mut self, flag: &TextFlag) -> String {
        let given = self.checked(flag.flag).filter(|given| !given.text.is_empty());
        given.map_or_else(|| flag.default.to_owned(), |given| given.text)
    }

    fn optional(&mut self, flag: &OptionalFlag) -> Option<Given> {
        self.checked(flag.flag)
    }

    fn switch(&mut self, flag: &SwitchFlag) -> bool {
        self.meaning(flag.flag, &[("true", true), ("false", false)]).unwrap_or(false)
    }

    fn choice<T: Copy>(&mut self, flag: &ChoiceFlag<T>) -> T {
        self.meaning(flag.flag, flag.choices).unwrap_or(flag.default)
    }

    /// Returns what the word of a flag means; `None` without a valid one.
    fn meaning<T: Copy>(&mut self, flag: Flag, words: &[(&str, T)]) -> Option<T> {
        let given = self.checked(flag).filter(|given| !given.text.is_empty() && is_text(&given.text))?;
        let found = words.iter().find(|(word, _)| *word == given.text);
        if found.is_none() {
            let choices: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            let values = [
                ("source", given.source.as_str()),
                ("choices", &choices.join(", ")),
                ("value", &quoted(&given.text)),
            ];
            self.problem(MESSAGES.choice, &values);
        }
        found.map(|(_, meaning)| *meaning)
    }

    fn list(&mut self, flag: &ListFlag, problem_of: fn(&str) -> Option<&'static str>) -> Vec<String> {
        let mut items = Vec::new();
        for given in self.given.get(&flag.flag).cloned().unwrap_or_default() {
            if given.text.is_empty() {
                self.problem(MESSAGES.empty, &[("source", &given.source)]);
            } else if let Some(message) = problem_of(&given.text) {
                self.problem(message, &[("source", &given.source), ("value", &quoted(&given.text))]);
            } else {
                items.push(given.text.to_ascii_lowercase());
            }
        }
        items
    }

    /// Returns the given text after the check that every text has. It reports what is wrong, and returns the text then
    /// too.
    fn checked(&mut self, flag: Flag) -> Option<Given> {
        let given = self.first(flag)?;
        if given.text.is_empty() {
            self.problem(MESSAGES.empty, &[("source", &given.source)]);
        } else if !is_text(&given.text) {
            self.problem(MESSAGES.text, &[("source", &given.source)]);
        }
        Some(given)
    }

    fn first(&self, flag: Flag) -> Option<Given> {
        self.given.get(&flag)?.first().cloned()
    }

    fn host(&mut self, text: &str) -> Option<IpAddr> {
        if text == "localhost" {
            return Some(IpAddr::V4(Ipv4Addr::LOCALHOST));
        }
        let address = text.parse().ok();
        if let (None, Some(given)) = (address, self.first(Flag::Host)) {
            self.problem(MESSAGES.host, &[("source", &given.source), ("value", &quoted(&given.text))]);
        }
        address
    }

    /// Returns the token, or the file that must be created for a new one (rule SEC-08).
    fn token(&mut self, given: &Given) -> (Option<String>, Option<String>) {
        let file = read_text_file(&given.text);
        if matches!(file, Err(FileFault::Missing)) && self.is_new_token(given) {
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
        self.problem(MESSAGES.token_short, &values);
        (None, None)
    }

    /// Returns the content of a file, or reports why it has none.
    fn text_file(&mut self, given: &Given, file: Result<TextFile, FileFault>) -> Option<TextFile> {
        let message = match file {
            Ok(file) => return Some(file),
            Err(fault) => fault.message(),
        };
        // An empty file name was already reported as a problem.
        if !given.text.is_empty() {
            self.problem(message, &[("source", &given.source), ("value", &quoted(&given.text))]);
        }
        None
    }

    /// Returns the text of a file that must not be open to other users.
    fn private_text(&mut self, given: &Given, file: Result<TextFile, FileFault>) -> Option<String> {
        let file = self.text_file(given, file)?;
        if file.is_open {
            self.problem(MESSAGES.file_open, &[("source", &given.source), ("value", &quoted(&given.text))]);
            return None;
        }
        Some(file.text)
    }

    /// Returns whether a value is the file of `--new-token`.
    fn is_new_token(&self, file: &Given) -> bool {
        let of_server = self.first(Flag::TokenFile);
        self.is_on(Flag::NewToken) && of_server.is_some_and(|given| given.source == file.source)
    }

    /// Returns the receiver of forwarded events.
    fn receiver(&mut self, given: &Given) -> Option<Receiver> {
        let receiver = parse_receiver(&given.text);
        // An empty value was already reported as a problem.
        if receiver.is_none() && !given.text.is_empty() {
            self.problem(MESSAGES.forward, &[("source", &given.source), ("value", &quoted(&given.text))]);
        }
        receiver
    }

    /// Returns host and port of the server of NATS.
    fn nats(&mut self, given: &Given) -> Option<String> {
        let host = parse_nats(&given.text);
        // An empty value was already reported as a problem.
        if host.is_none() && given.text.contains('@') {
            self.problem(MESSAGES.nats_secret, &[("source", &given.source)]);
        } else if host.is_none() && !given.text.is_empty() {
            self.problem(MESSAGES.nats, &[("source", &given.source), ("value", &quoted(&given.text))]);
        }
        host
    }

    fn stream(&mut self, given: Given) -> String {
        // An empty value was already reported as a problem.
        if !given.text.is_empty() && !is_stream_name(&given.text) {
            let maximum = NAME_CHARACTERS.to_string();
            let values =
                [("source", given.source.as_str()), ("maximum", &maximum), ("value", &quoted(&given.text))];
            self.problem(MESSAGES.stream, &values);
        }
        given.text
    }

    /// Returns whether a switch is given as true.
    fn is_on(&self, flag: Flag) -> bool {
        self.first(flag).is_some_and(|given| given.text == "true")
    }

    fn price_file(&mut self, given: &Given) -> Option<PriceList> {
        let text = self.text_file(given, read_text_file(&given.text))?.text;
        let values = [("source", given.source.as_str()), ("value", &quoted(&given.text))];
        parse_prices(&text)
            .map_err(|problem| {
                let (maximum, line) = (LIMITS.max_cost_usd.to_string(), fault_line(&text).to_string());
                let path = quoted(&problem.path);
                let values = [values[0], values[1], ("path", &path), ("maximum", &maximum), ("line", &line)];
                self.problem(problem.fault.message(), &values);
            })
            .ok()
    }

    fn redaction(&mut self, given: &Given) -> Option<Redaction> {
        let text = if given.text == BUILTIN_REDACTION {
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
                self.problem(problem.fault.message(), &values);
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
        self.problem(MESSAGES.webhook_url, &[("source", &given.source), ("maximum", &maximum)]);
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
            self.problem(MESSAGES.webhook_secret, &values);
        }
        secret
    }

    fn command_name(&mut self, name: &str) {
        if let Some(given) = self.first(Flag::CommandName)
            && (name.len() > LIMITS.command_name_bytes || !is_printable(name))
        {
            let maximum = LIMITS.command_name_bytes.to_string();
            let values =
                [("source", given.source.as_str()), ("maximum", &maximum), ("value", &quoted(&given.text))];
            self.problem(MESSAGES.command_name, &values);
        }
    }

    /// Returns the given zone, else that of the machine.
    fn time_zone(&mut self, given: Option<Given>) -> MachineZone {
        let Some(given) = given else { return machine_zone(self.machine_zone.as_deref()) };
        if let Some(zone) = find_zone(&given.text) {
            return MachineZone { zone, unknown: None };
        }
        // An empty value was already reported as a problem.
        if !given.text.is_empty() {
            let values = [("source", given.source.as_str()), ("value", &quoted(&given.text))];
            self.problem(MESSAGES.time_zone, &values);
        }
        machine_zone(None)
    }

    fn budget(&mut self, given: &Given) -> Option<u64> {
        let cents = parse_budget(&given.text);
        // An empty amount was already reported as a problem.
        if cents.is_none() && !given.text.is_empty() {
            let maximum = LIMITS.max_cost_usd.to_string();
            let values =
                [("source", given.source.as_str()), ("maximum", &maximum), ("value", &quoted(&given.text))];
            self.problem(MESSAGES.budget, &values);
        }
        cents
    }

    fn relations(&mut self, host: IpAddr, store: Store) {
        for flag in Flag::ALL {
            let Some(other) = flag.spec().at_least else { continue };
            let (Some(&value), Some(&minimum)) = (self.numbers.get(&flag), self.numbers.get(&other)) else {
                continue;
            };
            if value < minimum {
                let values = [
                    ("source", &*self.source(flag)),
                    ("other", &flag_text(other)),
                    ("minimum", &minimum.to_string()),
                    ("value", &quoted(&value.to_string())),
                ];
                self.problem(MESSAGES.at_least, &values);
            }
        }
        if !host.is_loopback() && !self.given.contains_key(&Flag::TokenFile) {
            let values = [("source", &*self.source(Flag::Host)), ("value", &quoted(&host.to_string()))];
            self.problem(MESSAGES.token_required, &values);
        }
        for flag in Flag::ALL {
            let Some(other) = flag.spec().excludes else { continue };
            if self.given.contains_key(&flag) && self.is_on(other) {
                let values = [("source", &*self.source(flag)), ("other", &flag_text(other))];
                self.problem(MESSAGES.exclusive, &values);
            }
        }
        for flag in Flag::ALL {
            let Some(other) = flag.spec().needs else { continue };
            let is_used = match flag.spec().kind {
                FlagKind::Switch => self.is_on(flag),
                _ => self.given.contains_key(&flag),
            };
            if is_used && !self.given.contains_key(&other) {
                let values = [("source", &*self.source(flag)), ("other", &flag_text(other))];
                self.problem(MESSAGES.needs, &values);
            }
        }
        self.cluster_relations(store);
    }

    /// Checks what `--store jetstream` needs and excludes (rule CLU-01).
    fn cluster_relations(&mut self, store: Store) {
        let is_cluster = store == Store::Jetstream;
        let cluster = format!("{} {}", flag_text(Flag::Store), Store::Jetstream.as_str());
        for flag in CLUSTER_FLAGS {
            let is_given = self.given.contains_key(&flag);
            let problem = match (is_cluster, is_given) {
                (true, false) => Some((self.source(Flag::Store), flag_text(flag))),
                (false, true) => Some((self.source(flag), cluster.clone())),
                _ => None,
            };
            if let Some((source, other)) = problem {
                self.problem(MESSAGES.needs, &[("source", &source), ("other", &other)]);
            }
        }
        for flag in LOCAL_FLAGS {
            if is_cluster && self.given.contains_key(&flag) {
                let values = [("source", &*self.source(flag)), ("other", &cluster)];
                self.problem(MESSAGES.exclusive, &values);
            }
        }
    }

    /// Returns the source of a value; the flag for a default value.
    fn source(&self, flag: Flag) -> String {
        self.first(flag).map_or_else(|| flag_text(flag), |given| given.source)
    }
}

/// Returns a flag as users type it.
fn flag_text(flag: Flag) -> String {
    format!("--{}", flag.as_str())
}

/// Returns the message for a wrong name of `--allow-host`.
fn host_problem(text: &str) -> Option<&'static str> {
    (!is_host_name(text)).then_some(MESSAGES.allow_host)
}

/// Returns the message for a wrong origin of `--allow-origin`.
fn origin_problem(text: &str) -> Option<&'static str> {
    if text.contains('*') {
        return Some(MESSAGES.allow_origin_wildcard);
    }
    if is_file_origin(text) {
        return Some(MESSAGES.allow_origin_file);
    }
    (!is_origin(text)).then_some(MESSAGES.allow_origin)
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
