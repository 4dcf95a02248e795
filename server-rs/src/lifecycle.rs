//! Ties a server to the program that started it: a file that announces it, and the end of the program's process (rules
//! PRO-16 and PRO-17).

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Pid, getppid, test_kill_process};

use crate::contract::LIMITS;

/// The file that holds the ready line while the server runs.
#[derive(Debug)]
pub struct ReadyFile {
    path: PathBuf,
    line: String,
}

impl ReadyFile {
    /// Writes the line to the file (0600). The file has its name only when it is whole.
    pub fn write(path: &str, line: &str) -> std::io::Result<Self> {
        let path = PathBuf::from(path);
        let partial = path.with_added_extension("partial");
        match fs::remove_file(&partial) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&partial)?
            .write_all(line.as_bytes())?;
        fs::rename(&partial, &path)?;
        Ok(Self { path, line: line.to_owned() })
    }

    /// Removes the file, unless a later server has replaced it.
    pub fn remove(&self) {
        if fs::read(&self.path).is_ok_and(|text| text == self.line.as_bytes()) {
            // A file that cannot be removed names a process that has ended.
            drop(fs::remove_file(&self.path));
        }
    }
}

/// Resolves when the process with this id has ended; never for 0.
pub async fn process_ended(pid: u32) {
    let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) else {
        return std::future::pending().await;
    };
    // A dead parent that no process has waited for still has its id, but is no parent any more.
    let is_parent = getppid() == Some(pid);
    let mut tick = tokio::time::interval(Duration::from_millis(LIMITS.parent_watch_ms));
    loop {
        tick.tick().await;
        let is_gone = matches!(test_kill_process(pid), Err(Errno::SRCH));
        if is_gone || (is_parent && getppid() != Some(pid)) {
            return;
        }
    }
}
