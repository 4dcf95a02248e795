//! Reads events in several pages, in NDJSON and Arrow (rule FMT-09).
//!
//! Invariants: each page is a read of its own, a bounded search, and may have no rows (rule GET-12). No row has an id above the newest id at the
//! start of the export.

use arrow_schema::ArrowError;
use rusqlite::Connection;

use crate::contract::LIMITS;
use crate::field::COLUMNS;
use crate::formats::Format;
use crate::render::arrow::{ArrowPage, ArrowPages};
use crate::render::ndjson::{ndjson_head, ndjson_row};
use crate::render::snapshot::SnapshotHead;
use crate::render::stored::stored_metadata_of;
use crate::store::event_rows::list_event_rows;
use crate::store::event_search::{Columns, search_events};
use crate::store::query::{EventFilter, NO_BOUND, Order};

/// The events of an export that are not read yet.
pub(crate) struct Export {
    filter: EventFilter,
    /// Number of rows that may still follow.
    left: u64,
    /// NDJSON text that precedes the rows of the next page.
    lines: Vec<u8>,
    /// `None` for NDJSON.
    arrow: Option<Box<ArrowPages>>,
}

/// A page of an export.
pub(crate) struct ExportPage {
    pub bytes: Vec<u8>,
    /// Whether another page follows.
    pub is_followed: bool,
}

impl Export {
    /// Exports up to `limit` events with ids up to `newest`; a snapshot starts with its head.
    pub(crate) fn new(
        mut filter: EventFilter,
        newest: i64,
        limit: u64,
        format: Format,
        head: Option<&SnapshotHead<'_>>,
    ) -> rusqlite::Result<Self> {
        filter.below = filter.below.min(newest.saturating_add(1)).min(NO_BOUND);
        let (lines, arrow) = if format == Format::Arrow {
            (Vec::new(), Some(Box::new(ArrowPages::new(head).map_err(fault)?)))
        } else {
            (head.map(ndjson_head).unwrap_or_default(), None)
        };
        Ok(Self { filter, left: limit, lines, arrow })
    }

    /// Reads the next page.
    pub(crate) fn read(&mut self, connection: &Connection) -> rusqlite::Result<ExportPage> {
        let asked = self.left.min(LIMITS.export_page_rows);
        let mut page = PageRead::default();
        let (bytes, next) = match &mut self.arrow {
            None => {
                let lines = &mut self.lines;
                let reached =
                    search_events(connection, Columns::Readable, &self.filter, asked, &mut |row| {
                        ndjson_row(lines, row)?;
                        let metadata = row.get_ref(METADATA_COLUMN)?.as_bytes().map_or(0, <[u8]>::len);
                        Ok(page.note(metadata))
                    })?;
                (std::mem::take(lines), reached.next)
            }
            Some(arrow) => {
                let mut rows = ArrowPage::default();
                let reached = list_event_rows(connection, &self.filter, asked, |row| {
                    rows.row(row);
                    Ok(page.note(stored_metadata_of(row).len()))
                })?;
                arrow.push(rows).map_err(fault)?;
                if page.rows == self.left || reached.next.is_none() {
                    arrow.finish().map_err(fault)?;
                }
                (arrow.take(), reached.next)
            }
        };
        self.left -= page.rows;
        match (next, self.filter.order) {
            (None, _) => self.left = 0,
            (Some(next), Order::NewestFirst) => self.filter.below = next,
            (Some(next), Order::OldestFirst) => self.filter.above = next,
        }
        Ok(ExportPage { bytes, is_followed: self.left > 0 })
    }
}

/// The metadata is the last column of `events_readable`.
const METADATA_COLUMN: usize = COLUMNS.len() - 1;

/// The current state of a page.
#[derive(Default)]
struct PageRead {
    rows: u64,
    metadata_bytes: usize,
}

impl PageRead {
    /// Counts a row; returns whether the page has room for another one.
    fn note(&mut self, metadata_bytes: usize) -> bool {
        self.rows += 1;
        self.metadata_bytes += metadata_bytes;
        self.metadata_bytes < LIMITS.export_page_bytes
    }
}

/// Converts an error of Arrow, which is an internal error of this server.
fn fault(error: ArrowError) -> rusqlite::Error {
    rusqlite::Error::ToSqlConversionFailure(Box::new(error))
}
