//! The schema of a file, brought up to date: all of it for a new file, the steps of the contract for an older one, and
//! what SQL alone cannot move.
//!
//! What must stay true: a step that was published never changes; a file is at its old version or at the newest,
//! never in between, so that a server that is killed meanwhile starts again from the same file.

use std::path::Path;

use rusqlite::Connection;

use crate::contract::{MIGRATIONS, SCHEMA, SCHEMA_VERSION, queries};
use crate::store::connection::OpenError;
use crate::store::event_keys::EventKeys;

/// The step behind which keys are moved by code.
const SORTED_KEYS: i64 = 2;

/// Brings the schema up from a version, 0 being a new file, in one transaction, and looks at the end of the table.
pub fn migrate(connection: &Connection, path: &Path, found: i64) -> Result<(), OpenError> {
    let sqlite = |error: rusqlite::Error| OpenError::sqlite(path, &error);
    if found < SCHEMA_VERSION
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
    if found == 0 {
        connection.execute_batch(SCHEMA)?;
    } else {
        for (step, sql) in (2..).zip(MIGRATIONS).filter(|(step, _)| *step > found) {
            connection.execute_batch(sql)?;
            if step == SORTED_KEYS {
                EventKeys::take_over(connection)?;
            }
        }
    }
    connection.pragma_update(None, "user_version", SCHEMA_VERSION)?;
    connection.execute_batch("COMMIT")
}
