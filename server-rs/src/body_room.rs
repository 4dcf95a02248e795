//! Counts the bytes of bodies that have arrived, and decides which half-read body may go on (rule ING-10).
//!
//! A declared length holds nothing. When half-read bodies fill the room, the oldest one takes its rest from a reserve.
//! So one body always ends, and gives its room to the next one.
//!
//! Invariant: all bodies together hold at most the room and the reserve.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::contract::LIMITS;

/// The room for bytes, and the bodies that are being read.
#[derive(Debug)]
pub(crate) struct BodyRoom {
    most: u64,
    state: Mutex<State>,
    /// Notified of each change while a request waits for bytes.
    changed: Notify,
    /// Notified when a request begins to wait for bytes and no other one waits.
    filled: Notify,
}

#[derive(Debug)]
struct State {
    free: u64,
    reserve: u64,
    next_reader: u64,
    /// The half-read bodies, in the order of their first byte.
    readers: BTreeSet<u64>,
    /// Number of requests that wait for bytes.
    waiting: usize,
    /// Bytes that the last request lacked when it gave up; 0 once they are free.
    wanted: u64,
}

/// The bytes that one body holds. Dropping it gives them back.
#[derive(Debug)]
pub(crate) struct BodyShare {
    room: Arc<BodyRoom>,
    reader: Option<u64>,
    held: u64,
    reserved: u64,
}

impl BodyRoom {
    /// Creates a room of `most` bytes, and a reserve for one body.
    pub(crate) fn new(most: u64, reserve: u64) -> Arc<Self> {
        let state =
            State { free: most, reserve, next_reader: 0, readers: BTreeSet::new(), waiting: 0, wanted: 0 };
        Arc::new(Self { most, state: Mutex::new(state), changed: Notify::new(), filled: Notify::new() })
    }

    /// Returns a share that holds nothing yet.
    pub(crate) fn share(self: &Arc<Self>) -> BodyShare {
        BodyShare { room: Arc::clone(self), reader: None, held: 0, reserved: 0 }
    }

    /// Returns the free bytes, without the reserve.
    #[cfg(test)]
    pub(crate) fn available(&self) -> u64 {
        self.state().free
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.state();
        let was_full = state.is_full();
        change(&mut state);
        if state.free >= state.wanted {
            state.wanted = 0;
        }
        let is_full = state.is_full();
        drop(state);
        if was_full || is_full {
            self.changed.notify_waiters();
        }
        if is_full && !was_full {
            self.filled.notify_waiters();
        }
    }

    /// Waits until `is_ready`, which runs at once and after each notification.
    async fn until(&self, notified: &Notify, mut is_ready: impl FnMut(&mut State) -> bool) {
        loop {
            let mut notified = std::pin::pin!(notified.notified());
            notified.as_mut().enable();
            if is_ready(&mut self.state()) {
                return;
            }
            notified.await;
        }
    }

    /// Waits for as many bytes. Other half-read bodies are not read further during the wait. When it ends without them,
    /// these bodies stay unread until the bytes are free.
    async fn wait_for(&self, bytes: u64, mut is_ready: impl FnMut(&mut State) -> bool) {
        if is_ready(&mut self.state()) {
            return;
        }
        self.change(|state| state.waiting += 1);
        let mut waiting = Waiting { room: self, lacks: bytes.min(LIMITS.drain_body_bytes) };
        self.until(&self.changed, is_ready).await;
        waiting.lacks = 0;
    }
}

/// A request that waits for bytes. Dropping it ends the wait.
struct Waiting<'a> {
    room: &'a BodyRoom,
    lacks: u64,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.room.change(|state| {
            state.waiting -= 1;
            state.wanted = state.wanted.max(self.lacks);
        });
    }
}

impl BodyShare {
    /// Waits until a byte is free. Takes none.
    pub(crate) async fn wait_free(&self) {
        self.room.wait_for(1, |state| state.free > 0).await;
    }

    /// Joins the bodies that are being read.
    pub(crate) fn start_reading(&mut self) {
        let mut state = self.room.state();
        let reader = state.next_reader;
        state.next_reader += 1;
        state.readers.insert(reader);
        self.reader = Some(reader);
    }

    /// Leaves the bodies that are being read.
    pub(crate) fn end_reading(&mut self) {
        if let Some(reader) = self.reader.take() {
            self.room.change(|state| {
                state.readers.remove(&reader);
            });
        }
    }

