//! Ties a server to the program that started it: a file that announces it, and the end of the program's process (rules
//! PRO-16 and PRO-17).

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::time::Duration;

use crate::contract::TUNING;
use crate::platform::{WatchedProcess, private_file};

/// The file that holds the ready line while the server runs.
#[derive(Debug)]
pub struct ReadyFile {
    path: PathBuf,
    line: String,
}

impl ReadyFile {
    /// Writes the line to the file (0600). The file has its name only when it is whole. Replaces only a regular file, so
    /// no device or pipe.
    pub fn write(path: &str, line: &str) -> std::io::Result<Self> {
        let path = PathBuf::from(path);
        if fs::metadata(&path).is_ok_and(|found| !found.is_file()) {
            return Err(ErrorKind::AlreadyExists.into());
        }
        let partial = path.with_added_extension("partial");
        match fs::remove_file(&partial) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        private_file().open(&partial)?.write_all(line.as_bytes())?;
        fs::rename(&partial, &path).inspect_err(|_| drop(fs::remove_file(&partial)))?;
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
    let Some(mut process) = WatchedProcess::new(pid) else {
        return std::future::pending().await;
    };
    let mut tick = tokio::time::interval(Duration::from_millis(TUNING.parent_watch_ms));
    loop {
        tick.tick().await;
        if process.has_ended() {
            return;
        }
    }
}
