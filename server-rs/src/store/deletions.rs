//! Deletes events step by step, each step in one transaction (rules RET-04 to RET-06).
//!
//! Invariants: a step is bounded, so that no group waits long for it. A step deletes a row together with its
//! attachments. It deletes a summary only when all of its rows are deleted, so that no row is hidden. Keys of
//! event ids stay (rule EVT-13).

use rusqlite::{Connection, Row, params};

use crate::contract::LIMITS;
use crate::digest::Digest;
use crate::queries;
use crate::store::sessions::find_session;

/// The events that a deletion covers.
#[derive(Debug, Clone)]
pub enum Scope {
    /// Events with an id below this.
    Before(i64),
    /// A session and its events.
    Session(String),
}

/// The effect of a step.
#[derive(Debug, Default)]
pub struct Step {
    /// Number of deleted events.
    pub events: u64,
    /// Contents of deleted attachments, and their sizes in bytes.
    pub contents: Vec<(Digest, u64)>,
    /// Whether nothing is left to delete.
    pub is_last: bool,
}

/// Returns the newest id of the oldest events that a step may delete: at most `most` events with an id below `below`.
/// With `before` they must be older than this (Unix milliseconds). `None` when there is none.
pub fn deletion_bound(
    connection: &Connection,
    below: i64,
    most: u64,
    before: Option<i64>,
) -> rusqlite::Result<Option<i64>> {
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let mut select = connection.prepare_cached(queries::SELECT_DELETION_BOUND)?;
    select.query_row(params![below, most, before], |row| row.get(0))
}

/// Deletes the events up to an id, and the rows that only these events refer to.
pub fn delete_events(connection: &Connection, newest: i64) -> rusqlite::Result<Step> {
    let run = |sql: &str| connection.prepare_cached(sql)?.execute([newest]);
    let contents = contents_of(connection, queries::DELETE_ATTACHMENTS, params![newest])?;
    let events = run(queries::DELETE_EVENTS)? as u64;
    run(queries::DELETE_EVENT_BLOCKS)?;
    run(queries::DELETE_EVENT_SPANS)?;
    if run(queries::DELETE_HOURS)? > 0 {
        connection.prepare_cached(queries::DELETE_HOUR_STATS)?.execute([])?;
    }
    run(queries::DELETE_OLD_SESSION_WAITS)?;
    run(queries::DELETE_OLD_SESSIONS)?;
    Ok(Step { events, contents, is_last: false })
}

/// Deletes the events of a session in its next blocks. `block` is the first one to visit; the call moves it behind the
/// last one. The step after the last block deletes the session. `None` when no session has this id.
pub fn delete_session(
    connection: &Connection,
    session_id: &str,
    block: &mut i64,
) -> rusqlite::Result<Option<Step>> {
    let Some(key) = find_session(connection, session_id)? else {
        return Ok(None);
    };
    let blocks = blocks_of(connection, key, *block)?;
    let mut step = Step::default();
    delete_blocks(connection, key, &blocks, &mut step)?;
    if let Some(last) = blocks.last() {
        *block = last + 1;
    }
    if (blocks.len() as u64) < LIMITS.retention_step_blocks {
        connection.prepare_cached(queries::DELETE_SESSION_WAITS)?.execute([key])?;
        connection.prepare_cached(queries::DELETE_SESSION)?.execute([key])?;
        step.is_last = true;
    }
    Ok(Some(step))
}

/// Deletes the events of a session in the blocks of one step, from `from_block` to `to_block` (rule CLU-11). Without a
/// `to_block` it deletes all further events and the session. `None` when nothing is there.
pub fn delete_session_blocks(
    connection: &Connection,
    session_id: &str,
    from_block: i64,
    to_block: Option<i64>,
) -> rusqlite::Result<Option<Step>> {
    if let Some(to_block) = to_block {
        let Some(key) = find_session(connection, session_id)? else { return Ok(None) };
        let mut step = Step::default();
        let mut blocks = blocks_of(connection, key, from_block)?;
        blocks.retain(|id| *id <= to_block);
        delete_blocks(connection, key, &blocks, &mut step)?;
        return Ok((step.events > 0).then_some(step));
    }
    let (mut block, mut all) = (from_block, Step::default());
    while let Some(step) = delete_session(connection, session_id, &mut block)? {
        all.events += step.events;
        all.contents.extend(step.contents);
        if step.is_last {
            all.is_last = true;
            break;
        }
    }
    Ok(all.is_last.then_some(all))
}

/// Returns the blocks of the next step of the deletion of a session; `None` when no session has this id.
pub fn session_blocks(
    connection: &Connection,
    session_id: &str,
    block: i64,
) -> rusqlite::Result<Option<Vec<i64>>> {
    find_session(connection, session_id)?.map(|key| blocks_of(connection, key, block)).transpose()
}

fn blocks_of(connection: &Connection, key: i64, block: i64) -> rusqlite::Result<Vec<i64>> {
    let most = i64::try_from(LIMITS.retention_step_blocks).unwrap_or(i64::MAX);
    let mut select = connection.prepare_cached(queries::SELECT_SESSION_BLOCKS)?;
    select.query_map(params![key, block, most], |row| row.get(0))?.collect()
}

fn delete_blocks(connection: &Connection, key: i64, blocks: &[i64], step: &mut Step) -> rusqlite::Result<()> {
    for id in blocks {
        let values = params![key, id];
        step.contents.extend(contents_of(connection, queries::DELETE_SESSION_ATTACHMENTS, values)?);
        step.events += connection.prepare_cached(queries::DELETE_SESSION_EVENTS)?.execute(values)? as u64;
    }
    Ok(())
}

fn contents_of(
    connection: &Connection,
    sql: &str,
    values: impl rusqlite::Params,
) -> rusqlite::Result<Vec<(Digest, u64)>> {
    let content = |row: &Row<'_>| Ok((row.get(0)?, row.get::<_, i64>(1)?.unsigned_abs()));
    connection.prepare_cached(sql)?.query_map(values, content)?.collect()
}
