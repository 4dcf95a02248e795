//! Lets one server at a time use a database (rule STO-02).
//!
//! `FILE.lock` is a SQLite file that is held in `BEGIN EXCLUSIVE`. SQLite's own file locks work alike in both
//! servers, and the operating system releases them when a process dies, so a crash leaves nothing stale.

use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::store::connection::{OpenError, make_file};

/// Held for as long as the server runs.
#[derive(Debug)]
pub struct Lock {
    connection: Connection,
}

impl Lock {
    /// Takes the lock of a database, or says that another server has it.
    pub fn acquire(database: &Path) -> Result<Self, OpenError> {
        let path = lock_path(database);
        make_file(&path)?;
        let locked = |error: rusqlite::Error| OpenError::sqlite(database, &error);
        let connection = Connection::open(&path).map_err(locked)?;
        connection.execute_batch("PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE").map_err(locked)?;
        Ok(Self { connection })
    }

    /// Gives the lock back.
    pub fn release(self) {
        // Closing the connection rolls the empty transaction back, whatever it answers.
        drop(self.connection);
    }
}

fn lock_path(database: &Path) -> PathBuf {
    let mut path = database.as_os_str().to_owned();
    path.push(".lock");
    PathBuf::from(path)
}
