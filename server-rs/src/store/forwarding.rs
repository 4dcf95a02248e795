//! Remembers how far events were forwarded, and reads the next ones (rules FWD-02 to FWD-05).
//!
//! The cursor is a row of `meta` for each receiver. Invariant: it never passes an event that the receiver has neither
//! acknowledged nor refused. So a crash repeats events, and the receiver recognises them by `event_id`.

use std::borrow::Cow;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use rusqlite::{Connection, OptionalExtension, params};

use crate::contract::{LIMITS, TUNING};
use crate::event_time::EventTimes;
use crate::field::COLUMNS;
use crate::mapping::event_id::hashed_id;
use crate::queries;
use crate::render::msgpack::MsgpackRows;
use crate::render::stored::{StoredRow, StoredValue, stored_id_of, stored_metadata_of};
use crate::store::event_rows::list_event_rows;
use crate::store::query::{EventFilter, NO_BOUND, Order, count_since};

const EVENT_ID: usize = place("event_id");
const CLIENT_TIMESTAMP: usize = place("client_timestamp");
const ARRIVED_AT: usize = place("arrived_at");
const CREATED_AT: usize = place("created_at");
const METADATA_BYTES: usize = place("metadata_bytes");
const METADATA: usize = place("metadata");

/// The progress towards one receiver. The forwarder raises it, and the writer stores it.
#[derive(Debug)]
pub struct ForwardCursor {
    url: String,
    acknowledged: AtomicI64,
    /// The value in the database.
    stored: AtomicI64,
    /// The newest id up to which retention has deleted events.
    deleted: AtomicI64,
    lost: AtomicU64,
}

impl ForwardCursor {
    /// Creates the cursor of a receiver with this URL.
    pub fn new(url: &str) -> Self {
        Self {
            url: url.to_owned(),
            acknowledged: AtomicI64::new(0),
            stored: AtomicI64::new(0),
            deleted: AtomicI64::new(0),
            lost: AtomicU64::new(0),
        }
    }

    /// Reads the cursor from the database, and keeps the origin of made ids (rule FWD-04).
    pub fn load(&self, connection: &Connection) -> rusqlite::Result<()> {
        connection.execute(queries::INSERT_FORWARD_ORIGIN, [])?;
        let mut select = connection.prepare(queries::SELECT_FORWARD_CURSOR)?;
        let found: Option<i64> = select.query_row([&self.url], |row| row.get(0)).optional()?;
        self.acknowledged.store(found.unwrap_or(0), Ordering::Relaxed);
        self.stored.store(found.unwrap_or(0), Ordering::Relaxed);
        Ok(())
    }

    /// Stores the cursor if it has risen. The writer calls it once a second, so that a batch costs no transaction.
    pub fn save(&self, connection: &Connection) -> rusqlite::Result<()> {
        let id = self.acknowledged();
        if id == self.stored.load(Ordering::Relaxed) {
            return Ok(());
        }
        connection.prepare_cached(queries::UPSERT_FORWARD_CURSOR)?.execute(params![self.url, id])?;
        self.stored.store(id, Ordering::Relaxed);
        Ok(())
    }

    /// Returns the id up to which the receiver has every event.
    pub fn acknowledged(&self) -> i64 {
        self.acknowledged.load(Ordering::Relaxed)
    }

    /// Raises the cursor.
    pub fn acknowledge(&self, id: i64) {
        self.acknowledged.store(id, Ordering::Relaxed);
    }

    /// Returns the number of ids that wait, up to the newest one.
    pub fn waiting(&self, newest: i64) -> u64 {
        let passed = self.acknowledged().max(self.deleted.load(Ordering::Relaxed));
        u64::try_from(newest - passed).unwrap_or(0)
    }

    /// Returns the number of waiting events that retention is about to delete, up to an id.
    pub fn count_losses(&self, connection: &Connection, newest: i64) -> rusqlite::Result<u64> {
        let acknowledged = self.acknowledged();
        if newest <= acknowledged {
            return Ok(0);
        }
        count_since(connection, acknowledged, newest, LIMITS.max_integer)
    }

