//! From committed rows to stream clients: every row is read and rendered once, whoever listens.
//!
//! A tail task follows the newest committed id and keeps the newest frames in a bounded ring. A subscriber takes
//! frames from the ring while its cursor is inside, and pages from the database when it has fallen behind. So a
//! slow client costs one page, loses nothing, and holds up nobody (rule STR-08). What must stay true: frames
//! leave in id order, and no lock is held while anything waits.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use rusqlite::Row;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use crate::contract::LIMITS;
use crate::error::ErrorCode;
use crate::render::{Lines, row_object};
use crate::store::Store;
use crate::store::names::NameKind;
use crate::store::query::{EventFilter, Order, list_events};

/// One event for the stream: its row as JSON on one line, and what filters look at.
#[derive(Debug)]
pub struct Frame {
    id: i64,
    session_id: Box<str>,
    agent_type: Box<str>,
    event_type: Box<str>,
    row: Bytes,
}

impl Frame {
    fn of(row: &Row<'_>) -> rusqlite::Result<Self> {
        let mut text = Vec::with_capacity(1024);
        row_object(&mut text, row, Lines::One)?;
        Ok(Self {
            id: row.get("id")?,
            session_id: row.get("session_id")?,
            agent_type: row.get("agent_type")?,
            event_type: row.get("event_type")?,
            row: text.into(),
        })
    }

    /// The row's id.
    pub fn id(&self) -> i64 {
        self.id
    }

    /// The row as JSON, without line ends.
    pub fn row(&self) -> &Bytes {
        &self.row
    }
}

/// Which events a client wants (rule STR-05).
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

    fn page(&self, above: i64) -> EventFilter {
        let named = [
            (NameKind::AgentType, &self.agent_type),
            (NameKind::EventType, &self.event_type),
        ];
        EventFilter {
            session_id: self.session_id.clone(),
            names: named
                .into_iter()
                .filter_map(|(kind, name)| Some((kind, name.clone()?)))
                .collect(),
            above,
            order: Order::OldestFirst,
            ..EventFilter::default()
        }
    }
}

/// The newest frames: every row with an id above `floor` and not above `head`.
#[derive(Debug, Default)]
struct Ring {
    frames: VecDeque<Arc<Frame>>,
    bytes: usize,
    floor: i64,
    head: i64,
}

impl Ring {
    fn push(&mut self, frame: Frame) {
        self.head = frame.id;
        self.bytes += frame.row.len();
        self.frames.push_back(Arc::new(frame));
        while self.bytes > LIMITS.stream_tail_bytes {
            let Some(oldest) = self.frames.pop_front() else {
                break;
            };
            self.bytes -= oldest.row.len();
            self.floor = oldest.id;
        }
    }

    fn restart(&mut self, at: i64) {
        *self = Self {
            floor: at,
            head: at,
            ..Self::default()
        };
    }

    /// Frames after a cursor, up to about one write's worth of bytes, and the cursor after them; `None` when the
    /// cursor is older than the ring.
    fn after(&self, cursor: i64, filter: &StreamFilter) -> Option<(Vec<Arc<Frame>>, i64)> {
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
        let next = if bytes >= WRITE_BYTES {
            taken.last().map_or(cursor, |frame| frame.id)
        } else {
            self.head
        };
        Some((taken, next.max(cursor)))
    }
}

/// About as much as one write to a client holds.
const WRITE_BYTES: usize = 64 * 1024;

/// The fan-out; one per server.
#[derive(Debug)]
pub struct Hub {
    store: Arc<Store>,
    newest: watch::Receiver<i64>,
    ring: Mutex<Ring>,
    /// The ring's head, for those who wait for the next frame.
    head: watch::Sender<i64>,
    slots: Arc<Semaphore>,
    max_clients: usize,
    clients: watch::Sender<usize>,
    closing: watch::Sender<bool>,
}

impl Hub {
    /// A hub that follows a store; [`Hub::tail`] has to run.
    pub fn new(store: Arc<Store>, max_clients: usize) -> Self {
        let newest = store.newest();
        let head = *newest.borrow();
        let mut ring = Ring::default();
        ring.restart(head);
        Self {
            store,
            newest,
            ring: Mutex::new(ring),
            head: watch::Sender::new(head),
            slots: Arc::new(Semaphore::new(max_clients)),
            max_clients,
            clients: watch::Sender::new(0),
            closing: watch::Sender::new(false),
        }
    }

