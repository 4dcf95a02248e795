//! Decides what result codes of SQLite and errors of files mean for the answer and for the server's state (rules STO-05, STO-06 and PRO-06).
//!
//! Matches on codes, never on text. Knows nothing of HTTP.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, Ordering};

use rustix::io::Errno;
use tokio::sync::watch;

use crate::error::ErrorCode;

/// The code that stands for an error of SQLite (<https://sqlite.org/rescode.html>).
pub fn store_code(error: &rusqlite::Error) -> ErrorCode {
    use rusqlite::ErrorCode as Sqlite;
    match error.sqlite_error_code() {
        Some(Sqlite::DiskFull) => ErrorCode::StorageFull,
        Some(Sqlite::ReadOnly | Sqlite::PermissionDenied) => ErrorCode::ReadOnly,
        // A file cannot be opened when descriptors are short; one that is gone is found by the watch (rule STO-06).
        Some(Sqlite::DatabaseBusy | Sqlite::DatabaseLocked | Sqlite::CannotOpen) => ErrorCode::StorageBusy,
        Some(Sqlite::DatabaseCorrupt | Sqlite::NotADatabase) => ErrorCode::StorageCorrupt,
        Some(Sqlite::SystemIoFailure) => ErrorCode::StorageError,
        _ => ErrorCode::Internal,
    }
}

/// The code that stands for an error of an attachment's file. It has no consequence for the database.
pub fn file_code(error: &std::io::Error) -> ErrorCode {
    match Errno::from_io_error(error) {
        Some(Errno::NOSPC | Errno::DQUOT | Errno::FBIG) => ErrorCode::StorageFull,
        Some(Errno::ROFS | Errno::ACCESS | Errno::PERM) => ErrorCode::ReadOnly,
        // Descriptors are short.
        Some(Errno::MFILE | Errno::NFILE) => ErrorCode::StorageBusy,
        _ => ErrorCode::StorageError,
    }
}

/// Whether writes are possible, and if not, why. Shared by the writer, the watch, the health answer and `main`.
#[derive(Debug)]
pub struct State {
    /// 0: writes are fine; else one more than the code's place in [`ErrorCode::ALL`].
    writes: AtomicU8,
    /// Set once when the process has to end (exit 74).
    fatal: watch::Sender<Option<ErrorCode>>,
    /// The log says each change once.
    last_logged: Mutex<Option<ErrorCode>>,
}

impl Default for State {
    fn default() -> Self {
        Self { writes: AtomicU8::new(0), fatal: watch::Sender::new(None), last_logged: Mutex::new(None) }
    }
}

impl State {
    /// Why writes are refused at once; `None` when they are tried.
    pub fn refusal(&self) -> Option<ErrorCode> {
        let value = self.writes.load(Ordering::Acquire);
        ErrorCode::ALL.get(usize::from(value).checked_sub(1)?).copied()
    }

    /// Draws the consequence of a failed write: some codes pass, some make the server read-only until a probe
    /// succeeds, corruption does so for good, and an I/O error or a lost file ends the process.
    pub fn note(&self, code: ErrorCode) {
        match code {
            ErrorCode::StorageFull | ErrorCode::ReadOnly if !self.is_final() => self.refuse(code),
            ErrorCode::StorageCorrupt => self.refuse(code),
            ErrorCode::StorageError | ErrorCode::StorageLost => {
                self.refuse(code);
                self.fatal.send_replace(Some(code));
            }
            _ => {}
        }
    }

    /// A probe write succeeded: writes are possible again.
    pub fn recover(&self) {
        if !self.is_final() && self.writes.swap(0, Ordering::AcqRel) != 0 {
            tracing::info!("storage writes again");
            self.remember(None);
        }
    }

    /// A refusal that a probe may end.
    pub fn wants_probe(&self) -> bool {
        matches!(self.refusal(), Some(ErrorCode::StorageFull | ErrorCode::ReadOnly))
    }

    /// Tells when the process has to end.
    pub fn fatal(&self) -> watch::Receiver<Option<ErrorCode>> {
        self.fatal.subscribe()
    }

    fn is_final(&self) -> bool {
        self.refusal().is_some() && !self.wants_probe()
    }

    fn refuse(&self, code: ErrorCode) {
        let place = ErrorCode::ALL.iter().position(|known| *known == code).unwrap_or_default();
        self.writes.store(u8::try_from(place + 1).unwrap_or(u8::MAX), Ordering::Release);
        if self.remember(Some(code)) {
            tracing::error!(code = code.as_str(), "storage refuses writes");
        }
    }

    /// Whether this differs from what was logged last.
    fn remember(&self, code: Option<ErrorCode>) -> bool {
        let mut last = self.last_logged.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        std::mem::replace(&mut *last, code) != code
    }
}
