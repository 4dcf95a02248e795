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
use crate::contract::flags::EXITS;
use crate::contract::{FILE_PRAGMAS, PRAGMAS, REPORTED_PRAGMAS, SCHEMA, TUNING, fill};
use crate::error::ErrorCode;
use crate::platform::private_file;
use crate::store::failure::{file_reason, store_code};
use crate::store::owner::Owner;
use crate::store::sealed_texts::add_sealed_text_functions;
use crate::store::text_search::add_text_function;
use crate::store::whole_texts::add_whole_text_functions;

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
        Self::of(EXITS.database.code, path, message, values)
    }

    /// Returns the error for a database that another server holds: pid and URL of that server, if known.
    pub(crate) fn locked(path: &Path, owner: Option<&Owner>) -> Self {
        let lock = &EXITS.lock;
        match owner {
            Some(Owner { pid, url }) => {
                Self::of(lock.code, path, lock.locked_by, &[("pid", &pid.to_string()), ("url", url)])
            }
            None => Self::of(lock.code, path, lock.locked, &[]),
        }
    }

    /// Returns the error for a new database whose stream cannot be read.
    pub(super) fn no_stream(path: &Path, stream: &str, host: &str, reason: &str) -> Self {
        let values = [("stream", stream), ("host", host), ("reason", reason)];
        Self::of(EXITS.cluster.code, path, EXITS.cluster.unavailable, &values)
    }

    fn of(exit: u8, path: &Path, message: &str, values: &[(&str, &str)]) -> Self {
        let path = path.display().to_string();
        let mut all = vec![("path", path.as_str())];
        all.extend_from_slice(values);
        Self { exit, message: fill(message, &all) }
    }

    pub(crate) fn sqlite(path: &Path, error: &rusqlite::Error) -> Self {
        if error.sqlite_error_code() == Some(rusqlite::ErrorCode::CannotOpen) {
            // A running server treats this error as temporary. At a start it is final.
            return Self::new(path, EXITS.database.unusable, &[("reason", ErrorCode::StorageError.as_str())]);
        }
        match store_code(error) {
            ErrorCode::StorageCorrupt => Self::new(path, EXITS.database.corrupt, &[]),
            ErrorCode::StorageBusy => Self::locked(path, None),
            code => Self::new(path, EXITS.database.unusable, &[("reason", code.as_str())]),
        }
    }

    pub(super) fn no_thread(path: &Path) -> Self {
        Self::new(path, EXITS.database.unusable, &[("reason", "no thread")])
    }

    pub(super) fn io(path: &Path, error: &std::io::Error) -> Self {
        Self::new(path, EXITS.database.unusable, &[("reason", file_reason(error))])
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
    // Half of them are the inserts of a writer (`event_insert`).
    connection.set_prepared_statement_cache_capacity(128);
    add_text_function(&connection)?;
    add_sealed_text_functions(&connection)?;
    add_whole_text_functions(&connection)?;
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

/// Returns the path of a file next to the database.
fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Returns whether a write-ahead log or a journal with content is next to the database.
fn has_log(path: &Path) -> bool {
    ["-wal", "-journal"]
        .iter()
        .any(|suffix| fs::metadata(beside(path, suffix)).is_ok_and(|log| log.len() > 0))
}

/// Checks a missing file, and a file of no bytes. Neither is a new database when files of a database are next to it: its
/// file was cut, or moved away without them. Call it before the lock is taken, which creates such a file.
pub(super) fn check_empty(path: &Path) -> Result<(), OpenError> {
    let refuse = |message: &str| Err(OpenError::new(path, message, &[]));
    match fs::metadata(path) {
        Err(_) if has_log(path) => refuse(EXITS.database.log_alone),
        Ok(file) if file.len() == 0 && has_log(path) => refuse(EXITS.database.empty_with_wal),
        Ok(file) if file.len() == 0 && is_claimed(path) => refuse(EXITS.database.empty),
        _ => Ok(()),
    }
}

/// Returns whether a server has used the database at this path.
fn is_claimed(path: &Path) -> bool {
    [".lock", ".attachments"].iter().any(|suffix| beside(path, suffix).symlink_metadata().is_ok())
}

/// Checks the file without opening the database: SQLite's header. A missing file and one of no bytes have none.
pub fn check_file(path: &Path) -> Result<(), OpenError> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(OpenError::io(path, &error)),
    };
    let mut header = Vec::new();
    file.by_ref().take(100).read_to_end(&mut header).map_err(|e| OpenError::io(path, &e))?;
    if header.is_empty() {
        return Ok(());
    }
    if !header.starts_with(b"SQLite format 3\0") || header.len() < 100 {
        return Err(OpenError::new(path, EXITS.database.not_sqlite, &[]));
    }
    Ok(())
}

