//! Checks the database file before opening it, and opens connections with the contract's pragmas (rules STO-01 and
//! PRO-06).
//!
//! Invariants: every connection has the pragmas of the contract. An unusable file is an [`OpenError`] with its path
//! and a remedy, never a fresh database (rule PRO-06). Over 250 lines because every way to open the file is here.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags};

use crate::config::Durability;
use crate::config::spec::exit_message;
use crate::contract::{FILE_PRAGMAS, LIMITS, PRAGMAS, REPORTED_PRAGMAS, SCHEMA};
use crate::error::ErrorCode;
use crate::platform::private_file;
use crate::store::failure::{file_reason, store_code};
use crate::store::owner::Owner;
use crate::store::text_search::add_text_function;

/// The reason why the server cannot start on this database: the exit code and a message for the user.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct OpenError {
    /// The process's exit code.
    pub exit: u8,
    /// One line: the path and a remedy.
    pub message: String,
}

impl OpenError {
    /// Returns an error with a message of `exits.database` in `config.json`.
    pub(crate) fn new(path: &Path, message: &str, values: &[(&str, &str)]) -> Self {
        Self::of("database", path, message, values)
    }

    /// Returns the error for a database that another server holds: pid and URL of that server, if known.
    pub(crate) fn locked(path: &Path, owner: Option<&Owner>) -> Self {
        match owner {
            Some(Owner { pid, url }) => {
                Self::of("lock", path, "locked_by", &[("pid", &pid.to_string()), ("url", url)])
            }
            None => Self::of("lock", path, "locked", &[]),
        }
    }

    /// Returns the error for a new database whose stream cannot be read.
    pub(super) fn no_stream(path: &Path, stream: &str, host: &str, reason: &str) -> Self {
        Self::of("cluster", path, "unavailable", &[("stream", stream), ("host", host), ("reason", reason)])
    }

    fn of(exit: &str, path: &Path, message: &str, values: &[(&str, &str)]) -> Self {
        let path = path.display().to_string();
        let mut all = vec![("path", path.as_str())];
        all.extend_from_slice(values);
        let (exit, message) = exit_message(exit, message, &all);
        Self { exit, message }
    }

    pub(crate) fn sqlite(path: &Path, error: &rusqlite::Error) -> Self {
        if error.sqlite_error_code() == Some(rusqlite::ErrorCode::CannotOpen) {
            // A running server treats this error as temporary. At a start it is final.
            return Self::new(path, "unusable", &[("reason", ErrorCode::StorageError.as_str())]);
        }
        match store_code(error) {
            ErrorCode::StorageCorrupt => Self::new(path, "corrupt", &[]),
            ErrorCode::StorageBusy => Self::locked(path, None),
            code => Self::new(path, "unusable", &[("reason", code.as_str())]),
        }
    }

    pub(super) fn no_thread(path: &Path) -> Self {
        Self::new(path, "unusable", &[("reason", "no thread")])
    }

    pub(super) fn io(path: &Path, error: &std::io::Error) -> Self {
        Self::new(path, "unusable", &[("reason", file_reason(error))])
    }
}

/// Options of a connection. Two connections with equal options access the same file in the same way.
#[derive(Debug, Clone)]
pub struct ConnectionOptions {
    /// The database file.
    pub path: PathBuf,
    /// `synchronous`, the one pragma that a flag decides.
    pub durability: Durability,
}

/// Opens a connection with the pragmas of the contract.
pub fn open_connection(options: &ConnectionOptions) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    configure(Connection::open_with_flags(&options.path, flags)?, options)
}

/// Opens the writing connection, which also creates the file's first page.
pub fn open_writer(options: &ConnectionOptions) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(&options.path, flags)?;
    connection.execute_batch(FILE_PRAGMAS)?;
    configure(connection, options)
}

fn configure(connection: Connection, options: &ConnectionOptions) -> rusqlite::Result<Connection> {
    connection.execute_batch(PRAGMAS)?;
    let synchronous = match options.durability {
        Durability::Process => "NORMAL",
        Durability::Power => "FULL",
    };
    connection.pragma_update(None, "synchronous", synchronous)?;
    connection.set_prepared_statement_cache_capacity(64);
    add_text_function(&connection)?;
    Ok(connection)
}

/// Number of cached pages during a single pass over the file.
const SMALL_CACHE_PAGES: i64 = 64;

/// Runs a read that passes once through much of the file, without caching the passed pages.
pub(super) fn with_small_cache<T>(
    connection: &Connection,
    read: impl FnOnce() -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let usual: i64 = connection.pragma_query_value(None, "cache_size", |row| row.get(0))?;
    connection.pragma_update(None, "cache_size", SMALL_CACHE_PAGES)?;
    let found = read();
    connection.pragma_update(None, "cache_size", usual)?;
    found
}

/// Returns SQLite's compile options, sorted by bytes (rule HEA-01).
pub fn compile_options(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare("PRAGMA compile_options")?;
    let mut options = statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<_>>>()?;
    options.sort_unstable();
    Ok(options)
}

