//! Deletes events step by step, each step in one transaction (rules RET-04 to RET-06).
//!
//! Invariants: the numbers of events and attachments bound a step, so that no group waits long for it. Time does not, so
//! both servers assign the same ids. A row goes with or after its last attachment. A summary goes only when all of its
//! rows are deleted, so that no row is hidden. Keys of event ids stay (rule EVT-13). What a client deletes leaves all sums,
//! and names that nothing has any more; what the bounds delete does not (rule RET-06). Over 250
//! lines because both scopes share the rows that go with an event.

use std::collections::HashSet;

use rusqlite::{Connection, Row, params};

use crate::contract::LIMITS;
use crate::digest::Digest;
use crate::queries;
use crate::store::number_list::NumberList;
use crate::store::query::each;
use crate::store::row_sums::{delete_unused_names, subtract_rows};
use crate::store::sealed_texts::seal_again;
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
    /// The ids of names that lost a sum.
    unused: HashSet<i64>,
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

/// The attachments that the next step deletes, and the newest event that it may delete with them.
#[derive(Debug)]
pub struct Oldest {
    attachments: Vec<Reference>,
    /// Below the first event that keeps attachments.
    pub newest: i64,
}

/// The row of an attachment: its event, its name, and its content with the size in bytes.
type Reference = (i64, String, Digest, u64);

/// Returns the oldest events and attachments of a step: events up to `newest`, and at most `most` attachments. An event
/// with more attachments loses some of them in each step, and goes with the last ones.
pub fn oldest_of(connection: &Connection, newest: i64, most: i64) -> rusqlite::Result<Oldest> {
    let values = params![newest, most.saturating_add(1)];
    let mut attachments = references(connection, queries::SELECT_OLDEST_ATTACHMENTS, values)?;
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let newest = attachments.get(most).map_or(newest, |(event, ..)| event - 1);
    attachments.truncate(most);
    Ok(Oldest { attachments, newest })
}

/// Deletes the oldest events and attachments, and the rows that only these events refer to. `is_asked` is whether a client
/// asked for it.
pub fn delete_events(
    connection: &Connection,
    Oldest { attachments, newest }: Oldest,
    is_asked: bool,
) -> rusqlite::Result<Step> {
    let contents = delete_attachments(connection, attachments)?;
    let mut unused = HashSet::new();
    if is_asked {
        subtract_rows(connection, 0, newest, None, &mut unused)?;
    }
    let sessions = sessions_of(connection, newest)?;
    let run = |sql: &str| connection.prepare_cached(sql)?.execute([newest]);
    run(queries::DELETE_WHOLE_TEXTS)?;
    let events = run(queries::DELETE_EVENTS)? as u64;
    run(queries::DELETE_EVENT_TEXTS)?;
    run(queries::DELETE_SEALED_TEXTS)?;
    seal_again(connection, (newest + 1) / LIMITS.event_block_rows)?;
    run(queries::DELETE_EVENT_BLOCKS)?;
    run(queries::DELETE_EVENT_SPANS)?;
    connection.prepare_cached(queries::DELETE_OLD_STATS)?.execute([])?;
    run(queries::DELETE_OLD_SESSION_WAITS)?;
    delete_sessions(connection, queries::DELETE_OLD_SESSIONS, params![newest, sessions], &mut unused)?;
    if is_asked {
        delete_unused_names(connection, &unused)?;
    }
    Ok(Step { events, contents, ..Step::default() })
}