    /// Waits until it holds this many bytes in total, at most the whole room; gives back what is more.
    pub(crate) async fn hold(&mut self, total: u64) {
        let Self { room, reader, held, reserved } = self;
        // A compressed body may be longer than the whole room (rule BOD-04).
        let total = total.min(room.most);
        if total <= *held + *reserved {
            let less = *held + *reserved - total;
            let from_room = less.min(*held);
            (*held, *reserved) = (*held - from_room, *reserved - (less - from_room));
            if less > 0 {
                room.change(|state| state.give(from_room, less - from_room));
            }
            return;
        }
        let missing = total - *held - *reserved;
        let grow = |state: &mut State| {
            if missing <= state.free {
                state.free -= missing;
                *held += missing;
            } else if state.is_oldest(*reader) && missing <= state.reserve {
                state.reserve -= missing;
                *reserved += missing;
            } else {
                return false;
            }
            true
        };
        room.wait_for(missing, grow).await;
    }

    /// Waits until reading must pause: the room is full for another request, and this body is not the oldest.
    pub(crate) async fn pressed(&self) {
        self.room.until(&self.room.filled, |state| state.is_full() && !state.is_oldest(self.reader)).await;
    }

    /// Waits until reading may go on.
    pub(crate) async fn calm(&self) {
        self.room.until(&self.room.changed, |state| !state.is_full() || state.is_oldest(self.reader)).await;
    }
}

impl Drop for BodyShare {
    fn drop(&mut self) {
        self.end_reading();
        self.room.change(|state| state.give(self.held, self.reserved));
    }
}

impl State {
    fn is_oldest(&self, reader: Option<u64>) -> bool {
        reader.is_some() && self.readers.first() == reader.as_ref()
    }

    fn is_full(&self) -> bool {
        self.waiting > 0 || self.wanted > 0
    }

    fn give(&mut self, held: u64, reserved: u64) {
        self.free += held;
        self.reserve += reserved;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    fn reader(room: &Arc<BodyRoom>) -> BodyShare {
        let mut share = room.share();
        share.start_reading();
        share
    }

    async fn is_at_once(work: impl Future<Output = ()>) -> bool {
        timeout(Duration::from_millis(1), work).await.is_ok()
    }

    #[tokio::test]
    async fn the_oldest_half_read_body_ends_from_the_reserve() {
        let room = BodyRoom::new(100, 50);
        let (mut first, mut second, mut third) = (reader(&room), reader(&room), reader(&room));
        first.hold(40).await;
        second.hold(40).await;
        third.hold(20).await;
        assert!(!is_at_once(second.hold(41)).await, "only the oldest uses the reserve");
        assert!(is_at_once(first.hold(90)).await);
        first.end_reading();
        assert!(!is_at_once(second.hold(41)).await, "the reserve is in use");
        drop(first);
        assert!(is_at_once(second.hold(80)).await, "the room of the first");
        assert!(is_at_once(second.hold(100)).await, "it is the oldest now");
        drop((second, third));
        assert_eq!(room.available(), 100);
        assert_eq!(room.state().reserve, 50);
    }

    #[tokio::test]
    async fn half_read_bodies_pause_while_a_request_waits_for_bytes() {
        let room = BodyRoom::new(100, 50);
        let (mut first, mut second) = (reader(&room), reader(&room));
        first.hold(50).await;
        second.hold(50).await;
        assert!(!is_at_once(second.pressed()).await, "no request waits");
        let newcomer = room.share();
        let waiting = newcomer.wait_free();
        tokio::pin!(waiting);
        assert!(!is_at_once(&mut waiting).await);
        assert!(is_at_once(second.pressed()).await);
        assert!(!is_at_once(second.calm()).await);
        assert!(!is_at_once(first.pressed()).await, "the oldest goes on");
        drop(first);
        assert!(is_at_once(second.calm()).await, "it is the oldest now");
        assert!(is_at_once(waiting).await);
        assert!(!room.state().is_full());
    }

    #[tokio::test]
    async fn half_read_bodies_pause_until_the_bytes_that_a_refused_request_lacked_are_free() {
        let room = BodyRoom::new(100, 50);
        let (mut first, mut second, mut third) = (reader(&room), reader(&room), reader(&room));
        first.hold(40).await;
        second.hold(40).await;
        third.hold(20).await;
        assert!(!is_at_once(third.hold(50)).await);
        assert!(is_at_once(second.pressed()).await, "the request that gave up lacked 30");
        drop(third);
        assert!(is_at_once(second.pressed()).await, "20 are free");
        second.hold(30).await;
        assert!(!is_at_once(second.pressed()).await, "30 are free");
    }
}
