//! Lets one server at a time use a database (rule STO-02).
//!
//! `FILE.lock` is a SQLite file held in `BEGIN EXCLUSIVE`. SQLite's file locks work alike in both servers. The
//! operating system releases them when a process dies, so a crash leaves no stale lock.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, ErrorCode as SqliteCode};

use crate::store::connection::{OpenError, make_file};
use crate::store::owner::{read_owner, remove_owner};

/// The lock, held while the server runs.
#[derive(Debug)]
pub struct Lock {
    database: PathBuf,
    connection: Connection,
}

impl Lock {
    /// Takes the lock of a database, or reports that another server holds it.
    pub fn acquire(database: &Path) -> Result<Self, OpenError> {
        let path = lock_path(database);
        make_file(&path)?;
        let locked = |error: rusqlite::Error| refusal(database, &error);
        let connection = Connection::open(&path).map_err(locked)?;
        connection.execute_batch("PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE").map_err(locked)?;
        // After a crash the file still names a process that no longer holds the lock.
        remove_owner(database);
        Ok(Self { database: database.to_owned(), connection })
    }

    /// Releases the lock.
    pub fn release(self) {
        remove_owner(&self.database);
        // Closing the connection rolls back the empty transaction, whatever its result.
        drop(self.connection);
    }
}

/// Returns the error of a start without the lock; it names the server that holds the lock, if known (rule
/// STO-11).
fn refusal(database: &Path, error: &rusqlite::Error) -> OpenError {
    match error.sqlite_error_code() {
        Some(SqliteCode::DatabaseBusy) => OpenError::locked(database, read_owner(database).as_ref()),
        _ => OpenError::sqlite(database, error),
    }
}

fn lock_path(database: &Path) -> PathBuf {
    let mut path = database.as_os_str().to_owned();
    path.push(".lock");
    PathBuf::from(path)
}
