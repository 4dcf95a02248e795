//! Reads the command line and the environment as text; does not check the values (rules PRO-02 and PRO-03).
//!
//! Bytes that are not UTF-8 become U+FFFD, as in Node. The check of a value refuses this character (rule PRO-20).

use std::collections::BTreeMap;
use std::ffi::OsString;

use lexopt::Arg;
use serde_json::Value;

use crate::config::spec::{help_text, version_text};
use crate::contract::fill;
use crate::contract::flags::{
    COMMANDS, CommandSpec, ENV_PREFIX, Flag, FlagKind, FlagSpec, MESSAGES, PRINTS, Print,
};

/// Stands for a secret.
const HIDDEN: &str = "***";
/// The variable with the time zone of a process.
const ZONE_VARIABLE: &str = "TZ";

/// A value's text and its source.
#[derive(Debug, Clone)]
pub(super) struct Given {
    pub(super) source: String,
    pub(super) text: String,
}

/// The values of flags, each flag's in order.
type GivenValues = BTreeMap<Flag, Vec<Given>>;

/// Problems and values found so far.
#[derive(Debug, Default)]
pub(super) struct Reader {
    pub(super) problems: Vec<String>,
    pub(super) given: GivenValues,
    /// Values of whole numbers, for the relations between them.
    pub(super) numbers: BTreeMap<Flag, u64>,
    /// The command, and its argument.
    pub(super) command: Option<(&'static CommandSpec, Option<String>)>,
    /// The variable `TZ`.
    pub(super) machine_zone: Option<String>,
}

impl Reader {
    /// Reports a problem with a message of [`MESSAGES`].
    pub(super) fn problem(&mut self, message: &str, values: &[(&str, &str)]) {
        self.problems.push(fill(message, values));
    }

    /// Reads the command line; returns the text to print when it asks for help or the version.
    pub(super) fn read_arguments(&mut self, args: impl IntoIterator<Item = OsString>) -> Option<String> {
        let mut print = None;
        // Package managers pass their own `--` on; it has no meaning here.
        let args = args.into_iter().filter(|arg| arg != "--");
        let mut parser = lexopt::Parser::from_args(args);
        while let Ok(Some(arg)) = parser.next() {
            match arg {
                Arg::Long(name) => {
                    let name = name.to_owned();
                    if let Some(flag) = Flag::ALL.map(Flag::spec).into_iter().find(|flag| flag.name == name) {
                        self.value_of(flag, &mut parser);
                    } else {
                        let value = parser.optional_value();
                        let known = PRINTS.iter().find(|one| one.print.as_str() == name);
                        let known = known.map(|one| one.print);
                        self.print_flag(&format!("--{name}"), known, value.is_some(), &mut print);
                    }
                }
                Arg::Short(short) => {
                    let known = PRINTS.iter().find(|one| one.short == short).map(|one| one.print);
                    let value = parser.optional_value();
                    self.print_flag(&format!("-{short}"), known, value.is_some(), &mut print);
                }
                Arg::Value(value) => self.word(&value.to_string_lossy()),
            }
        }
        print
    }

    /// Reads a word that belongs to no flag: a command, or its argument (rule PRO-15).
    fn word(&mut self, text: &str) {
        match &mut self.command {
            None => {
                if let Some(command) = COMMANDS.iter().find(|known| known.command.as_str() == text) {
                    self.command = Some((command, None));
                    return;
                }
            }
            Some((command, operand @ None)) if !text.is_empty() => {
                let command: &'static CommandSpec = command;
                if let Some(name) = command.operand {
                    *operand = Some(text.to_owned());
                    if !is_text(text) {
                        self.problem(MESSAGES.text, &[("source", name)]);
                    }
                    return;
                }
            }
            Some(_) => {}
        }
        self.problem(MESSAGES.unexpected_argument, &[("argument", &quoted(text))]);
    }

    /// Checks that a command has its argument, and no flag that has no effect on it (rule PRO-15).
    pub(super) fn check_command(&mut self) {
        let Some((command, operand)) = &self.command else {
            return;
        };
        let (command, is_complete) = (*command, operand.is_some() || command.operand.is_none());
        let name = command.command.as_str();
        if let (false, Some(operand)) = (is_complete, command.operand) {
            self.problem(MESSAGES.missing_operand, &[("command", name), ("operand", operand)]);
        }
        for flag in Flag::ALL {
            let source = format!("--{}", flag.as_str());
            let given = self.given.get(&flag);
            let is_given = given.is_some_and(|given| given.iter().any(|one| one.source == source));
            if is_given && !command.options.contains(&flag) {
                self.problem(MESSAGES.not_of_command, &[("source", &source), ("command", name)]);
            }
        }
    }