/// Returns the effective value of each reported pragma (rule HEA-01); only this server changes them afterwards.
pub fn reported_pragmas(connection: &Connection) -> rusqlite::Result<Vec<(&'static str, Value)>> {
    let ask = |name: &&'static str| Ok((*name, connection.pragma_query_value(None, name, |row| row.get(0))?));
    REPORTED_PRAGMAS.iter().map(ask).collect()
}

/// Creates the file (0600) if it is missing (rule STO-09).
pub(super) fn make_file(path: &Path) -> Result<(), OpenError> {
    match private_file().open(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(OpenError::io(path, &error)),
    }
}

/// Checks the file without opening the database: SQLite's header, and an empty file next to a log.
pub fn check_file(path: &Path) -> Result<(), OpenError> {
    let mut wal = path.as_os_str().to_owned();
    wal.push("-wal");
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(OpenError::io(path, &error)),
    };
    let mut header = Vec::new();
    file.by_ref().take(100).read_to_end(&mut header).map_err(|e| OpenError::io(path, &e))?;
    if header.is_empty() {
        let log = fs::metadata(&wal).map_or(0, |metadata| metadata.len());
        return if log > 0 { Err(OpenError::new(path, "empty_with_wal", &[])) } else { Ok(()) };
    }
    if !header.starts_with(b"SQLite format 3\0") || header.len() < 100 {
        return Err(OpenError::new(path, "not_sqlite", &[]));
    }
    Ok(())
}

/// Checks that the file is a database of these servers, without changing it.
pub(super) fn check_database(path: &Path) -> Result<(), OpenError> {
    check_sqlite(path)?;
    check_file(path)?;
    match fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(OpenError::new(path, "missing", &[]));
        }
        Ok(file) if file.len() == 0 => return Err(OpenError::new(path, "foreign", &[])),
        _ => {}
    }
    check_schema(path)
}

/// Refuses a version of SQLite that can lose committed transactions (<https://sqlite.org/wal.html>, "the
/// WAL-reset bug").
pub fn check_sqlite(path: &Path) -> Result<(), OpenError> {
    let number = |text: &str| text.split('.').map(|part| part.parse().unwrap_or(0)).collect::<Vec<u32>>();
    let found = rusqlite::version();
    if number(found) < number(&LIMITS.sqlite_minimum) {
        return Err(OpenError::new(
            path,
            "old_sqlite",
            &[("found", found), ("known", &LIMITS.sqlite_minimum)],
        ));
    }
    Ok(())
}

/// Rolls back what a kill during the creation of the file left. A read-only connection, as `check_schema` has, cannot.
/// Later the file has a write-ahead log instead of a journal.
pub(super) fn recover_journal(path: &Path) -> Result<(), OpenError> {
    let mut journal = path.as_os_str().to_owned();
    journal.push("-journal");
    if fs::metadata(&journal).is_err() {
        return Ok(());
    }
    Connection::open(path)
        .and_then(|connection| {
            connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0))
        })
        .map(drop)
        .map_err(|error| OpenError::sqlite(path, &error))
}

/// Refuses another program's database and another schema, without changing the file.
pub(super) fn check_schema(path: &Path) -> Result<(), OpenError> {
    // No other process writes to it, since this server holds the lock.
    if fs::metadata(path).map_err(|error| OpenError::io(path, &error))?.len() == 0 {
        return Ok(());
    }
    let sqlite = |error: rusqlite::Error| OpenError::sqlite(path, &error);
    // Closing such a connection leaves the write-ahead log as it is.
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(sqlite)?;
    let pragma = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let found = pragma("user_version").map_err(sqlite)?;
    let objects: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).map_err(sqlite)?;
    let application_id = pragma("application_id").map_err(sqlite)?;
    // A server that was killed before it created the schema leaves only a header.
    let is_new = application_id == 0 && found == 0 && objects == 0;
    if !is_new && application_id != APPLICATION_ID {
        return Err(OpenError::new(path, "foreign", &[]));
    }
    if is_new || found == SCHEMA.number { Ok(()) } else { Err(other_schema(path, found)) }
}

/// Returns the refusal of a file with another schema. For an older one it has the commands that convert the file.
fn other_schema(path: &Path, found: i64) -> OpenError {
    let message = if found > SCHEMA.number { "newer" } else { "older" };
    let file = path.to_string_lossy();
    let values = [
        ("found", found.to_string()),
        ("known", SCHEMA.number.to_string()),
        ("file", shell_word(&file)),
        ("dump", shell_word(&format!("{file}.ndjson"))),
        ("new", shell_word(&format!("{file}.{}", SCHEMA.number))),
    ];
    OpenError::new(path, message, &values.each_ref().map(|(name, value)| (*name, value.as_str())))
}

/// Returns a text as one word of a POSIX shell.
fn shell_word(text: &str) -> String {
    if text.chars().all(|c| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c)) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// `application_id` of the schema: "TWIN" in ASCII.
const APPLICATION_ID: i64 = 0x5457_494E;
