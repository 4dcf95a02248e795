//! Computes the sums and summaries of a database again, from its events (rule BAK-06).
//!
//! One pass over the events, oldest first. The memory grows with the sessions and the names, not with the events.

use std::collections::{HashMap, HashSet};

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row};

use crate::contract::LIMITS;
use crate::queries;
use crate::store::event_key::EventKey;
use crate::store::event_keys::EventKeys;
use crate::store::row_sums::{RowSums, figures_of, names_of, time_of_row};

/// Columns of `select_event_figures.sql`.
const EVENT_ID: usize = 3;
const LATE: usize = 4;

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
    /// Number of events that are late and do not say so, or the reverse.
    pub wrong_order: u64,
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
    times: Times,
    span: i64,
    /// `None` matches any name.
    span_names: Option<HashSet<i64>>,
    span_times: Times,
}

/// The times that a summary has: first those of rows that are not late, then those of late rows.
#[derive(Default)]
struct Times([(Option<i64>, Option<i64>); 2]);

impl Times {
    /// Reads the four columns of a summary from this one on.
    fn read(row: &Row<'_>, at: usize) -> rusqlite::Result<Self> {
        Ok(Self([(row.get(at)?, row.get(at + 1)?), (row.get(at + 2)?, row.get(at + 3)?)]))
    }

    /// Returns whether the times have that of a row. The newest span has every time.
    fn has(&self, time: i64, is_late: bool) -> bool {
        let within = |(first, last): (Option<i64>, Option<i64>)| {
            first.is_some_and(|first| first <= time) && last.is_some_and(|last| time <= last)
        };
        within(self.0[usize::from(is_late)]) || within(self.0[0])
    }
}

impl Recount {
    /// Reads every event.
    pub(super) fn read(connection: &Connection) -> rusqlite::Result<Self> {
        let mut count = Self { sums: RowSums::new(connection)?, ..Self::default() };
        let mut keys = EventKeys::default();
        let mut lists = Lists {
            block: -1,
            names: HashSet::new(),
            sessions: HashSet::new(),
            times: Times::default(),
            span: -1,
            span_names: None,
            span_times: Times::default(),
        };
        let mut last_time = i64::MIN;
        figures_of(connection, 0, i64::MAX, None, |row| {
            let (id, session): (i64, i64) = (row.get(0)?, row.get(2)?);
            let names = names_of(row)?;
            count.events += 1;
            count.names.extend(names.iter().flatten());
            count.sums.add(row)?;
            count.add_ids(id, session);
            let (time, is_late): (i64, bool) = (time_of_row(row)?, row.get(LATE)?);
            // A deleted row may have been later than this one.
            count.wrong_order += u64::from(time < last_time && !is_late);
            last_time = if is_late { last_time } else { time };
            lists.load(connection, id)?;
            let in_block = |name: &i64| lists.names.contains(name);
            let is_listed = names.iter().flatten().all(in_block)
                && lists.sessions.contains(&session)
                && lists.times.has(time, is_late);
            count.missing_in_blocks += u64::from(!is_listed);
            let in_span = |name: &i64| lists.span_names.as_ref().is_none_or(|known| known.contains(name));
            let is_in_span = names.iter().flatten().all(in_span) && lists.span_times.has(time, is_late);
            count.missing_in_spans += u64::from(!is_in_span);
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

    fn add_ids(&mut self, id: i64, session: i64) {
        let of_session = self.sessions.entry(session).or_default();
        if of_session.first_id == 0 {
            of_session.first_id = id;
        }
        of_session.last_id = id;
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
            let lists = (numbers(row.get_ref(0)?.as_blob()?), numbers(row.get_ref(1)?.as_blob()?));
            Ok((lists.0, lists.1, Times::read(row, 2)?))
        });
        (self.names, self.sessions, self.times) = found.optional()?.unwrap_or_default();
        let span = block / LIMITS.event_span_blocks;
        if span != self.span {
            self.span = span;
            let mut select = connection.prepare_cached(queries::SELECT_EVENT_SPAN)?;
            let found = select.query_row([span], |row| {
                Ok((row.get_ref(0)?.as_blob_or_null()?.map(numbers), Times::read(row, 1)?))
            });
            let none = || (Some(HashSet::new()), Times::default());
            (self.span_names, self.span_times) = found.optional()?.unwrap_or_else(none);
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