    fn print_flag(&mut self, flag: &str, known: Option<Print>, has_value: bool, print: &mut Option<String>) {
        match known {
            Some(_) if has_value => self.problem(MESSAGES.takes_no_value, &[("flag", flag)]),
            Some(Print::Help) => *print = Some(help_text()),
            Some(Print::Version) => *print = Some(print.take().unwrap_or_else(version_text)),
            None => self.problem(MESSAGES.unknown_flag, &[("flag", flag)]),
        }
    }

    fn value_of(&mut self, spec: &'static FlagSpec, parser: &mut lexopt::Parser) {
        let flag = format!("--{}", spec.name);
        let is_switch = spec.kind == FlagKind::Switch;
        let attached = parser.optional_value();
        if is_switch && attached.is_some() {
            return self.problem(MESSAGES.takes_no_value, &[("flag", &flag)]);
        }
        let value = attached.or_else(|| {
            if is_switch {
                return Some(OsString::from("true"));
            }
            // A word that begins with two hyphens is the next flag, not this flag's value.
            let mut raw = parser.try_raw_args()?;
            let is_flag = raw.peek()?.to_string_lossy().starts_with("--");
            if is_flag { None } else { raw.next() }
        });
        let Some(value) = value else {
            return self.problem(MESSAGES.missing_value, &[("flag", &flag)]);
        };
        let given = self.given.entry(spec.flag).or_default();
        if !given.is_empty() && spec.kind != FlagKind::List {
            return self.problem(MESSAGES.twice, &[("flag", &flag)]);
        }
        given.push(Given { source: flag, text: value.to_string_lossy().into_owned() });
    }

    /// Reads the variables; a flag takes precedence over its variable. Those of flags that a command does not take have no
    /// effect (rule PRO-15).
    pub(super) fn read_environment(&mut self, env: impl IntoIterator<Item = (OsString, OsString)>) {
        let of_command = self.command.as_ref().map(|(command, _)| command.options);
        let ours: BTreeMap<String, OsString> = env
            .into_iter()
            .map(|(name, value)| (name.to_string_lossy().into_owned(), value))
            .inspect(|(name, value)| {
                if name == ZONE_VARIABLE {
                    self.machine_zone = Some(value.to_string_lossy().into_owned());
                }
            })
            .filter(|(name, _)| name.starts_with(ENV_PREFIX))
            .collect();
        for (name, value) in ours {
            let Some(spec) = Flag::ALL.map(Flag::spec).into_iter().find(|flag| flag.env == name) else {
                self.problem(MESSAGES.unknown_env, &[("env", &name)]);
                continue;
            };
            let is_unused = of_command.is_some_and(|options| !options.contains(&spec.flag));
            if is_unused || value.is_empty() || self.given.contains_key(&spec.flag) {
                continue;
            }
            let text = value.to_string_lossy();
            let texts: Vec<&str> = if spec.kind == FlagKind::List {
                text.split(',').map(|item| item.trim_matches([' ', '\t'])).collect()
            } else {
                vec![&text]
            };
            let given = texts.iter().map(|text| Given { source: name.clone(), text: (*text).to_owned() });
            self.given.insert(spec.flag, given.collect());
        }
    }
}

/// Returns whether every byte of a text was UTF-8.
pub(super) fn is_text(text: &str) -> bool {
    !text.contains(char::REPLACEMENT_CHARACTER)
}

/// Returns a text as a JSON string, for messages. A user, a password and a query of a URL are not shown.
pub(super) fn quoted(text: &str) -> String {
    Value::from(without_secrets(text)).to_string()
}

/// Replaces what may be a secret in a URL, also in one that is wrong or lacks its scheme.
fn without_secrets(text: &str) -> String {
    let (scheme, rest) = match text.split_once("://") {
        Some((scheme, rest)) => (format!("{scheme}://"), rest),
        None if text.contains([':']) && text.contains('@') => (String::new(), text),
        None => return text.to_owned(),
    };
    // A password with a slash or an at sign belongs to a wrong URL, which is shown too.
    let (user, host) = match rest.rfind('@') {
        Some(at) => (HIDDEN, &rest[at..]),
        None => ("", rest),
    };
    let shown = host.find(['?', '#']).map_or(host, |end| &host[..=end]);
    let query = if shown.len() < host.len() { HIDDEN } else { "" };
    format!("{scheme}{user}{shown}{query}")
}
