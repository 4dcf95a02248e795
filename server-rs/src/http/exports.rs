//! Sends events page by page in NDJSON and Arrow (rule FMT-09).
//!
//! Invariants: one page is in memory at a time; each page is a read of its own, which holds no reader while the client
//! is slow; the rows end with the newest id of the beginning.

use std::sync::Arc;

use arrow_schema::ArrowError;
use axum::body::Body;
use bytes::Bytes;
use futures_util::stream;
use rusqlite::Connection;

use crate::app::App;
use crate::contract::LIMITS;
use crate::error::ErrorCode;
use crate::field::COLUMNS;
use crate::formats::Format;
use crate::render::SnapshotParts;
use crate::render::arrow::{ArrowPage, ArrowPages};
use crate::render::ndjson::{ndjson_head, ndjson_row};
use crate::store::cost::Cost;
use crate::store::event_rows::{Cell, id_of, list_event_rows};
use crate::store::query::{EventFilter, NO_BOUND, Order, list_events_until};

/// Events that are yet to be sent.
pub(crate) struct Export {
    filter: EventFilter,
    left: u64,
    lines: Vec<u8>,
    /// `None` in NDJSON.
    arrow: Option<Box<ArrowPages>>,
}

impl Export {
    /// Up to `limit` events up to the id `newest`; of a snapshot with what it is of.
    pub(crate) fn new(
        mut filter: EventFilter,
        newest: i64,
        limit: u64,
        format: Format,
        snapshot: Option<&SnapshotParts<'_>>,
    ) -> rusqlite::Result<Self> {
        filter.below = filter.below.min(newest.saturating_add(1)).min(NO_BOUND);
        let (lines, arrow) = if format == Format::Arrow {
            (Vec::new(), Some(Box::new(ArrowPages::new(snapshot).map_err(fault)?)))
        } else {
            (snapshot.map(ndjson_head).unwrap_or_default(), None)
        };
        Ok(Self { filter, left: limit, lines, arrow })
    }

    /// The bytes of the next page, and whether another follows.
    pub(crate) fn read(&mut self, connection: &Connection) -> rusqlite::Result<(Vec<u8>, bool)> {
        let asked = self.left.min(LIMITS.export_page_rows);
        let mut page = PageRead::default();
        let bytes = match &mut self.arrow {
            None => {
                let lines = &mut self.lines;
                list_events_until(connection, &self.filter, asked, |row| {
                    ndjson_row(lines, row)?;
                    Ok(page
                        .note(row.get(0)?, row.get_ref(METADATA_COLUMN)?.as_bytes().map_or(0, <[u8]>::len)))
                })?;
                std::mem::take(lines)
            }
            Some(arrow) => {
                let mut rows = ArrowPage::default();
                list_event_rows(connection, &self.filter, asked, |cells| {
                    rows.row(cells);
                    let metadata = if let Some(Cell::Json(text)) = cells.last() { text.len() } else { 0 };
                    Ok(page.note(id_of(cells), metadata))
                })?;
                arrow.push(rows).map_err(fault)?;
                if !page.is_followed(asked, self.left) {
                    arrow.finish().map_err(fault)?;
                }
                arrow.take()
            }
        };
        let is_followed = page.is_followed(asked, self.left);
        self.left -= page.rows;
        match self.filter.order {
            Order::NewestFirst => self.filter.below = page.last,
            Order::OldestFirst => self.filter.above = page.last,
        }
        Ok((bytes, is_followed))
    }

    /// The body that begins with this page and reads the others when the client takes them.
    pub(crate) fn into_body(self, app: &Arc<App>, cost: Cost, first: (Vec<u8>, bool)) -> Body {
        let state = State { app: Arc::clone(app), export: self, cost };
        let (bytes, is_followed) = first;
        let pages = stream::try_unfold((Some(bytes), is_followed.then_some(state)), |(ready, rest)| async {
            match (ready, rest) {
                (Some(bytes), rest) => Ok(Some((Bytes::from(bytes), (None, rest)))),
                (None, None) => Ok(None),
                (None, Some(state)) => {
                    let (bytes, rest) = state.next().await?;
                    Ok::<_, PageFailed>(Some((bytes.into(), (None, rest))))
                }
            }
        });
        Body::from_stream(pages)
    }
}

/// The last column of a row of `events_readable` is the metadata.
const METADATA_COLUMN: usize = COLUMNS.len() - 1;

/// What a page has so far.
#[derive(Default)]
struct PageRead {
    rows: u64,
    last: i64,
    metadata_bytes: usize,
}

impl PageRead {
    /// Notes a row; whether the page goes on behind it.
    fn note(&mut self, id: i64, metadata_bytes: usize) -> bool {
        self.rows += 1;
        self.last = id;
        self.metadata_bytes += metadata_bytes;
        !self.is_full()
    }

    fn is_full(&self) -> bool {
        self.metadata_bytes >= LIMITS.export_page_bytes
    }

    /// Whether another page may follow one for which so many rows were asked, of so many that were left.
    fn is_followed(&self, asked: u64, left: u64) -> bool {
        self.rows < left && (self.rows == asked || self.is_full())
    }
}

struct State {
    app: Arc<App>,
    export: Export,
    cost: Cost,
}

impl State {
    async fn next(self) -> Result<(Vec<u8>, Option<Self>), ErrorCode> {
        let Self { app, mut export, cost } = self;
        let page = app.store.read_aside(cost, move |connection| {
            let (bytes, is_followed) = export.read(connection)?;
            Ok((bytes, is_followed, export))
        });
        let (bytes, is_followed, export) = page.await?;
        Ok((bytes, is_followed.then_some(Self { app, export, cost })))
    }
}

/// A page that could not be read: the connection ends before the end of the body.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.as_str())]
struct PageFailed(ErrorCode);

impl From<ErrorCode> for PageFailed {
    fn from(code: ErrorCode) -> Self {
        Self(code)
    }
}

/// What Arrow refuses is a fault of ours.
fn fault(error: ArrowError) -> rusqlite::Error {
    rusqlite::Error::ToSqlConversionFailure(Box::new(error))
}
