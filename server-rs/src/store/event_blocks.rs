//! Summarises 256 rows: their names and sessions in two short lists, and their times. So a page with a rare filter reads
//! few blocks, and no column needs an index.
//!
//! Invariant: every number and every time that a row of a block has is in the block's summary, which the row's own
//! transaction writes. A superfluous number costs a read; a missing one would hide a row.

use rusqlite::{Connection, OptionalExtension, params};

use crate::contract::LIMITS;
use crate::queries;
use crate::store::event_spans::EventSpans;
use crate::store::number_list::NumberList;

/// The summary of the current block.
#[derive(Debug, Default)]
pub struct EventBlocks {
    current: Option<Block>,
    spans: EventSpans,
}

#[derive(Debug, Default)]
struct Block {
    id: i64,
    names: NumberList,
    sessions: NumberList,
    /// Of the rows that are not late.
    times: TimeRange,
    late_times: TimeRange,
}

/// The smallest and the largest of some times; `None` without one.
pub type TimeRange = Option<(i64, i64)>;

impl EventBlocks {
    /// Adds a row; `add_name` adds its other names.
    pub fn begin_row(
        &mut self,
        connection: &Connection,
        event_id: i64,
        agent_type: i64,
        session: i64,
    ) -> rusqlite::Result<()> {
        let id = event_id / LIMITS.event_block_rows;
        if self.current.as_ref().is_none_or(|block| block.id != id) {
            self.flush(connection)?;
            self.current = Some(Block::load(connection, id)?);
        }
        if let Some(block) = &mut self.current {
            block.names.add(agent_type)?;
            block.sessions.add(session)?;
        }
        Ok(())
    }

    /// Adds a name of the current row.
    pub fn add_name(&mut self, name: i64) -> rusqlite::Result<()> {
        if let Some(block) = &mut self.current {
            block.names.add(name)?;
        }
        Ok(())
    }

    /// Adds the time of the current row.
    pub fn add_time(&mut self, time: i64, is_late: bool) {
        if let Some(block) = &mut self.current {
            let range = if is_late { &mut block.late_times } else { &mut block.times };
            let (first, last) = range.unwrap_or((time, time));
            *range = Some((first.min(time), last.max(time)));
        }
    }

    /// Writes the current block, and its span.
    pub fn flush(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let Some(block) = &self.current else {
            return Ok(());
        };
        let mut upsert = connection.prepare_cached(queries::UPSERT_EVENT_BLOCK)?;
        let (first_time, last_time) = block.times.unzip();
        let (first_late, last_late) = block.late_times.unzip();
        upsert.execute(params![
            block.id,
            block.names.to_bytes(),
            block.sessions.to_bytes(),
            first_time,
            last_time,
            first_late,
            last_late,
        ])?;
        self.spans.add_block(connection, block.id, &block.names)
    }

    /// Drops the additions of a transaction that was rolled back.
    pub fn forget(&mut self) {
        self.current = None;
        self.spans.forget();
    }
}

impl Block {
    /// Loads the block, or creates an empty one.
    fn load(connection: &Connection, id: i64) -> rusqlite::Result<Self> {
        let mut select = connection.prepare_cached(queries::SELECT_EVENT_BLOCK)?;
        let found = select.query_row([id], |row| {
            let numbers = |column: usize| -> rusqlite::Result<NumberList> {
                Ok(NumberList::from_bytes(row.get_ref(column)?.as_blob()?))
            };
            let range = |column: usize| -> rusqlite::Result<TimeRange> {
                Ok(Option::zip(row.get(column)?, row.get(column + 1)?))
            };
            Ok(Self {
                id,
                names: numbers(0)?,
                sessions: numbers(1)?,
                times: range(2)?,
                late_times: range(4)?,
            })
        });
        Ok(found.optional()?.unwrap_or(Self { id, ..Self::default() }))
    }
}
