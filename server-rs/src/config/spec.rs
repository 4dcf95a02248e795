//! Makes the texts of `--help` and `--version` from `contract/config.json`.

use crate::contract::VERSION;
use crate::contract::flags::{COMMANDS, Flag, HEADLINE, PRINTS, USAGE};

/// Returns the `--help` text, made from the contract.
pub fn help_text() -> String {
    let mut rows: Vec<(String, String)> = Vec::new();
    for flag in Flag::ALL.map(Flag::spec) {
        let mut text = format!("{} [env: {}]", flag.help, flag.env);
        if let Some(value) = flag.default {
            text += &format!(" [default: {value}]");
        }
        if let Some(choices) = flag.choices {
            text += &format!(" [choices: {}]", choices.join(", "));
        }
        if let Some((minimum, maximum)) = flag.range {
            text += &format!(" [range: {minimum} - {maximum}]");
        }
        let value = flag.value.map_or(String::new(), |value| format!(" {value}"));
        rows.push((format!("--{}{value}", flag.name), text));
    }
    for one in &PRINTS {
        rows.push((format!("-{}, --{}", one.short, one.print.as_str()), one.help.to_owned()));
    }
    let commands = COMMANDS.iter().map(|one| {
        let operand = one.operand.map_or(String::new(), |operand| format!(" {operand}"));
        (format!("{}{operand}", one.command.as_str()), one.help.to_owned())
    });
    let commands = lines_of(&commands.collect::<Vec<_>>());
    let options = lines_of(&rows);
    format!("{USAGE}\n\n{HEADLINE}\n\nCommands:\n{commands}\nOptions:\n{options}")
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