    /// Notes that retention has deleted the events up to an id, and that the receiver lacks some of them (rule FWD-08).
    pub fn note_losses(&self, newest: i64, count: u64) {
        self.deleted.fetch_max(newest, Ordering::Relaxed);
        self.lost.fetch_add(count, Ordering::Relaxed);
    }

    /// Returns the number of events that were deleted before the receiver had them.
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }
}

/// Events for a receiver.
#[derive(Debug)]
pub struct ForwardBatch {
    /// A batch in MessagePack.
    pub body: Vec<u8>,
    /// The ids of its events.
    pub ids: Vec<i64>,
    /// The id up to which the batch has every event.
    pub cursor: i64,
    /// Whether more events wait.
    pub is_followed: bool,
}

/// Reads up to `most` events after an id, oldest first. The body is the page of these events (rule FMT-08): a receiver
/// ignores the members that a server adds.
pub fn read_forward_batch(connection: &Connection, above: i64, most: u64) -> rusqlite::Result<ForwardBatch> {
    let origin: String =
        connection.prepare_cached(queries::SELECT_FORWARD_ORIGIN)?.query_row([], |row| row.get(0))?;
    let filter = EventFilter { above, below: NO_BOUND, order: Order::OldestFirst, ..EventFilter::default() };
    let (mut rows, mut ids, mut bytes) = (MsgpackRows::default(), Vec::new(), 0);
    let reached = list_event_rows(connection, &filter, most, |row| {
        ids.push(stored_id_of(row));
        let row = with_whole_metadata(connection, forwarded_row(row, &origin))?;
        bytes += stored_metadata_of(&row).len();
        rows.push(&row);
        Ok(bytes < TUNING.forward_batch_bytes)
    })?;
    Ok(ForwardBatch {
        body: rows.page(reached),
        ids,
        cursor: reached.scanned_to,
        is_followed: reached.next.is_some(),
    })
}

/// Returns a row with an `event_id`, and with times that count (rules FWD-04 and FWD-05).
fn forwarded_row<'a>(row: &StoredRow<'a>, origin: &str) -> StoredRow<'a> {
    let mut row = row.clone();
    let StoredValue::Timestamp(created_at) = row[CREATED_AT] else { return row };
    if row[EVENT_ID] == StoredValue::Null {
        let items = [format!("\"{origin}\""), stored_id_of(&row).to_string(), created_at.to_string()];
        row[EVENT_ID] = StoredValue::Text(Cow::Owned(hashed_id(&items.map(Some))));
    }
    let time_in = |place: usize| if let StoredValue::Timestamp(at) = row[place] { Some(at) } else { None };
    let (client_timestamp, arrived_at) = (time_in(CLIENT_TIMESTAMP), time_in(ARRIVED_AT));
    let times = EventTimes { client_timestamp, arrived_at, created_at };
    row[ARRIVED_AT] = StoredValue::Timestamp(times.first_arrival());
    if times.is_ignored() {
        row[CLIENT_TIMESTAMP] = StoredValue::Null;
    }
    row
}

/// Returns a row with its whole metadata, unless that is larger than a batch (rule FWD-05).
fn with_whole_metadata<'a>(
    connection: &Connection,
    mut row: StoredRow<'a>,
) -> rusqlite::Result<StoredRow<'a>> {
    let StoredValue::Integer(bytes) = row[METADATA_BYTES] else { return Ok(row) };
    if usize::try_from(bytes).is_ok_and(|bytes| bytes <= TUNING.forward_batch_bytes) {
        let mut select = connection.prepare_cached(queries::SELECT_WHOLE_TEXT)?;
        if let Some(text) = select.query_row([stored_id_of(&row)], |row| row.get(0)).optional()? {
            row[METADATA] = StoredValue::Json(Cow::Owned(text));
        }
    }
    Ok(row)
}

/// Returns the place of a column.
const fn place(name: &str) -> usize {
    let mut place = 0;
    while place < COLUMNS.len() {
        let (found, wanted) = (COLUMNS[place].name.as_bytes(), name.as_bytes());
        let mut at = 0;
        while found.len() == wanted.len() && at < wanted.len() && found[at] == wanted[at] {
            at += 1;
        }
        if at == wanted.len() {
            return place;
        }
        place += 1;
    }
    panic!("no such column")
}
