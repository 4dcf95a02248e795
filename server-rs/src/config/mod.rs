//! Turns flags and environment variables into a checked configuration, or into every problem at once (rules PRO-02 to
//! PRO-04).
//!
//! Names, bounds, help and messages come from `contract/config.json`. A wrong value is a problem, never a silent
//! default.

/// `config.json`, and the help text made from it.
pub mod spec;
/// The checked configuration.
mod settings;
/// Text of the command line and the environment.
mod arguments;
/// The server that receives forwarded events.
mod receiver;
/// The stream of a cluster.
mod stream_source;
/// The time zone of the machine.
mod time_zone;
/// Texts of the files that flags name.
mod text_file;
/// Checked values.
mod values;

use std::ffi::OsString;

pub use crate::contract::flags::{Durability, LogLevel, Stdin};
use arguments::Reader;
pub use receiver::Receiver;
pub use settings::{Config, Maintenance};
pub use stream_source::StreamSource;
pub use values::is_host_name;

/// Action that the command line asks for.
#[derive(Debug)]
pub enum Command {
    /// Run with this configuration.
    Run(Box<Config>),
    /// Do this work on a database, without a server (rule PRO-15).
    Maintain(Maintenance),
    /// Print this and exit 0.
    Print(String),
}

/// Reads arguments (without the program's name) and environment. The error holds one problem a line.
pub fn parse_config(
    args: impl IntoIterator<Item = OsString>,
    env: impl IntoIterator<Item = (OsString, OsString)>,
) -> Result<Command, Vec<String>> {
    let mut reader = Reader::default();
    if let Some(print) = reader.read_arguments(args) {
        return Ok(Command::Print(print));
    }
    reader.read_environment(env);
    let config = reader.config();
    reader.check_command();
    if !reader.problems.is_empty() {
        return Err(reader.problems);
    }
    Ok(match reader.command {
        Some((command, file)) => Command::Maintain(Maintenance {
            command: command.command,
            file: file.unwrap_or_default(),
            db: config.db,
        }),
        None => Command::Run(Box::new(config)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(args: &[&str], env: &[(&str, &str)]) -> Vec<String> {
        let env = env.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        parse_config(args.iter().map(OsString::from), env).err().unwrap_or_default()
    }

    fn config(args: &[&str], env: &[(&str, &str)]) -> Config {
        let env = env.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        match parse_config(args.iter().map(OsString::from), env) {
            Ok(Command::Run(config)) => *config,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_parser_reports_every_problem_in_order() {
        let args =
            ["--port=70000", "x", "--nope", "--db", "--port", "1", "--queue-events", "5", "--host=0.0.0.0"];
        let env = [("INGEST_ZZZ", "1"), ("INGEST_AAA", ""), ("INGEST_HEARTBEAT_MS", "1e3"), ("HOME", "/")];
        let expected = [
            "unexpected argument \"x\"",
            "unknown flag --nope",
            "--db needs a value",
            "--port is given twice",
            "unknown environment variable INGEST_AAA",
            "unknown environment variable INGEST_ZZZ",
            "--port must be an integer from 0 to 65535, not \"70000\"",
            "INGEST_HEARTBEAT_MS must be an integer from 100 to 600000, not \"1e3\"",
            "--queue-events must be at least --max-batch-events (10000), not \"5\"",
            "--host \"0.0.0.0\" is not a loopback address and needs --token-file",
        ];
        assert_eq!(problems(&args, &env), expected);
    }

    #[test]
    fn a_flag_takes_precedence_over_its_variable_and_an_empty_variable_is_unset() {
        let found = config(
            &["--port", "0"],
            &[("INGEST_PORT", "x"), ("INGEST_DB", ""), ("INGEST_ALLOW_HOSTS", "a.b,C")],
        );
        assert_eq!((found.port, found.db.as_str()), (0, "./data/events.db"));
        assert_eq!(found.allow_hosts, ["a.b", "c"]);
    }

    #[test]
    fn list_flags_repeat_and_help_takes_precedence() {
        assert_eq!(config(&["--allow-host=a", "--allow-host", "b"], &[]).allow_hosts, ["a", "b"]);
        let asked = parse_config(["--help", "--nope"].map(OsString::from), []);
        assert!(matches!(asked, Ok(Command::Print(text)) if text.starts_with("Usage: ingest-server")));
    }
}
