//! Creates a database with the schema (rule STO-10). `connection` refuses a file with another schema.
//!
//! Invariant: a new database has its name only when its schema is whole and synced. So a file of no bytes next to the
//! lock was cut, and is no database that a kill left (rule PRO-06).

use std::fs;
use std::path::Path;

use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

use crate::contract::flags::EXITS;
use crate::contract::{FILE_PRAGMAS, SCHEMA, SCHEMA_SQL};
use crate::store::connection::OpenError;
use crate::store::copy::{CopyError, abandon_copy, begin_file, finish_file};
use crate::store::sealed_texts::add_sealed_text_functions;
use crate::store::whole_texts::add_whole_text_functions;

/// Creates the database at `path` if the file is missing or has no bytes. Call it with the lock.
pub fn create_database(path: &Path) -> Result<(), OpenError> {
    match fs::metadata(path) {
        Ok(file) if file.len() > 0 => return Ok(()),
        Ok(_) => fs::remove_file(path).map_err(|error| OpenError::io(path, &error))?,
        Err(_) => {}
    }
    let failed = |error: CopyError| match error {
        CopyError::Source(error) => error,
        CopyError::Failed(code) => {
            OpenError::new(path, EXITS.database.unusable, &[("reason", code.as_str())])
        }
        CopyError::Exists => OpenError::new(path, EXITS.database.unusable, &[("reason", "exists")]),
    };
    let partial = begin_file(path).map_err(failed)?;
    let made = create_partial(&partial).and_then(|connection| connection.close().map_err(|(_, error)| error));
    let named = made.map_err(|error| OpenError::sqlite(path, &error));
    named.and_then(|()| finish_file(path).map_err(failed)).map(drop).inspect_err(|_| abandon_copy(path))
}

/// Creates the schema in the file of [`begin_file`], with the pragmas of a new file.
pub fn create_partial(partial: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(partial, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.execute_batch(FILE_PRAGMAS)?;
    create_schema(&connection)?;
    add_sealed_text_functions(&connection)?;
    add_whole_text_functions(&connection)?;
    Ok(connection)
}

/// Creates the schema in one transaction, unless the file has it.
pub fn create_schema(connection: &Connection) -> rusqlite::Result<()> {
    let found: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if found == SCHEMA.number {
        return Ok(());
    }
    let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
    transaction.execute_batch(SCHEMA_SQL)?;
    transaction.pragma_update(None, "user_version", SCHEMA.number)?;
    transaction.commit()
}
