//! Computes the sums and summaries of a database again, from its events (rule BAK-06).
//!
//! One pass over the events, oldest first. The memory grows with the sessions and the names, not with the events.

use std::collections::{HashMap, HashSet};

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension};

use crate::contract::LIMITS;
use crate::queries;
use crate::store::event_key::EventKey;
use crate::store::event_keys::EventKeys;
use crate::store::row_sums::{RowSums, figures_of, hour_of_row, names_of};

/// Column of `select_event_figures.sql`.
const EVENT_ID: usize = 3;

/// The ids of the first and the last event of a session.
#[derive(Default)]
pub(super) struct SessionCount {
    pub first_id: i64,
    pub last_id: i64,
}

/// What the events of a database say.
#[derive(Default)]
pub(super) struct Recount {
    pub events: u64,
    pub names: HashSet<i64>,
    pub sessions: HashMap<i64, SessionCount>,
    pub sums: RowSums,
    /// The first and the last id of each hour.
    pub hours: HashMap<i64, (i64, i64)>,
    /// Number of events whose block, span or keys lack them.
    pub missing_in_blocks: u64,
    pub missing_in_spans: u64,
    pub missing_keys: u64,
}

/// The lists of the current block, and of its span.
struct Lists {
    block: i64,
    names: HashSet<i64>,
    sessions: HashSet<i64>,
    span: i64,
    /// `None` matches any name.
    span_names: Option<HashSet<i64>>,
}

impl Recount {
    /// Reads every event.
    pub(super) fn read(connection: &Connection) -> rusqlite::Result<Self> {
        let mut count = Self { sums: RowSums::new(connection)?, ..Self::default() };
        let mut keys = EventKeys::default();
        let mut lists =
            Lists { block: -1, names: HashSet::new(), sessions: HashSet::new(), span: -1, span_names: None };
        figures_of(connection, 0, i64::MAX, None, |row| {
            let (id, session): (i64, i64) = (row.get(0)?, row.get(2)?);
            let names = names_of(row)?;
            count.events += 1;
            count.names.extend(names.iter().flatten());
            count.sums.add(row)?;
            count.add_ids(hour_of_row(row)?, id, session);
            lists.load(connection, id)?;
            let in_block = |name: &i64| lists.names.contains(name);
            let is_listed = names.iter().flatten().all(in_block) && lists.sessions.contains(&session);
            count.missing_in_blocks += u64::from(!is_listed);
            let in_span = |name: &i64| lists.span_names.as_ref().is_none_or(|known| known.contains(name));
            count.missing_in_spans += u64::from(!names.iter().flatten().all(in_span));
            let key = match row.get_ref(EVENT_ID)? {
                ValueRef::Blob(bytes) => bytes.try_into().ok().map(EventKey::Uuid),
                ValueRef::Text(text) => std::str::from_utf8(text).ok().map(EventKey::Text),
                _ => None,
            };
            if let Some(key) = key {
                keys.load(connection)?;
                count.missing_keys += u64::from(keys.insert(connection, key.bits())?);
            }
            Ok(())
        })?;
        Ok(count)
    }

    fn add_ids(&mut self, hour: i64, id: i64, session: i64) {
        let of_session = self.sessions.entry(session).or_default();
        if of_session.first_id == 0 {
            of_session.first_id = id;
        }
        of_session.last_id = id;
        let ids = self.hours.entry(hour).or_insert((id, id));
        *ids = (ids.0.min(id), ids.1.max(id));
    }
}

impl Lists {
    /// Loads the lists of the block and of the span of an event.
    fn load(&mut self, connection: &Connection, id: i64) -> rusqlite::Result<()> {
        let block = id / LIMITS.event_block_rows;
        if block == self.block {
            return Ok(());
        }
        self.block = block;
        let mut select = connection.prepare_cached(queries::SELECT_EVENT_BLOCK)?;
        let found = select.query_row([block], |row| {
            Ok((numbers(row.get_ref(0)?.as_blob()?), numbers(row.get_ref(1)?.as_blob()?)))
        });
        (self.names, self.sessions) = found.optional()?.unwrap_or_default();
        let span = block / LIMITS.event_span_blocks;
        if span != self.span {
            self.span = span;
            let mut select = connection.prepare_cached(queries::SELECT_EVENT_SPAN)?;
            let found = select.query_row([span], |row| Ok(row.get_ref(0)?.as_blob_or_null()?.map(numbers)));
            self.span_names = found.optional()?.unwrap_or_else(|| Some(HashSet::new()));
        }
        Ok(())
    }
}

/// Decodes a list of a summary.
fn numbers(bytes: &[u8]) -> HashSet<i64> {
    bytes
        .chunks_exact(4)
        .map(|four| four.iter().fold(0, |number, byte| number << 8 | i64::from(*byte)))
        .collect()
}
