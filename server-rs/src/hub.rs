//! Passes committed events on to the stream's clients: every row is read and rendered once for all of them.
//!
//! A tail task follows the newest committed id and keeps the newest frames in a bounded ring. A subscriber takes
//! frames from the ring while its cursor is inside. Behind the ring it reads pages from the database. So a slow
//! client costs one page, loses nothing, and delays no other client (rule STR-08). Invariant: frames leave in id
//! order, and no task holds a lock across an await.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::sleep;

use crate::contract::TUNING;
use crate::error::ErrorCode;
use crate::ring::{Frame, Ring, StreamFilter};
use crate::store::Store;
use crate::store::cost::cost_of;
use crate::store::event_search::list_events;

/// The fan-out; one per server.
#[derive(Debug)]
pub struct Hub {
    store: Arc<Store>,
    newest: watch::Receiver<i64>,
    ring: Mutex<Ring>,
    /// The ring's head, for subscribers that wait for the next frame.
    head: watch::Sender<i64>,
    /// Shared with the other mode of the stream (rule STR-09).
    places: Arc<Semaphore>,
    clients: watch::Sender<usize>,
}

impl Hub {
    /// Creates a hub that follows a store; [`Hub::tail`] must run.
    pub fn new(store: Arc<Store>, places: Arc<Semaphore>) -> Self {
        let newest = store.newest();
        let head = *newest.borrow();
        let mut ring = Ring::default();
        ring.restart(head);
        Self {
            store,
            newest,
            ring: Mutex::new(ring),
            head: watch::Sender::new(head),
            places,
            clients: watch::Sender::new(0),
        }
    }

    /// Follows the newest committed id while a client is subscribed; runs until dropped.
    pub async fn tail(&self) {
        let mut newest = self.newest.clone();
        let mut clients = self.clients.subscribe();
        loop {
            if clients.wait_for(|count| *count > 0).await.is_err() {
                return;
            }
            let newest_id = *newest.borrow_and_update();
            let head = self.with_ring(|ring| ring.head);
            if head < newest_id {
                if self.advance(head).await.is_err() {
                    // The store has logged the reason; until the next try, clients read their own pages or wait.
                    sleep(Duration::from_millis(TUNING.storage_watch_ms)).await;
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
        let deletion = self.last_deletion();
        let (frames, scanned) = self.page(head, &StreamFilter::default()).await?;
        let head = self.with_ring(|ring| {
            // If the ring restarted during the read, the page does not continue it. After a deletion it may have
            // deleted rows.
            if ring.head == head && ring.deletion == deletion {
                frames.into_iter().for_each(|frame| ring.push(frame));
                ring.head = ring.head.max(scanned);
            }
            ring.head
        });
        self.head.send_replace(head);
        Ok(())
    }

    /// Returns a page of the database after a cursor, and the id up to which it is complete.
    async fn page(&self, cursor: i64, filter: &StreamFilter) -> Result<(Vec<Frame>, i64), ErrorCode> {
        let page = filter.page(cursor);
        self.store
            .read_spawned(cost_of(&page), move |connection| {
                let mut frames = Vec::new();
                let most = TUNING.stream_page_events;
                let reached = list_events(connection, &page, most, |row| {
                    frames.push(Frame::of(row)?);
                    Ok(())
                })?;
                Ok((frames, reached.scanned_to))
            })
            .await
    }

    /// Returns the newest id that a client's deletion took.
    fn last_deletion(&self) -> i64 {
        self.store.bounds().last_request.load(Ordering::Acquire)
    }

    fn with_ring<T>(&self, work: impl FnOnce(&mut Ring) -> T) -> T {
        let mut ring = self.ring.lock().unwrap_or_else(PoisonError::into_inner);
        let deletion = self.last_deletion();
        if ring.deletion < deletion {
            // Its frames may be of deleted rows (rule RET-05).
            let head = ring.head;
            ring.restart(head);
            ring.deletion = deletion;
        }
        work(&mut ring)
    }

    /// Subscribes from a cursor, or from the newest event; `None` when every place is taken (rule STR-09).
    pub fn subscribe(self: &Arc<Self>, cursor: Option<i64>, filter: StreamFilter) -> Option<Subscription> {
        let place = Arc::clone(&self.places).try_acquire_owned().ok()?;
        let newest = *self.newest.borrow();
        self.clients.send_modify(|count| {
            if *count == 0 {
                // Without subscribers the ring may have fallen far behind, so it restarts here.
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
            _place: place,
        })
    }

    /// Returns the number of subscribers.
    pub fn clients(&self) -> usize {
        *self.clients.borrow()
    }

    /// Returns a receiver for the number of subscribers and its changes.
    pub fn watch_clients(&self) -> watch::Receiver<usize> {
        self.clients.subscribe()
    }
}

/// One client's place in the stream; dropping it frees the place.
#[derive(Debug)]
pub struct Subscription {
    hub: Arc<Hub>,
    head: watch::Receiver<i64>,
    cursor: i64,
    filter: StreamFilter,
    newest: i64,
    _place: OwnedSemaphorePermit,
}

impl Subscription {
    /// Returns the newest committed id at the start of the subscription.
    pub fn newest(&self) -> i64 {
        self.newest
    }

    /// Continues with events from now on.
    pub fn reset(&mut self) {
        self.cursor = self.newest;
    }

    /// Returns the next frames that the filter admits; waits while there are none.
    pub async fn next(&mut self) -> Result<Vec<Arc<Frame>>, ErrorCode> {
        loop {
            self.head.mark_unchanged();
            let frames = match self.hub.with_ring(|ring| ring.after(self.cursor, &self.filter)) {
                Some((frames, cursor)) => {
                    self.cursor = cursor;
                    frames
                }
                None => {
                    let (frames, cursor) = self.page().await?;
                    self.cursor = cursor;
                    frames.into_iter().map(Arc::new).collect()
                }
            };
            if let Some(first) = frames.first() {
                // Events from before the subscription were not sent late.
                if first.id() > self.newest {
                    self.hub.store.meters().count_delivery(first.id());
                }
                return Ok(frames);
            }
            if self.hub.with_ring(|ring| self.cursor >= ring.head) && self.head.changed().await.is_err() {
                return Err(ErrorCode::Draining);
            }
        }
    }

    /// Reads rows that the ring no longer has. While every reader is busy, the client waits (rule STR-03).
    async fn page(&self) -> Result<(Vec<Frame>, i64), ErrorCode> {
        loop {
            match self.hub.page(self.cursor, &self.filter).await {
                Err(ErrorCode::StorageBusy) => sleep(Duration::from_millis(TUNING.storage_watch_ms)).await,
                page => return page,
            }
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.hub.clients.send_modify(|count| *count -= 1);
    }
}
