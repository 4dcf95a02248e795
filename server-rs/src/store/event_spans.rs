//! Summarises 256 blocks: their names in one list, so that a page with a rare filter does not read the summary of
//! every block.
//!
//! Invariant: every name of a block is in its span, which the block's own transaction writes, unless the span matches
//! any name. A superfluous name costs a read; a missing one would hide rows.

use rusqlite::{Connection, OptionalExtension, params};

use crate::contract::LIMITS;
use crate::queries;
use crate::store::number_list::NumberList;

/// The summary of the current span.
#[derive(Debug, Default)]
pub struct EventSpans {
    current: Option<Span>,
}

#[derive(Debug)]
struct Span {
    id: i64,
    /// `None` matches any name.
    names: Option<NumberList>,
}

impl EventSpans {
    /// Adds the names of a block, each time they change; writes the block's span when the span gains a name.
    pub fn add_block(
        &mut self,
        connection: &Connection,
        block: i64,
        names: &NumberList,
    ) -> rusqlite::Result<()> {
        let id = block / LIMITS.event_span_blocks;
        let span = match &mut self.current {
            Some(span) if span.id == id => span,
            current => {
                connection.prepare_cached(queries::UPDATE_SPAN_TIMES)?.execute([id])?;
                current.insert(Span::load(connection, id)?)
            }
        };
        let Some(known) = &mut span.names else {
            return Ok(());
        };
        if known.add_all(names) {
            if known.count() > LIMITS.event_span_names {
                span.names = None;
            }
            let bytes = span.names.as_ref().map(NumberList::to_bytes);
            connection.prepare_cached(queries::UPSERT_EVENT_SPAN)?.execute(params![id, bytes])?;
        }
        Ok(())
    }

    /// Drops the additions of a transaction that was rolled back.
    pub fn forget(&mut self) {
        self.current = None;
    }
}

impl Span {
    /// Loads the span, or creates an empty one.
    fn load(connection: &Connection, id: i64) -> rusqlite::Result<Self> {
        let mut select = connection.prepare_cached(queries::SELECT_EVENT_SPAN)?;
        let found =
            select.query_row([id], |row| Ok(row.get_ref(0)?.as_blob_or_null()?.map(NumberList::from_bytes)));
        Ok(Self { id, names: found.optional()?.unwrap_or_else(|| Some(NumberList::default())) })
    }
}