    /// Follows the newest committed id while anyone listens; runs until dropped.
    pub async fn tail(&self) {
        let mut newest = self.newest.clone();
        let mut clients = self.clients.subscribe();
        loop {
            if clients.wait_for(|count| *count > 0).await.is_err() {
                return;
            }
            let target = *newest.borrow_and_update();
            let head = self.with_ring(|ring| ring.head);
            if head < target {
                if self.advance(head).await.is_err() {
                    // The store has said why; clients read their own pages meanwhile, or wait.
                    tokio::time::sleep(std::time::Duration::from_millis(LIMITS.storage_watch_ms)).await;
                }
                continue;
            }
            tokio::select! {
                changed = newest.changed() => if changed.is_err() { return },
                _ = clients.wait_for(|count| *count == 0) => self.with_ring(|ring| ring.restart(ring.head)),
            }
        }
    }

    async fn advance(&self, head: i64) -> Result<(), ErrorCode> {
        let (frames, scanned) = self.page(head, &StreamFilter::default()).await?;
        let head = self.with_ring(|ring| {
            // A ring that began anew while the page was read has no use for it.
            if ring.head == head {
                frames.into_iter().for_each(|frame| ring.push(frame));
                ring.head = ring.head.max(scanned);
            }
            ring.head
        });
        self.head.send_replace(head);
        Ok(())
    }

    /// A page of the database after a cursor, and the id up to which everything has been looked at.
    async fn page(&self, cursor: i64, filter: &StreamFilter) -> Result<(Vec<Frame>, i64), ErrorCode> {
        // Read before the page is, so that no row between the two is passed over.
        let newest = *self.newest.borrow();
        let page = filter.page(cursor);
        let frames = self
            .store
            .read(move |connection| {
                let mut frames = Vec::new();
                list_events(connection, &page, LIMITS.stream_page_events, |row| {
                    frames.push(Frame::of(row)?);
                    Ok(())
                })?;
                Ok(frames)
            })
            .await?;
        let last = frames.last().map_or(cursor, |frame| frame.id);
        let full = frames.len() as u64 >= LIMITS.stream_page_events;
        Ok((frames, if full { last } else { last.max(newest) }))
    }

    fn with_ring<T>(&self, work: impl FnOnce(&mut Ring) -> T) -> T {
        work(&mut self.ring.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A subscription from a cursor on, or from now on; `None` when every slot is taken (rule STR-09).
    pub fn subscribe(self: &Arc<Self>, cursor: Option<i64>, filter: StreamFilter) -> Option<Subscription> {
        let slot = Arc::clone(&self.slots).try_acquire_owned().ok()?;
        let newest = *self.newest.borrow();
        self.clients.send_modify(|count| {
            if *count == 0 {
                // Nobody has listened, so the ring may be far behind: it begins anew here.
                self.with_ring(|ring| ring.restart(newest));
            }
            *count += 1;
        });
        let cursor = cursor.unwrap_or(newest);
        Some(Subscription {
            head: self.head.subscribe(),
            hub: Arc::clone(self),
            cursor,
            filter,
            newest,
            _slot: slot,
        })
    }

    /// How many clients listen.
    pub fn clients(&self) -> usize {
        *self.clients.borrow()
    }

    /// Tells how many clients listen, and its changes.
    pub fn watch_clients(&self) -> watch::Receiver<usize> {
        self.clients.subscribe()
    }

    /// The number of slots.
    pub fn max_clients(&self) -> usize {
        self.max_clients
    }

    /// Ends every subscription.
    pub fn close(&self) {
        self.closing.send_replace(true);
    }

    /// Resolves when subscriptions end.
    pub fn closing(&self) -> watch::Receiver<bool> {
        self.closing.subscribe()
    }
}

/// One client's place in the stream. Dropping it gives its slot back.
#[derive(Debug)]
pub struct Subscription {
    hub: Arc<Hub>,
    head: watch::Receiver<i64>,
    cursor: i64,
    filter: StreamFilter,
    newest: i64,
    _slot: OwnedSemaphorePermit,
}

impl Subscription {
    /// The newest committed id when the subscription began.
    pub fn newest(&self) -> i64 {
        self.newest
    }

    /// Goes on with what comes from now on.
    pub fn reset(&mut self) {
        self.cursor = self.newest;
    }

    /// The next frames that the filter admits; waits while there are none.
    pub async fn next(&mut self) -> Result<Vec<Arc<Frame>>, ErrorCode> {
        loop {
            self.head.mark_unchanged();
            let frames = match self.hub.with_ring(|ring| ring.after(self.cursor, &self.filter)) {
                Some((frames, cursor)) => {
                    self.cursor = cursor;
                    frames
                }
                None => {
                    let (frames, cursor) = self.hub.page(self.cursor, &self.filter).await?;
                    self.cursor = cursor;
                    frames.into_iter().map(Arc::new).collect()
                }
            };
            if !frames.is_empty() {
                return Ok(frames);
            }
            if self.hub.with_ring(|ring| self.cursor >= ring.head) && self.head.changed().await.is_err() {
                return Err(ErrorCode::Draining);
            }
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.hub.clients.send_modify(|count| *count -= 1);
    }
}