/// Checks that the file is a database of these servers, without changing it.
pub(super) fn check_database(path: &Path) -> Result<(), OpenError> {
    check_sqlite(path)?;
    let size = fs::metadata(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => OpenError::new(path, EXITS.database.missing, &[]),
        _ => OpenError::io(path, &error),
    })?;
    check_empty(path)?;
    check_file(path)?;
    if size.len() == 0 {
        return Err(OpenError::new(path, EXITS.database.foreign, &[]));
    }
    check_schema(path)
}

/// Refuses a version of SQLite that can lose committed transactions (<https://sqlite.org/wal.html>, "the
/// WAL-reset bug").
pub fn check_sqlite(path: &Path) -> Result<(), OpenError> {
    let number = |text: &str| text.split('.').map(|part| part.parse().unwrap_or(0)).collect::<Vec<u32>>();
    let found = rusqlite::version();
    if number(found) < number(TUNING.sqlite_minimum) {
        return Err(OpenError::new(
            path,
            EXITS.database.old_sqlite,
            &[("found", found), ("known", TUNING.sqlite_minimum)],
        ));
    }
    Ok(())
}

/// Opens a database that a server may be using, without a change to the file and without a file that stays. A connection
/// that can write removes the files that it has made, as the last one that SQLite knows. It would also move a log into
/// the database, so next to a log the connection can only read.
pub(super) fn open_unchanged(path: &Path) -> rusqlite::Result<Connection> {
    let access =
        if has_log(path) { OpenFlags::SQLITE_OPEN_READ_ONLY } else { OpenFlags::SQLITE_OPEN_READ_WRITE };
    Connection::open_with_flags(path, access | OpenFlags::SQLITE_OPEN_NO_MUTEX)
}

/// Rolls back what a kill during the first start left. That start turns a journal of a new, copied or loaded file into a
/// write-ahead log. A read-only connection, as `check_schema` then has, cannot. Later the file has no journal.
pub(super) fn recover_journal(path: &Path) -> Result<(), OpenError> {
    if fs::metadata(beside(path, "-journal")).is_err() {
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
    let connection = open_unchanged(path).map_err(sqlite)?;
    let pragma = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let found = pragma("user_version").map_err(sqlite)?;
    let objects: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).map_err(sqlite)?;
    let application_id = pragma("application_id").map_err(sqlite)?;
    // A server that was killed before it created the schema leaves only a header.
    let is_new = application_id == 0 && found == 0 && objects == 0;
    if !is_new && application_id != APPLICATION_ID {
        return Err(OpenError::new(path, EXITS.database.foreign, &[]));
    }
    if is_new || found == SCHEMA.number { Ok(()) } else { Err(other_schema(path, found)) }
}

/// Returns the refusal of a file with another schema. For an older one it has the commands that convert the file.
fn other_schema(path: &Path, found: i64) -> OpenError {
    let exit = &EXITS.database;
    let message = if found > SCHEMA.number { exit.newer } else { exit.older };
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
