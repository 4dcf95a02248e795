//! Creates the schema in an empty file (rule STO-10). `connection` refuses a file with another schema.

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::contract::{SCHEMA, SCHEMA_SQL};

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
