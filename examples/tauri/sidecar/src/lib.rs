//! Starts a twin-ingest server next to an app, finds its URL, and ends it with the app. Needs no window, so it is
//! tested without one.
//!
//! The server ends with the app in every case. Its standard input is a pipe that the kernel closes when the app dies
//! (`--exit-with-stdin`), also after kill -9.

use std::io::{BufRead, BufReader, Error, Result};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Name of the server's program in the bundle; `tauri build` strips the target triple.
pub const PROGRAM: &str = if cfg!(windows) { "ingest-server.exe" } else { "ingest-server" };

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
    /// Starts the server with its data in a folder of the app, and waits until it listens.
    pub fn start(program: &Path, data: &Path) -> Result<Self> {
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
        let ready = child.stdout.take().ok_or_else(|| Error::other("no pipe")).and_then(ready_line);
        let (url, login_url) = match ready {
            Ok(urls) => urls,
            Err(error) => {
                drop(child.stdin.take());
                // The exit code tells the reason: 65 the database is in use or unusable, 2 a wrong flag.
                return Err(Error::other(format!("{error}; {}", child.wait()?)));
            }
        };
        Ok(Self { child, url, login_url, token_file })
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

/// Returns `url` and `login_url` of the first line of the server's output.
fn ready_line(output: ChildStdout) -> Result<(String, String)> {
    let mut line = String::new();
    BufReader::new(output).read_line(&mut line)?;
    let ready: serde_json::Value =
        serde_json::from_str(&line).map_err(|_| Error::other("the server ended before it was ready"))?;
    let text = |name: &str| {
        let value = ready.get(name).and_then(serde_json::Value::as_str).map(str::to_owned);
        value.ok_or_else(|| Error::other(format!("the ready line has no {name}")))
    };
    Ok((text("url")?, text("login_url")?))
}
