//! Summarises 256 rows: their names and sessions in two short lists. So a page with a rare filter reads few blocks,
//! and no column needs an index.
//!
//! Invariant: every number that a row of a block has is in the block's summary, which the row's own transaction
//! writes. A superfluous number costs a read; a missing one would hide a row.

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
}

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

    /// Writes the current block, and its span.
    pub fn flush(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let Some(block) = &self.current else {
            return Ok(());
        };
        let mut upsert = connection.prepare_cached(queries::UPSERT_EVENT_BLOCK)?;
        upsert.execute(params![block.id, block.names.to_bytes(), block.sessions.to_bytes()])?;
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
            Ok(Self { id, names: numbers(0)?, sessions: numbers(1)? })
        });
        Ok(found.optional()?.unwrap_or(Self { id, ..Self::default() }))
    }
}