/// Deletes the next events of a session in whole blocks. It ends after `retention_step_blocks` of them, after
/// `deletion_step_events` events, `deletion_step_bytes` of metadata or `retention_step_attachments` attachments. `block` is
/// the first one to visit; the call moves it to the next one. The step after the last block deletes the session. `None` when no
/// session has this id.
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
    let (mut is_whole, mut bytes) = (true, 0);
    for id in &blocks {
        *block = *id;
        is_whole = step.events < LIMITS.deletion_step_events && bytes < LIMITS.deletion_step_bytes;
        // A sealed block is written again, so its bytes count, and those of any other one for equal steps.
        bytes += block_bytes(connection, *id)?;
        is_whole = is_whole && delete_block(connection, key, *id, true, &mut step)?;
        if !is_whole {
            break;
        }
        *block += 1;
    }
    if is_whole && (blocks.len() as u64) < LIMITS.retention_step_blocks {
        connection.prepare_cached(queries::DELETE_SESSION_WAITS)?.execute([key])?;
        delete_sessions(connection, queries::DELETE_SESSION, [key], &mut step.unused)?;
        step.is_last = true;
    }
    delete_unused_names(connection, &step.unused)?;
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
        for id in blocks_of(connection, key, from_block)?.into_iter().filter(|id| *id <= to_block) {
            delete_block(connection, key, id, false, &mut step)?;
        }
        delete_unused_names(connection, &step.unused)?;
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

/// Deletes the events of a session in a block. With `is_bounded` it returns `false`, and keeps them, when the step has
/// deleted as many attachments as it may.
fn delete_block(
    connection: &Connection,
    key: i64,
    id: i64,
    is_bounded: bool,
    step: &mut Step,
) -> rusqlite::Result<bool> {
    let most = if is_bounded { LIMITS.retention_step_attachments - step.contents.len() } else { usize::MAX };
    let values = params![key, id, i64::try_from(most).unwrap_or(i64::MAX)];
    let attachments = references(connection, queries::SELECT_SESSION_ATTACHMENTS, values)?;
    let is_full = attachments.len() >= most;
    step.contents.extend(delete_attachments(connection, attachments)?);
    if is_full {
        return Ok(false);
    }
    let first = id * LIMITS.event_block_rows;
    subtract_rows(connection, first, first + LIMITS.event_block_rows - 1, Some(key), &mut step.unused)?;
    connection.prepare_cached(queries::DELETE_SESSION_TEXTS)?.execute([key, id])?;
    connection.prepare_cached(queries::DELETE_SESSION_WHOLE_TEXTS)?.execute([key, id])?;
    step.events += connection.prepare_cached(queries::DELETE_SESSION_EVENTS)?.execute([key, id])? as u64;
    seal_again(connection, id)?;
    Ok(true)
}

/// Returns the bytes of the metadata of a block.
fn block_bytes(connection: &Connection, id: i64) -> rusqlite::Result<i64> {
    connection.prepare_cached(queries::SELECT_BLOCK_BYTES)?.query_row([id], |row| row.get(0))
}

/// Returns the keys of the sessions of the blocks up to that of an event, as a JSON array.
fn sessions_of(connection: &Connection, newest: i64) -> rusqlite::Result<String> {
    let mut keys = NumberList::default();
    each(connection, queries::SELECT_OLD_SESSIONS, [newest], |row| {
        keys.add_all(&NumberList::from_bytes(row.get_ref(0)?.as_blob()?));
        Ok(())
    })?;
    Ok(keys.to_json())
}

/// Runs a statement that deletes sessions; adds the ids of their names to `unused`.
fn delete_sessions(
    connection: &Connection,
    sql: &str,
    values: impl rusqlite::Params,
    unused: &mut HashSet<i64>,
) -> rusqlite::Result<()> {
    let of_row = |row: &Row<'_>| {
        for at in 0..4 {
            unused.extend(row.get::<_, Option<i64>>(at)?);
        }
        Ok(())
    };
    each(connection, sql, values, of_row).map(drop)
}

fn references(
    connection: &Connection,
    sql: &str,
    values: impl rusqlite::Params,
) -> rusqlite::Result<Vec<Reference>> {
    let read =
        |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get::<_, i64>(3)?.unsigned_abs()));
    connection.prepare_cached(sql)?.query_map(values, read)?.collect()
}

/// Deletes rows of attachments; returns their contents.
fn delete_attachments(
    connection: &Connection,
    attachments: Vec<Reference>,
) -> rusqlite::Result<Vec<(Digest, u64)>> {
    let mut delete = connection.prepare_cached(queries::DELETE_ATTACHMENT)?;
    let delete = |(event, name, sha256, size)| {
        delete.execute(params![event, name])?;
        Ok((sha256, size))
    };
    attachments.into_iter().map(delete).collect()
}
