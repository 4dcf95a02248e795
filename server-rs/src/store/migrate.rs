//! Brings a file to the newest schema by the steps of the contract (rule STO-10).
//!
//! Invariant: after a release a step never changes. All steps run in one transaction, so a file has its old schema or
//! the newest one, even after a kill in the middle.

use rusqlite::Connection;

/// Runs the steps that the file lacks. `steps[N - 1]` leads from schema N - 1 to N; a new file has schema 0.
pub fn migrate(connection: &Connection, steps: &[&str]) -> rusqlite::Result<()> {
    let found: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let missing = steps.get(usize::try_from(found).unwrap_or_default()..).unwrap_or_default();
    if missing.is_empty() {
        return Ok(());
    }
    let migrated = run_steps(connection, missing, steps.len());
    if migrated.is_err() && !connection.is_autocommit() {
        // The first error is the one to report; closing the connection rolls back as well.
        drop(connection.execute_batch("ROLLBACK"));
    }
    migrated
}

fn run_steps(connection: &Connection, steps: &[&str], version: usize) -> rusqlite::Result<()> {
    connection.execute_batch("BEGIN IMMEDIATE")?;
    for step in steps {
        connection.execute_batch(step)?;
    }
    connection.pragma_update(None, "user_version", version as i64)?;
    connection.execute_batch("COMMIT")
}
