//! Measures the table alone: inserts existing rows unchanged, with the rows that they refer to.
//!
//! It writes no event keys, no summaries, no sums and no session index. Invariant: the statement, the pragmas and the
//! rule for checkpoints are the server's. Reading the rows is not timed.

use std::path::Path;
use std::time::Instant;

use ingest_server::queries;
use ingest_server::store::checkpoint::Checkpointer;
use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, Statement, params, params_from_iter};

use crate::{Totals, cpu_time};

/// Number of groups that are read before they are inserted.
const CHUNK_GROUPS: usize = 8;

type Row = Vec<Value>;

/// Stores the rows of `stored`, `group` rows in a transaction.
pub(crate) fn store_rows(
    connection: &Connection,
    checkpointer: &mut Checkpointer,
    stored: &Path,
    group: usize,
) -> rusqlite::Result<Totals> {
    let source = Connection::open_with_flags(stored, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    for table in ["names", "sessions"] {
        copy_table(&source, connection, table)?;
    }
    let mut select = source.prepare(&select_rows())?;
    let mut totals = Totals::default();
    let mut after = Value::Integer(0);
    loop {
        let chunk = read_rows(&mut select, &after, CHUNK_GROUPS * group)?;
        let Some(last) = chunk.last() else { return Ok(totals) };
        after = last[0].clone();
        insert_rows(connection, checkpointer, &chunk, group, &mut totals)?;
    }
}

/// Selects rows whose values have the order of the insert's parameters.
fn select_rows() -> String {
    let columns = queries::INSERT_EVENT.split(['(', ')']).nth(1).unwrap_or("*");
    format!("SELECT {columns} FROM events WHERE id > ?1 ORDER BY id LIMIT ?2")
}

fn copy_table(source: &Connection, connection: &Connection, table: &str) -> rusqlite::Result<()> {
    let mut select = source.prepare(&format!("SELECT * FROM {table}"))?;
    let places = vec!["?"; select.column_count()].join(", ");
    let mut insert = connection.prepare(&format!("INSERT INTO {table} VALUES ({places})"))?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        insert.execute(params_from_iter(values_of(row)?))?;
    }
    Ok(())
}

fn read_rows(select: &mut Statement<'_>, after: &Value, count: usize) -> rusqlite::Result<Vec<Row>> {
    select.query_map(params![after, count as i64], values_of)?.collect()
}

fn values_of(row: &rusqlite::Row<'_>) -> rusqlite::Result<Row> {
    (0..row.as_ref().column_count()).map(|column| row.get(column)).collect()
}

/// Inserts the rows. Exactly this function is timed.
fn insert_rows(
    connection: &Connection,
    checkpointer: &mut Checkpointer,
    chunk: &[Row],
    group: usize,
    totals: &mut Totals,
) -> rusqlite::Result<()> {
    let (started, cpu) = (Instant::now(), cpu_time());
    let mut insert = connection.prepare_cached(queries::INSERT_EVENT)?;
    for rows in chunk.chunks(group) {
        connection.execute_batch("BEGIN IMMEDIATE")?;
        for row in rows {
            insert.execute(params_from_iter(row))?;
        }
        connection.execute_batch("COMMIT")?;
        checkpointer.after_group(connection)?;
    }
    totals.wall += started.elapsed();
    totals.cpu += cpu_time().saturating_sub(cpu);
    totals.events += chunk.len();
    totals.stored += chunk.len();
    Ok(())
}
