//! Runs the commands of `ingest-server`: work on a database without a server (rules PRO-15 and BAK-01 to BAK-07).

/// The reason why a command ends.
pub mod failure;
/// Writes a database as lines.
pub mod dump;
/// Creates a database from lines.
pub mod load;
/// Compares a database with its events.
pub mod verify;
/// The sums and summaries of all events.
mod recount;

use std::io::{IsTerminal as _, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::{Value, json};

use crate::config::Maintenance;
use crate::contract::fill;
use crate::contract::flags::{Command, EXITS};
use crate::error::ErrorCode;
use crate::log::{complain, printable};
use crate::store::copy::{Copied, Epoch, copy_database};
use crate::store::lock::Lock;
use crate::store::path::{existing_path, new_path, resolve_path};
use dump::{Form, write_dump};
use failure::CommandFailure;
use load::load_dump;
use verify::verify_file;

/// Runs a command: its result goes to stdout as JSON lines, its failure to stderr. Blocks.
pub fn run_command(task: &Maintenance) -> ExitCode {
    let done = match task.command {
        Command::Backup => backup(task),
        Command::Restore => restore(task),
        Command::Dump => dump(task),
        Command::Load => load(task),
        Command::Verify => verify(task),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if !failure.message.is_empty() {
                complain(&failure.message);
            }
            ExitCode::from(failure.exit)
        }
    }
}

fn backup(task: &Maintenance) -> Result<(), CommandFailure> {
    let (source, target) = (existing_path(Path::new(&task.db))?, target(&task.file)?);
    let copied = copy_database(&source, &target, Epoch::Kept);
    report_copy("backup", &target, &copied.map_err(|error| CommandFailure::copy(error, &target))?)
}

fn restore(task: &Maintenance) -> Result<(), CommandFailure> {
    let source = existing_path(Path::new(&task.file))?;
    let target = resolve_path(Path::new(&task.db))?;
    let lock = Lock::acquire(&target)?;
    let copied = copy_database(&source, &target, Epoch::New);
    lock.release();
    report_copy("restore", &target, &copied.map_err(|error| CommandFailure::copy(error, &target))?)
}

fn report_copy(event: &str, target: &Path, copied: &Copied) -> Result<(), CommandFailure> {
    report_moved(target, copied.moved.as_deref());
    let mut line = json!({
        "event": event,
        "file": target.to_string_lossy(),
        "bytes": copied.bytes,
        "newest_id": copied.newest_id,
        "attachments": copied.attachments,
    });
    if let (Some(sequence), Some(members)) = (copied.sequence, line.as_object_mut()) {
        members.insert("sequence".to_owned(), sequence.into());
    }
    print(&line)
}

/// Says on stderr where another folder of attachments is now.
fn report_moved(target: &Path, moved: Option<&Path>) {
    let Some(aside) = moved.map(Path::to_string_lossy) else { return };
    let path = format!("{}.attachments", target.display());
    eprintln!("{}", fill(EXITS.target.aside, &[("path", &path), ("aside", &aside)]));
}

fn dump(task: &Maintenance) -> Result<(), CommandFailure> {
    let out = std::io::stdout().lock();
    let form: Form = if out.is_terminal() { printable } else { |line| line.into() };
    write_dump(&existing_path(Path::new(&task.db))?, out, form)
}

fn load(task: &Maintenance) -> Result<(), CommandFailure> {
    let target = resolve_path(Path::new(&task.db))?;
    let lock = Lock::acquire(&target)?;
    let loaded = load_dump(std::io::stdin().lock(), &target);
    lock.release();
    let loaded = loaded?;
    report_moved(&target, loaded.moved.as_deref());
    print(&json!({
        "event": "load",
        "file": target.to_string_lossy(),
        "lines": loaded.lines,
        "events": loaded.events,
    }))
}

fn verify(task: &Maintenance) -> Result<(), CommandFailure> {
    let file = existing_path(Path::new(&task.file))?;
    let verified = verify_file(&file)?;
    for finding in &verified.findings {
        print(&json!({ "event": "finding", "check": finding.check, "count": finding.count }))?;
    }
    let findings = verified.findings.len();
    print(&json!({
        "event": "verify",
        "file": file.to_string_lossy(),
        "events": verified.events,
        "findings": findings,
    }))?;
    if findings == 0 { Ok(()) } else { Err(CommandFailure::silent(EXITS.verify.code)) }
}

/// Returns the path of a file to create, in an existing folder.
fn target(file: &str) -> Result<PathBuf, CommandFailure> {
    let path = Path::new(file);
    new_path(path).ok_or_else(|| CommandFailure::unwritable(path, ErrorCode::StorageError))
}

/// Prints a line of the result.
fn print(line: &Value) -> Result<(), CommandFailure> {
    let mut out = std::io::stdout();
    writeln!(out, "{}", printable(&line.to_string()))
        .and_then(|()| out.flush())
        .map_err(|error| CommandFailure::output(&error))
}
