//! Names the server that holds a database, so that a second server can report which one to stop (rule STO-11).
//!
//! `FILE.owner` holds the pid and the URL as JSON. The server with the lock first removes an old file. It writes its
//! own file when it answers requests, and removes it before it releases the lock. Invariant: the file alone proves
//! nothing. A server reads it only after the lock was refused, and reports only a running process.
//!
//! `FILE.stop` with the same bytes asks this server to end (rule STO-13).

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::platform::{is_own_file, is_running, private_file};
use crate::store::path::sibling;

/// The server that holds a database.
#[derive(Debug, PartialEq, Eq)]
pub struct Owner {
    /// The process id.
    pub pid: i32,
    /// The URL, as in the ready line.
    pub url: String,
}

/// Writes the file (0600). A failure only makes a message less precise, so it is not reported.
pub fn write_owner(database: &Path, url: &str) {
    remove_owner(database);
    let text = json!({ "pid": std::process::id(), "url": url }).to_string();
    let file = private_file().open(owner_path(database));
    drop(file.and_then(|mut file| file.write_all(text.as_bytes())));
}

/// Returns the server that the file names, if its process runs. Call it only after the lock was refused.
pub fn read_owner(database: &Path) -> Option<Owner> {
    let owner = parse_owner(&read_plain(&owner_path(database))?)?;
    is_other(owner.pid).then_some(owner)
}

/// Removes the file if it exists, and a request to its server to end.
pub fn remove_owner(database: &Path) {
    drop(fs::remove_file(owner_path(database)));
    drop(fs::remove_file(stop_path(database)));
}

/// Returns whether a program asks this server to end; removes the request (rule STO-13).
pub fn takes_stop(database: &Path) -> bool {
    let path = stop_path(database);
    let Ok(file) = fs::symlink_metadata(&path) else { return false };
    if !is_own_file(&file) {
        return false;
    }
    let (Some(stop), Some(own)) = (read_plain(&path), read_plain(&owner_path(database))) else {
        return false;
    };
    let is_ours = parse_owner(&own).is_some_and(|owner| u32::try_from(owner.pid) == Ok(std::process::id()));
    let is_asked = is_ours && stop == own;
    if is_asked {
        drop(fs::remove_file(path));
    }
    is_asked
}

/// Reads a regular file. Anything else has no effect: a pipe would stop the server, which reads these files while it runs.
fn read_plain(path: &Path) -> Option<Vec<u8>> {
    if !fs::symlink_metadata(path).ok()?.is_file() {
        return None;
    }
    fs::read(path).ok()
}

/// Parses the file. It refuses any content that this server would not write itself, since the text goes to a
/// terminal.
fn parse_owner(bytes: &[u8]) -> Option<Owner> {
    let value: Value = serde_json::from_slice(bytes).ok()?;
    let pid = value.get("pid")?.as_i64().and_then(|pid| i32::try_from(pid).ok()).filter(|pid| *pid > 0)?;
    let url = value.get("url")?.as_str()?;
    let is_plain = url.starts_with("http://") && url.bytes().all(|byte| byte.is_ascii_graphic());
    is_plain.then(|| Owner { pid, url: url.to_owned() })
}

/// Returns whether another process with this pid runs. This process does not hold the lock, so a file with
/// its own pid names an earlier, ended process.
fn is_other(pid: i32) -> bool {
    i32::try_from(std::process::id()) != Ok(pid) && is_running(pid)
}

fn owner_path(database: &Path) -> PathBuf {
    sibling(database, ".owner")
}

fn stop_path(database: &Path) -> PathBuf {
    sibling(database, ".stop")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_content_that_a_server_writes_is_accepted() {
        let parse = |text: &str| parse_owner(text.as_bytes());
        let owner = Owner { pid: 7, url: "http://127.0.0.1:3141".to_owned() };
        assert_eq!(parse(r#"{"pid":7,"url":"http://127.0.0.1:3141"}"#), Some(owner));
        for text in [
            "",
            "{",
            "[]",
            r#"{"pid":7}"#,
            r#"{"pid":0,"url":"http://a"}"#,
            r#"{"pid":-7,"url":"http://a"}"#,
            r#"{"pid":7.5,"url":"http://a"}"#,
            r#"{"pid":9007199254740993,"url":"http://a"}"#,
            r#"{"pid":"7","url":"http://a"}"#,
            r#"{"pid":7,"url":"javascript:1"}"#,
            r#"{"pid":7,"url":"http://a\u001b[2J"}"#,
            r#"{"pid":7,"url":"http://a b"}"#,
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
