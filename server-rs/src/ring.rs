//! Keeps the newest frames of the stream, bounded by bytes and shared by all clients.
//!
//! Pure except for rendering rows; knows neither clients nor sockets. Invariant: the ring holds every row with an id
//! above its floor and not above its head, in id order.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use rusqlite::Row;

use crate::contract::TUNING;
use crate::field::Field;
use crate::render::{LineBreaks, row_object};
use crate::store::query::{EventFilter, Order};

/// One event for the stream: its row as JSON on one line, and the values that filters compare.
#[derive(Debug)]
pub struct Frame {
    id: i64,
    session_id: Box<str>,
    agent_type: Box<str>,
    event_type: Box<str>,
    row: Bytes,
}

impl Frame {
    /// Creates the frame of a row of `events_readable`.
    pub(crate) fn of(row: &Row<'_>) -> rusqlite::Result<Self> {
        let mut text = Vec::with_capacity(1024);
        row_object(&mut text, row, LineBreaks::AsSpaces)?;
        Ok(Self {
            id: row.get("id")?,
            session_id: row.get("session_id")?,
            agent_type: row.get("agent_type")?,
            event_type: row.get("event_type")?,
            row: text.into(),
        })
    }

    /// Returns the row's id.
    pub fn id(&self) -> i64 {
        self.id
    }

    /// Returns the row as JSON, without line ends.
    pub fn row(&self) -> &Bytes {
        &self.row
    }
}

/// The events that a client subscribes to (rule STR-05).
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "each is the parameter of its name")]
pub struct StreamFilter {
    pub session_id: Option<String>,
    pub agent_type: Option<String>,
    pub event_type: Option<String>,
}

impl StreamFilter {
    fn admits(&self, frame: &Frame) -> bool {
        let is =
            |wanted: &Option<String>, found: &str| wanted.as_deref().is_none_or(|wanted| wanted == found);
        is(&self.session_id, &frame.session_id)
            && is(&self.agent_type, &frame.agent_type)
            && is(&self.event_type, &frame.event_type)
    }

    /// Returns the filter of the database page after a cursor.
    pub(crate) fn page(&self, above: i64) -> EventFilter {
        let named = [(Field::AgentType, &self.agent_type), (Field::EventType, &self.event_type)];
        EventFilter {
            session_id: self.session_id.clone(),
            fields: named.into_iter().filter_map(|(kind, name)| Some((kind, name.clone()?))).collect(),
            above,
            order: Order::OldestFirst,
            ..EventFilter::default()
        }
    }
}

/// The newest frames: every row with an id above `floor` and not above `head`.
#[derive(Debug, Default)]
pub(crate) struct Ring {
    frames: VecDeque<Arc<Frame>>,
    bytes: usize,
    floor: i64,
    pub(crate) head: i64,
    /// The newest deletion whose rows it does not hold.
    pub(crate) deletion: i64,
}

impl Ring {
    /// Adds the next row; drops the oldest rows to make room.
    pub(crate) fn push(&mut self, frame: Frame) {
        self.head = frame.id;
        self.bytes += frame.row.len();
        self.frames.push_back(Arc::new(frame));
        while self.bytes > TUNING.stream_tail_bytes {
            let Some(oldest) = self.frames.pop_front() else {
                break;
            };
            self.bytes -= oldest.row.len();
            self.floor = oldest.id;
        }
    }

    /// Empties the ring, which then continues after this id.
    pub(crate) fn restart(&mut self, at: i64) {
        *self = Self { floor: at, head: at, deletion: self.deletion, ..Self::default() };
    }

    /// Returns frames after a cursor, and the cursor after them; `None` when the cursor is before the ring.
    /// The frames have about as many bytes as one write to a client.
    pub(crate) fn after(&self, cursor: i64, filter: &StreamFilter) -> Option<(Vec<Arc<Frame>>, i64)> {
        if cursor < self.floor {
            return None;
        }
        let start = self.frames.partition_point(|frame| frame.id <= cursor);
        let (mut taken, mut bytes) = (Vec::new(), 0);
        for frame in self.frames.range(start..) {
            if bytes >= WRITE_BYTES {
                break;
            }
            if filter.admits(frame) {
                bytes += frame.row.len();
                taken.push(Arc::clone(frame));
            }
        }
        let next =
            if bytes >= WRITE_BYTES { taken.last().map_or(cursor, |frame| frame.id) } else { self.head };
        Some((taken, next.max(cursor)))
    }
}

/// About the size of one write to a client.
const WRITE_BYTES: usize = 64 * 1024;
