//! Reads the flags: the source of the events, and the server's own flags.

use std::ffi::OsString;
use std::path::PathBuf;

use ingest_server::config::{Command, Config, parse_config};
use lexopt::Arg;

const USAGE: &str = "--db FILE --groups FILE --durability process|power [--max-metadata-bytes N] is wanted, \
    or --rows FILE --group N instead of --groups FILE";

/// The source of the stored rows.
pub(crate) enum Source {
    /// A file with one batch body a line; each body is one group, so one transaction.
    Groups(PathBuf),
    /// A closed database of this schema, and the number of rows of each transaction. Only its rows are
    /// stored.
    Rows(PathBuf, usize),
}

pub(crate) struct Flags {
    pub(crate) source: Source,
    /// The server's own configuration, parsed from the other flags.
    pub(crate) config: Config,
}

/// Parses the flags; the error holds one problem a line.
pub(crate) fn parse_flags(args: impl IntoIterator<Item = OsString>) -> Result<Flags, String> {
    let mut parser = lexopt::Parser::from_args(args);
    let (mut own, mut others) = (Vec::new(), Vec::new());
    while let Some(arg) = parser.next().map_err(|error| error.to_string())? {
        let name = match arg {
            Arg::Long(name @ ("db" | "groups" | "rows" | "group" | "durability" | "max-metadata-bytes")) => {
                name.to_owned()
            }
            other => return Err(format!("{}: {USAGE}", other.unexpected())),
        };
        let value = parser.value().map_err(|error| error.to_string())?;
        if ["groups", "rows", "group"].contains(&name.as_str()) {
            own.push((name, value));
        } else {
            others.extend([OsString::from(format!("--{name}")), value]);
        }
    }
    let has = |name: &str| others.iter().step_by(2).any(|other| other == name);
    if !has("--db") || !has("--durability") {
        return Err(USAGE.to_owned());
    }
    let source = source_of(&own).ok_or(USAGE)?;
    match parse_config(others, []) {
        Ok(Command::Run(config)) if config.db == ":memory:" => Err("--db must be a file".to_owned()),
        Ok(Command::Run(config)) => Ok(Flags { source, config: *config }),
        Ok(Command::Print(_) | Command::Maintain(_)) => Err(USAGE.to_owned()),
        Err(problems) => Err(problems.join("\n")),
    }
}

fn source_of(own: &[(String, OsString)]) -> Option<Source> {
    let named = |name: &str| own.iter().find(|(own, _)| own == name).map(|(_, value)| value);
    match (own.len(), named("groups"), named("rows"), named("group")) {
        (1, Some(groups), None, None) => Some(Source::Groups(groups.into())),
        (2, None, Some(rows), Some(group)) => {
            let group = group.to_str()?.parse().ok().filter(|group| *group > 0)?;
            Some(Source::Rows(rows.into(), group))
        }
        _ => None,
    }
}
