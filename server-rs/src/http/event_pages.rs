//! Reads a page of events in the format of its answer (rules GET-01 and FMT-08).

use rusqlite::Connection;

use crate::formats::Format;
use crate::render::Page;
use crate::render::msgpack::MsgpackRows;
use crate::render::protobuf::ProtobufRows;
use crate::store::event_rows::{Cells, id_of, list_event_rows};
use crate::store::query::{EventFilter, list_events};

/// A page, and whether more rows follow.
pub(crate) struct EventPage {
    pub bytes: Vec<u8>,
    pub has_more: bool,
}

/// Reads up to `limit` rows. Formats that are sent page by page have no such page.
pub(crate) fn read_page(
    connection: &Connection,
    filter: &EventFilter,
    limit: u64,
    format: Format,
) -> rusqlite::Result<EventPage> {
    match format {
        Format::Msgpack => {
            let mut rows = MsgpackRows::default();
            let read = read_rows(connection, filter, limit, |cells| rows.push(cells))?;
            Ok(EventPage { bytes: rows.page(read.count, read.next), has_more: read.next.is_some() })
        }
        Format::Protobuf => {
            let mut rows = ProtobufRows::default();
            let read = read_rows(connection, filter, limit, |cells| rows.push(cells))?;
            Ok(EventPage { bytes: rows.page(read.next), has_more: read.next.is_some() })
        }
        Format::Json | Format::Ndjson | Format::Arrow => {
            let mut page = Page::new("events", "id", limit);
            list_events(connection, filter, limit + 1, |row| page.row(row))?;
            Ok(EventPage { has_more: page.has_more(), bytes: page.finish() })
        }
    }
}

/// How many rows a page has, and the cursor that continues it.
struct RowsRead {
    count: usize,
    next: Option<i64>,
}

fn read_rows(
    connection: &Connection,
    filter: &EventFilter,
    limit: u64,
    mut push: impl FnMut(&Cells<'_>),
) -> rusqlite::Result<RowsRead> {
    let (mut count, mut last, mut has_more) = (0, 0, false);
    list_event_rows(connection, filter, limit + 1, |cells| {
        // The row after the last only tells that there is more.
        has_more = count as u64 == limit;
        if !has_more {
            (count, last) = (count + 1, id_of(cells));
            push(cells);
        }
        Ok(!has_more)
    })?;
    Ok(RowsRead { count, next: has_more.then_some(last) })
}
