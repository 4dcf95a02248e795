//! Names the reason why a command of the server ends, with its exit code (rule PRO-15).

use std::path::Path;

use crate::contract::fill;
use crate::contract::flags::EXITS;
use crate::error::ErrorCode;
use crate::store::connection::OpenError;
use crate::store::copy::CopyError;
use crate::store::failure::{file_code, store_code};

/// The exit code, and a message for the user; an empty one prints nothing.
#[derive(Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "said above")]
pub struct CommandFailure {
    pub exit: u8,
    pub message: String,
}

impl CommandFailure {
    /// Returns a failure whose reason the output already states.
    pub fn silent(exit: u8) -> Self {
        Self { exit, message: String::new() }
    }

    /// Returns the failure of a copy to `target`.
    pub fn copy(error: CopyError, target: &Path) -> Self {
        match error {
            CopyError::Source(error) => error.into(),
            CopyError::Exists => Self::target(target, EXITS.target.exists, ""),
            CopyError::Failed(code) => Self::unwritable(target, code),
        }
    }

    /// Returns the failure of a file that cannot be written.
    pub fn unwritable(path: &Path, code: ErrorCode) -> Self {
        Self::target(path, EXITS.target.unwritable, code.as_str())
    }

    /// Returns the failure of standard output.
    pub fn output(error: &std::io::Error) -> Self {
        Self::unwritable(Path::new("stdout"), file_code(error))
    }

    /// Returns the failure of a read of the database at `path`.
    pub fn database(path: &Path, error: &rusqlite::Error) -> Self {
        OpenError::sqlite(path, error).into()
    }

    /// Returns the refusal of a line, counted from 1, with a message of `EXITS.dump`.
    pub fn line(line: u64, message: &str) -> Self {
        Self::of_dump(message, &[("line", &line.to_string())])
    }

    /// Returns the refusal of a dump as a whole.
    pub fn of_dump(message: &str, values: &[(&str, &str)]) -> Self {
        Self { exit: EXITS.dump.code, message: fill(message, values) }
    }

    fn target(path: &Path, message: &str, reason: &str) -> Self {
        let values = [("path", &*path.to_string_lossy()), ("reason", reason)];
        Self { exit: EXITS.target.code, message: fill(message, &values) }
    }
}

impl From<OpenError> for CommandFailure {
    fn from(OpenError { exit, message }: OpenError) -> Self {
        Self { exit, message }
    }
}

/// Returns the code of a failed write of the database that a load creates.
pub(super) fn write_code(error: &rusqlite::Error) -> Option<ErrorCode> {
    match store_code(error) {
        // The line is at fault.
        ErrorCode::Internal => None,
        code => Some(code),
    }
}
