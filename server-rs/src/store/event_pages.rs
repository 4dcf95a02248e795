//! Reads a page of events in the format of its answer (rules GET-01 and FMT-08).
//!
//! Invariant: a page costs a bounded search, so it may have fewer rows than its limit (rule GET-12).

use rusqlite::Connection;

use crate::formats::Format;
use crate::render::Page;
use crate::render::msgpack::{MsgpackRows, msgpack_snapshot};
use crate::render::protobuf::{ProtobufRows, protobuf_snapshot};
use crate::render::snapshot::{SnapshotHead, render_snapshot};
use crate::store::event_rows::list_event_rows;
use crate::store::event_search::list_events;
use crate::store::query::EventFilter;

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
    let (bytes, reached) = match format {
        Format::Msgpack => {
            let mut rows = MsgpackRows::default();
            let reached = list_event_rows(connection, filter, limit, |row| {
                rows.push(row);
                Ok(true)
            })?;
            (rows.page(reached), reached)
        }
        Format::Protobuf => {
            let mut rows = ProtobufRows::default();
            let reached = list_event_rows(connection, filter, limit, |row| {
                rows.push(row);
                Ok(true)
            })?;
            (rows.page(reached), reached)
        }
        Format::Json | Format::Ndjson | Format::Arrow => {
            let mut page = Page::new("events");
            let reached = list_events(connection, filter, limit, |row| page.row(row))?;
            (page.finish(reached), reached)
        }
    };
    Ok(EventPage { bytes, has_more: reached.next.is_some() })
}

/// Returns a snapshot whose data is a page in the same format, or JSON text.
pub(crate) fn page_snapshot(format: Format, head: &SnapshotHead<'_>, data: &[u8]) -> Vec<u8> {
    match format {
        Format::Msgpack => msgpack_snapshot(head, data),
        Format::Protobuf => protobuf_snapshot(head, data),
        Format::Json | Format::Ndjson | Format::Arrow => render_snapshot(head, data),
    }
}
