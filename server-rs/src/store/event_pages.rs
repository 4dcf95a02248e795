//! Reads a page of events in the format of its answer (rules GET-01 and FMT-08).
//!
//! Invariant: a page reads one row more than it shows, which only shows whether more rows follow.

use rusqlite::Connection;

use crate::formats::Format;
use crate::render::Page;
use crate::render::msgpack::{MsgpackRows, msgpack_snapshot};
use crate::render::protobuf::{ProtobufRows, protobuf_snapshot};
use crate::render::snapshot::{SnapshotHead, render_snapshot};
use crate::render::stored::{StoredRow, stored_id_of};
use crate::store::event_rows::list_event_rows;
use crate::store::query::{EventFilter, list_events};

/// A page of events.
pub(crate) struct EventPage {
    pub bytes: Vec<u8>,
    /// Whether more rows follow.
    pub has_more: bool,
}

/// Reads up to `limit` rows. For formats in several pages only `store::exports` reads pages.
pub(crate) fn read_page(
    connection: &Connection,
    filter: &EventFilter,
    limit: u64,
    format: Format,
) -> rusqlite::Result<EventPage> {
    match format {
        Format::Msgpack => {
            let mut rows = MsgpackRows::default();
            let read = read_rows(connection, filter, limit, |row| rows.push(row))?;
            Ok(EventPage { bytes: rows.page(read.count, read.next), has_more: read.next.is_some() })
        }
        Format::Protobuf => {
            let mut rows = ProtobufRows::default();
            let read = read_rows(connection, filter, limit, |row| rows.push(row))?;
            Ok(EventPage { bytes: rows.page(read.next), has_more: read.next.is_some() })
        }
        Format::Json | Format::Ndjson | Format::Arrow => {
            let mut page = Page::new("events", "id", limit);
            list_events(connection, filter, limit + 1, |row| page.row(row))?;
            Ok(EventPage { has_more: page.has_more(), bytes: page.finish() })
        }
    }
}

/// Returns a snapshot whose data is a page in the same format, or JSON text.
pub(crate) fn page_snapshot(format: Format, head: &SnapshotHead<'_>, data: &[u8]) -> Vec<u8> {
    match format {
        Format::Msgpack => msgpack_snapshot(head, data),
        Format::Protobuf => protobuf_snapshot(head, data),
        Format::Json | Format::Ndjson | Format::Arrow => render_snapshot(head, data),
    }
}

/// Number of rows of a page, and the cursor that continues it.
struct RowsRead {
    count: usize,
    next: Option<i64>,
}

fn read_rows(
    connection: &Connection,
    filter: &EventFilter,
    limit: u64,
    mut push: impl FnMut(&StoredRow<'_>),
) -> rusqlite::Result<RowsRead> {
    let (mut count, mut last, mut has_more) = (0, 0, false);
    list_event_rows(connection, filter, limit + 1, |row| {
        has_more = count as u64 == limit;
        if !has_more {
            (count, last) = (count + 1, stored_id_of(row));
            push(row);
        }
        Ok(!has_more)
    })?;
    Ok(RowsRead { count, next: has_more.then_some(last) })
}
