//! Classifies SQLite's result codes and file errors: the answer, and the server's state (rules STO-05, STO-06 and
//! PRO-06).
//!
//! Matches on codes, never on text. Knows nothing of HTTP.

use std::io::ErrorKind;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Mutex, PoisonError};

use tokio::sync::watch;

use crate::clock::Clock;
use crate::error::ErrorCode;
use crate::platform::is_out_of_descriptors;

/// Returns the code for an error of SQLite (<https://sqlite.org/rescode.html>).
pub fn store_code(error: &rusqlite::Error) -> ErrorCode {
    use rusqlite::ErrorCode as Sqlite;
    match error.sqlite_error_code() {
        Some(Sqlite::DiskFull) => ErrorCode::StorageFull,
        Some(Sqlite::ReadOnly | Sqlite::PermissionDenied) => ErrorCode::ReadOnly,
        // A file cannot be opened when descriptors run out; the watch detects a missing file (rule STO-06).
        Some(
            Sqlite::DatabaseBusy | Sqlite::DatabaseLocked | Sqlite::CannotOpen | Sqlite::OperationInterrupted,
        ) => ErrorCode::StorageBusy,
        Some(Sqlite::DatabaseCorrupt | Sqlite::NotADatabase) => ErrorCode::StorageCorrupt,
        Some(Sqlite::SystemIoFailure) => ErrorCode::StorageError,
        _ => ErrorCode::Internal,
    }
}

/// Returns the code for an error of an attachment's file. It has no effect on the database.
pub fn file_code(error: &std::io::Error) -> ErrorCode {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => ErrorCode::StorageFull,
        ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied => ErrorCode::ReadOnly,
        _ if is_out_of_descriptors(error) => ErrorCode::StorageBusy,
        _ => ErrorCode::StorageError,
    }
}

/// Returns the reason why a file or its folder cannot be used at a start: a word of its own, or the code.
pub fn file_reason(error: &std::io::Error) -> &'static str {
    match error.kind() {
        ErrorKind::NotFound => "not_found",
        ErrorKind::PermissionDenied => "permission_denied",
        // A folder cannot be created in place of a file.
        ErrorKind::NotADirectory | ErrorKind::AlreadyExists => "not_a_folder",
        ErrorKind::InvalidFilename => "too_long",
        _ => file_code(error).as_str(),
    }
}

/// Whether writes are possible, and the reason if not. Shared by the writer, the watch, the health answer and `main`.
#[derive(Debug)]
pub struct State {
    clock: Clock,
    /// 0: writes are possible; otherwise the code's index in [`ErrorCode::ALL`] plus one.
    writes: AtomicU8,
    /// The code of the last write if it failed, in the same form.
    last_write: AtomicU8,
    /// Whether the disk has no room for a write.
    disk_is_full: AtomicBool,
    /// The code of the last fault since the start, and its time in Unix milliseconds.
    last_fault: Mutex<Option<(ErrorCode, i64)>>,
    /// Set once when the process must end (exit 74).
    fatal: watch::Sender<Option<ErrorCode>>,
    /// Ensures that the log reports each change once.
    last_logged: Mutex<Option<ErrorCode>>,
}

impl State {
    /// Starts with writes that are possible.
    pub fn new(clock: Clock) -> Self {
        Self {
            clock,
            writes: AtomicU8::new(0),
            last_write: AtomicU8::new(0),
            disk_is_full: AtomicBool::new(false),
            last_fault: Mutex::new(None),
            fatal: watch::Sender::new(None),
            last_logged: Mutex::new(None),
        }
    }

    /// Returns the reason why writes are refused at once; `None` when they are tried.
    pub fn refusal(&self) -> Option<ErrorCode> {
        code_in(&self.writes)
    }

    /// Returns the reason why the server is not ready: why writes are refused, why the last write failed, or a full
    /// disk (rule HEA-02).
    pub fn fault(&self) -> Option<ErrorCode> {
        let full = || self.disk_is_full.load(Ordering::Acquire).then_some(ErrorCode::StorageFull);
        self.refusal().or_else(|| code_in(&self.last_write)).or_else(full)
    }

    /// Returns the code and the time of the last fault since the start.
    pub fn last_fault(&self) -> Option<(ErrorCode, i64)> {
        *self.last_fault.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a failed write.
    pub fn write_failed(&self, code: ErrorCode) {
        self.last_write.store(number_of(code), Ordering::Release);
        self.note_fault(code);
    }

    /// Records whether the disk has no room for a write. Writes are still tried: the log may have room.
    pub fn set_disk_full(&self, is_full: bool) {
        if !self.disk_is_full.swap(is_full, Ordering::AcqRel) && is_full {
            self.note_fault(ErrorCode::StorageFull);
        }
    }

    /// Records a write that succeeded.
    pub fn write_succeeded(&self) {
        // A load is cheaper than a store for the other threads that read it.
        if self.last_write.load(Ordering::Acquire) != 0 {
            self.last_write.store(0, Ordering::Release);
        }
    }

    /// Applies the consequence of a failed write. Some codes are temporary. Some make the server read-only
    /// until a probe succeeds; corruption makes it read-only permanently. An I/O error or a lost file ends
    /// the process.
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

    /// Allows writes again after a successful probe write.
    pub fn recover(&self) {
        self.write_succeeded();
        if !self.is_final() && self.writes.swap(0, Ordering::AcqRel) != 0 {
            tracing::info!("storage writes again");
            self.remember(None);
        }
    }

    /// Returns whether a probe may end the fault, or find one after a warning. On a full disk a probe
    /// proves nothing, because it needs less room than events.
    pub fn wants_probe(&self, has_warning: bool) -> bool {
        let is_full = self.disk_is_full.load(Ordering::Acquire);
        (has_warning || self.fault().is_some()) && !is_full && !self.is_final()
    }

    /// Returns a receiver that reports when the process must end.
    pub fn fatal(&self) -> watch::Receiver<Option<ErrorCode>> {
        self.fatal.subscribe()
    }

    fn note_fault(&self, code: ErrorCode) {
        let mut last = self.last_fault.lock().unwrap_or_else(PoisonError::into_inner);
        *last = Some((code, self.clock.now_ms()));
    }

    fn is_final(&self) -> bool {
        !matches!(self.refusal(), None | Some(ErrorCode::StorageFull | ErrorCode::ReadOnly))
    }

    fn refuse(&self, code: ErrorCode) {
        self.write_failed(code);
        self.writes.store(number_of(code), Ordering::Release);
        if self.remember(Some(code)) {
            tracing::error!(code = code.as_str(), "storage refuses writes");
        }
    }

    /// Remembers the code; returns whether it differs from the last logged one.
    fn remember(&self, code: Option<ErrorCode>) -> bool {
        let mut last = self.last_logged.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *last, code) != code
    }
}

fn number_of(code: ErrorCode) -> u8 {
    u8::try_from(code as usize + 1).unwrap_or(u8::MAX)
}

fn code_in(number: &AtomicU8) -> Option<ErrorCode> {
    let value = number.load(Ordering::Acquire);
    ErrorCode::ALL.get(usize::from(value).checked_sub(1)?).copied()
}
