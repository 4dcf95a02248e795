//! Starts a twin-ingest server next to an app, finds its URL, and ends it with the app. Needs no window, so it is
//! tested without one.
//!
//! The server ends with the app in every case. Its standard input is a pipe that the kernel closes when the app dies
//! (`--exit-with-stdin`), also after kill -9.

use std::io::{BufRead, BufReader, Error, Result};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Name of the server's program in the bundle; `tauri build` strips the target triple.
pub const PROGRAM: &str = if cfg!(windows) { "ingest-server.exe" } else { "ingest-server" };

/// Exit code of a server whose database another server holds.
const IN_USE: i32 = 75;

/// A server drains within 5 s.
const DRAIN: Duration = Duration::from_secs(6);

/// A running server. It ends when this is dropped.
#[derive(Debug)]
pub struct Sidecar {
    child: Child,
    /// Base of all requests, such as `http://127.0.0.1:41234`.
    pub url: String,
    /// Opens one window with the dashboard, within five minutes; it contains no token.
    pub login_url: String,
    /// The file with the token, for the app's own requests.
    pub token_file: PathBuf,
}

impl Sidecar {
    /// Starts the server with its data in a folder of the app, and waits until it listens. After a crash of the app
    /// the old server may still drain; this waits for it.
    pub fn start(program: &Path, data: &Path) -> Result<Self> {
        let begun = Instant::now();
        loop {
            match Self::try_start(program, data)? {
                Ok(sidecar) => return Ok(sidecar),
                Err(status) if status.code() == Some(IN_USE) && begun.elapsed() < DRAIN => {
                    thread::sleep(Duration::from_millis(100));
                }
                // The exit code tells the reason: 65 the database is unusable, 2 a wrong flag.
                Err(status) => {
                    return Err(Error::other(format!("the server ended before it was ready; {status}")));
                }
            }
        }
    }

    /// Starts the server once; returns its exit status when it ends before it is ready.
    fn try_start(program: &Path, data: &Path) -> Result<std::result::Result<Self, ExitStatus>> {
        std::fs::create_dir_all(data)?;
        let token_file = data.join("token");
        let mut child = Command::new(program)
            .args(["--port", "0", "--exit-with-stdin", "--new-token", "--log-level", "warn"])
            .arg("--token-file")
            .arg(&token_file)
            .arg("--db")
            .arg(data.join("events.db"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        let output = child.stdout.take().ok_or_else(|| Error::other("no pipe"))?;
        BufReader::new(output).read_line(&mut line)?;
        let Some((url, login_url)) = urls_of(&line) else {
            drop(child.stdin.take());
            return Ok(Err(child.wait()?));
        };
        Ok(Ok(Self { child, url, login_url, token_file }))
    }

    /// Returns the process id of the server.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Ends the server: it answers what it has received, closes the database and exits with 0.
    pub fn stop(mut self) -> Result<ExitStatus> {
        self.end()
    }

    fn end(&mut self) -> Result<ExitStatus> {
        // Closes the pipe.
        drop(self.child.stdin.take());
        let begun = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            if begun.elapsed() > DRAIN {
                self.child.kill()?;
                return self.child.wait();
            }
            thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Sidecar {
    fn drop(&mut self) {
        drop(self.end());
    }
}

/// Returns the path of the server in the bundle: next to the app's own program.
pub fn bundled_program() -> Result<PathBuf> {
    let app = std::env::current_exe()?;
    Ok(app.with_file_name(PROGRAM))
}

/// Returns `url` and `login_url` of the ready line.
fn urls_of(line: &str) -> Option<(String, String)> {
    let ready: serde_json::Value = serde_json::from_str(line).ok()?;
    let text = |name: &str| ready.get(name)?.as_str().map(str::to_owned);
    Some((text("url")?, text("login_url")?))
}
