//! Reads the flags: the file of groups, and the server's own flags.

use std::ffi::OsString;
use std::path::PathBuf;

use ingest_server::config::{Command, Config, parse_config};
use lexopt::Arg;

const USAGE: &str = "--db FILE --groups FILE --durability process|power [--max-metadata-bytes N] is wanted";

pub(crate) struct Flags {
    /// A file with one batch body a line; each body is one group, so one transaction.
    pub(crate) groups: PathBuf,
    /// The server's own configuration, parsed from the other flags.
    pub(crate) config: Config,
}

/// Parses the flags; the error holds one problem a line.
pub(crate) fn parse_flags(args: impl IntoIterator<Item = OsString>) -> Result<Flags, String> {
    let mut parser = lexopt::Parser::from_args(args);
    let (mut groups, mut others) = (None, Vec::new());
    while let Some(arg) = parser.next().map_err(|error| error.to_string())? {
        let name = match arg {
            Arg::Long(name @ ("db" | "groups" | "durability" | "max-metadata-bytes")) => name.to_owned(),
            other => return Err(format!("{}: {USAGE}", other.unexpected())),
        };
        let value = parser.value().map_err(|error| error.to_string())?;
        if name == "groups" {
            groups = Some(PathBuf::from(value));
        } else {
            others.extend([OsString::from(format!("--{name}")), value]);
        }
    }
    let has = |name: &str| others.iter().step_by(2).any(|other| other == name);
    if !has("--db") || !has("--durability") {
        return Err(USAGE.to_owned());
    }
    let groups = groups.ok_or(USAGE)?;
    match parse_config(others, []) {
        Ok(Command::Run(config)) if config.db == ":memory:" => Err("--db must be a file".to_owned()),
        Ok(Command::Run(config)) => Ok(Flags { groups, config: *config }),
        Ok(Command::Print(_) | Command::Maintain(_)) => Err(USAGE.to_owned()),
        Err(problems) => Err(problems.join("\n")),
    }
}
