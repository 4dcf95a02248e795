//! The schema of a file, brought up to date: the steps of the contract, and what SQL alone cannot move.
//!
//! What must stay true: a step that was published never changes; a file is at its old version or at the newest,
//! never in between, so that a server that is killed meanwhile starts again from the same file.

use std::path::Path;

use rusqlite::Connection;

use crate::contract::{MIGRATIONS, queries};
use crate::store::connection::OpenError;
use crate::store::event_keys::EventKeys;

/// The step behind which keys are moved by code.
const SORTED_KEYS: i64 = 2;

/// Brings the schema up from a version, all steps in one transaction, and looks at the end of the table.
pub fn migrate(connection: &Connection, path: &Path, found: i64) -> Result<(), OpenError> {
    let sqlite = |error: rusqlite::Error| OpenError::sqlite(path, &error);
    if found < MIGRATIONS.len() as i64
        && let Err(error) = migrate_from(connection, found)
    {
        // What a failed step left open must not stay so; the first error is the one to tell.
        drop(connection.execute_batch("ROLLBACK"));
        return Err(sqlite(error));
    }
    connection.query_row(queries::SELECT_LAST_EVENT_ID, [], |row| row.get::<_, i64>(0)).map_err(sqlite)?;
    Ok(())
}

fn migrate_from(connection: &Connection, found: i64) -> rusqlite::Result<()> {
    connection.execute_batch("BEGIN IMMEDIATE")?;
    for (step, sql) in (1..).zip(MIGRATIONS).skip(usize::try_from(found).unwrap_or(0)) {
        connection.execute_batch(sql)?;
        if step == SORTED_KEYS {
            EventKeys::take_over(connection)?;
        }
        connection.pragma_update(None, "user_version", step)?;
    }
    connection.execute_batch("COMMIT")
}
