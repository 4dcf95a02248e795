//! Computes the sums and summaries of a database again, from its events (rule BAK-06).
//!
//! One pass over the events, oldest first. The memory grows with the sessions and the names, not with the events.

use std::collections::{HashMap, HashSet};

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::contract::LIMITS;
use crate::field::Field;
use crate::queries;
use crate::store::event_key::EventKey;
use crate::store::event_keys::EventKeys;
use crate::store::stats::{ALL_TIME, EVERY_EVENT, open_hour};

/// Columns of `select_event_figures.sql`.
const EVENT_ID: usize = 3;
const DURATION: usize = 4;
const TOKENS: usize = 5;
const COSTS: usize = 9;
const NAMES: usize = 11;

/// The sums of a session: events, errors, four token counts, two costs.
pub(super) const SESSION_SUMS: usize = 8;
/// The sums of a name: events, calls, errors, durations, milliseconds, two token counts, two costs.
pub(super) const STATS_SUMS: usize = 9;

/// What the events say of a session.
#[derive(Default)]
pub(super) struct SessionCount {
    pub first_id: i64,
    pub last_id: i64,
    pub sums: [i64; SESSION_SUMS],
}

/// What the events of a database say.
#[derive(Default)]
pub(super) struct Recount {
    pub events: u64,
    pub names: HashSet<i64>,
    pub sessions: HashMap<i64, SessionCount>,
    /// The hour whose sums are not in those of all time.
    open_hour: i64,
    /// By hour, name and agent.
    pub stats: HashMap<(i64, i64, i64), [i64; STATS_SUMS]>,
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
        let name = |kind: &str, text: &str| -> rusqlite::Result<Option<i64>> {
            connection.query_row(queries::SELECT_NAME, params![kind, text], |row| row.get(0)).optional()
        };
        let (error, step) = (name("status", "error")?, name("event_type", "plan_step")?);
        let mut count = Self { open_hour: open_hour(connection)?, ..Self::default() };
        let mut keys = EventKeys::default();
        let mut lists =
            Lists { block: -1, names: HashSet::new(), sessions: HashSet::new(), span: -1, span_names: None };
        let mut select = connection.prepare(queries::SELECT_EVENT_FIGURES)?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            let (id, session): (i64, i64) = (row.get(0)?, row.get(2)?);
            let mut names = [None; Field::NAME_KINDS.len()];
            for (at, name) in names.iter_mut().enumerate() {
                *name = row.get(NAMES + at)?;
            }
            count.events += 1;
            count.names.extend(names.iter().flatten());
            count.add_sums(row, id, session, &names, error, step)?;
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
        }
        Ok(count)
    }

    fn add_sums(
        &mut self,
        row: &Row<'_>,
        id: i64,
        session: i64,
        names: &[Option<i64>],
        error: Option<i64>,
        step: Option<i64>,
    ) -> rusqlite::Result<()> {
        let number = |at: usize| row.get::<_, Option<i64>>(at);
        let of = |kind: Field| {
            names.get(Field::NAME_KINDS.iter().position(|known| *known == kind)?)?.as_ref().copied()
        };
        let is_error = i64::from(error.is_some() && of(Field::Status) == error);
        let is_step = step.is_some() && of(Field::EventType) == step;
        let agent = of(Field::AgentType).unwrap_or_default();
        let hour = row.get::<_, i64>(1)?.div_euclid(3_600_000) * 3600;
        let (duration, tokens) = (number(DURATION)?, [number(TOKENS)?, number(TOKENS + 1)?]);
        let tokens = tokens.map(Option::unwrap_or_default);
        let cached = [number(TOKENS + 2)?, number(TOKENS + 3)?].map(Option::unwrap_or_default);
        let costs = [number(COSTS)?, number(COSTS + 1)?].map(Option::unwrap_or_default);

        let of_session = self.sessions.entry(session).or_default();
        if of_session.first_id == 0 {
            of_session.first_id = id;
        }
        of_session.last_id = id;
        add(
            &mut of_session.sums,
            [1, is_error, tokens[0], tokens[1], cached[0], cached[1], costs[0], costs[1]],
        );

        let ids = self.hours.entry(hour).or_insert((id, id));
        *ids = (ids.0.min(id), ids.1.max(id));

        let figures = [
            1,
            0,
            is_error,
            i64::from(duration.is_some()),
            duration.unwrap_or_default(),
            tokens[0],
            tokens[1],
            costs[0],
            costs[1],
        ];
        let hours: &[i64] = if hour == self.open_hour { &[hour] } else { &[hour, ALL_TIME] };
        for &hour in hours {
            add(self.stats.entry((hour, EVERY_EVENT, agent)).or_default(), figures);
            for (kind, name) in Field::NAME_KINDS.into_iter().zip(names) {
                let Some(name) = name else { continue };
                let mut counted = figures;
                match kind {
                    Field::AgentType => continue,
                    Field::ToolName if is_step => counted = [1, 0, 0, 0, 0, 0, 0, 0, 0],
                    Field::ToolName => counted[1] = 1,
                    _ => {}
                }
                add(self.stats.entry((hour, *name, agent)).or_default(), counted);
            }
        }
        Ok(())
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

/// Adds figures; a sum stops at the largest integer (rule STA-06).
fn add<const N: usize>(sums: &mut [i64; N], figures: [i64; N]) {
    for (sum, figure) in sums.iter_mut().zip(figures) {
        *sum = sum.saturating_add(figure);
    }
}
