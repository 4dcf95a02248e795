//! Admits events and bytes that wait for the writer (rule ING-10), and limits concurrent work on large bodies.
//!
//! A declared length holds no room: bytes count when they arrive, and events when the body is complete. Without
//! free room a request waits in line with its body unread, for a bounded time. So a client that retries at once costs
//! a waiting connection and no work (decisions 39 and 100).
//!
//! Invariant: bodies take at most `--queue-bytes` and a reserve of one body. While bodies are inflated, each permit adds
//! one body of the maximum size. No request waits for bytes while it has the place in line or holds events. So requests
//! cannot block each other. Over 250 lines because a request has one ticket for all its waits.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout};

use crate::body_room::{BodyRoom, BodyShare};
use crate::contract::{LIMITS, TUNING};
use crate::error::{ErrorCode, Failure};
use crate::waiting_line::WaitingLine;

/// Room for waiting events and bytes, and the part in use.
#[derive(Debug)]
pub struct Admission {
    /// Semaphores serve their waiters in the order of arrival.
    free_events: Arc<Semaphore>,
    bodies: Arc<BodyRoom>,
    turns: Arc<Semaphore>,
    results: Arc<Semaphore>,
    /// The requests that wait for events.
    line: Arc<WaitingLine>,
    events: AtomicUsize,
    /// Bytes per event of recent batches. The estimate is more often too low than too high.
    bytes_per_event: AtomicU64,
}

impl Admission {
    /// Creates an admission whose whole room is free. `max_body` is the length of the largest body in bytes.
    pub fn new(max_events: usize, max_bytes: u64, max_body: u64) -> Arc<Self> {
        Arc::new(Self {
            free_events: Arc::new(Semaphore::new(max_events)),
            bodies: BodyRoom::new(max_bytes, max_body),
            turns: Arc::new(Semaphore::new(TUNING.large_body_turns)),
            results: Arc::new(Semaphore::new(TUNING.large_results_turns)),
            line: Arc::default(),
            events: AtomicUsize::new(0),
            bytes_per_event: AtomicU64::new(TUNING.assumed_event_bytes),
        })
    }

    /// Returns how many events wait for the writer.
    pub fn events(&self) -> usize {
        self.events.load(Ordering::Relaxed)
    }

    /// Returns a ticket that holds nothing yet. Dropping it gives its room back.
    pub fn ticket(self: &Arc<Self>) -> Ticket {
        Ticket {
            bytes: self.bodies.share(),
            admission: Arc::clone(self),
            wait: Some(Duration::from_millis(LIMITS.admission_wait_ms)),
            since: None,
            length: 0,
            events: None,
            turn: None,
            results: None,
            has_waited: false,
            counted: 0,
        }
    }

    /// Returns a ticket that waits for room without a time limit (rule PRO-12).
    pub fn unbounded_ticket(self: &Arc<Self>) -> Ticket {
        let mut ticket = self.ticket();
        ticket.wait = None;
        ticket
    }
}

/// The room that one request holds.
#[derive(Debug)]
pub struct Ticket {
    admission: Arc<Admission>,
    /// The rest of the time for all waits; `None` is unbounded.
    wait: Option<Duration>,
    /// When it first waited in line, which is its order there.
    since: Option<Instant>,
    /// Length of the body as sent, before inflating.
    length: u64,
    events: Option<OwnedSemaphorePermit>,
    bytes: BodyShare,
    turn: Option<OwnedSemaphorePermit>,
    /// The permit to read more results.
    results: Option<OwnedSemaphorePermit>,
    /// Whether it has waited for that permit.
    has_waited: bool,
    counted: usize,
}

impl Ticket {
    /// Waits until a byte and an event are free, then lets the body be read. It holds neither.
    pub async fn start_body(&mut self, declared: Option<u64>) -> Result<(), Failure> {
        if declared.is_some_and(|length| length <= LIMITS.drain_body_bytes) {
            // A refusal keeps the connection of a small body, so an early one costs little (rule HTT-10).
            self.wait = self.wait.map(|_| Duration::from_millis(LIMITS.admission_small_wait_ms));
        }
        in_time(&mut self.wait, async {
            self.bytes.wait_free().await;
            Some(())
        })
        .await?;
        self.take_events(1).await?;
        self.give_events();
        self.bytes.start_reading();
        Ok(())
    }

    /// Holds this many bytes in total; waits for room when it holds fewer.
    pub async fn hold_bytes(&mut self, total: u64) -> Result<(), Failure> {
        in_time(&mut self.wait, async {
            self.bytes.hold(total).await;
            Some(())
        })
        .await
    }

    /// Waits until this half-read body must pause, because another request waits for bytes.
    pub async fn pressed(&self) {
        self.bytes.pressed().await;
    }

    /// Waits until the half-read body may be read further.
    pub async fn hold_still(&mut self) -> Result<(), Failure> {
        in_time(&mut self.wait, async {
            self.bytes.calm().await;
            Some(())
        })
        .await
    }

    /// Waits for the events of a complete body: as many as bodies of this length recently had, at most `most_events`. A
    /// body whose parts take their own room has 0.
    pub async fn end_body(&mut self, length: u64, most_events: usize) -> Result<(), Failure> {
        self.bytes.end_reading();
        self.length = length;
        if most_events == 0 {
            return Ok(());
        }
        let events = length / self.admission.bytes_per_event.load(Ordering::Relaxed);
        let events = usize::try_from(events).unwrap_or(usize::MAX).clamp(1, most_events);
        self.take_events(events).await
    }

    /// Gives back all events.
    fn give_events(&mut self) {
        self.events = None;
    }

    /// Waits for events, in line unless the ticket is unbounded.
    async fn take_events(&mut self, count: usize) -> Result<(), Failure> {
        let Admission { line, free_events, .. } = &*self.admission;
        // Standard input never gives up, so it would stay behind every newer request.
        let since = self.wait.map(|_| *self.since.get_or_insert_with(Instant::now));
        let taken = async {
            let _place = match since {
                Some(since) => Some(line.take(since).await?),
                None => None,
            };
            take(free_events, count).await
        };
        self.events = Some(in_time(&mut self.wait, taken).await?);
        Ok(())
    }

    /// Records the number of events of a batch, which the estimate for later batches uses. An estimate that is too
    /// high is given back after the scan; one that is too low means a second wait. So the estimate follows dense
    /// batches at once and others slowly.
    pub fn note_batch(&self, events: usize) {
        if events > 0 && self.length > 0 {
            let before = self.admission.bytes_per_event.load(Ordering::Relaxed);
            let now = (self.length / events as u64).max(1);
            let next = now.min(before + now.saturating_sub(before).div_ceil(TUNING.event_bytes_smoothing));
            self.admission.bytes_per_event.store(next, Ordering::Relaxed);
        }
    }

    /// Holds the number of events that the scan found; waits for room when it holds fewer. It gives back its events
    /// before it waits. Otherwise requests that each hold a part and wait for more would block each other.
    pub async fn hold_events(&mut self, total: usize) -> Result<(), Failure> {
        let now = self.events.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        if total <= now {
            drop(self.events.as_mut().and_then(|held| held.split(now - total)));
        } else {
            self.give_events();
            let taken = take(&self.admission.free_events, total);
            self.events = Some(in_time(&mut self.wait, taken).await?);
        }
        self.admission.events.fetch_add(total, Ordering::Relaxed);
        self.counted += total;
        Ok(())
    }

    /// Waits for a permit to work on a large body, then runs the work on a thread that may block. The ticket
    /// keeps the permit until `end_turn`. The ticket moves to that thread, so the room stays held while the
    /// work runs.
    pub async fn run_blocking<T: Send + 'static>(
        mut self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<(T, Self), Failure> {
        let internal = || Failure::new(ErrorCode::Internal);
        if self.turn.is_none() {
            let turn = Arc::clone(&self.admission.turns).acquire_owned().await;
            self.turn = Some(turn.map_err(|_| internal())?);
        }
        tokio::task::spawn_blocking(move || (work(), self)).await.map_err(|_| internal())
    }

    /// Waits for the permit to read more results than a large body has; keeps it to the end. Without it after
    /// `large_results_wait_ms` the batch goes on, so that no client can stop another.
    pub async fn take_results(&mut self) {
        if !std::mem::replace(&mut self.has_waited, true) {
            let most = Duration::from_millis(TUNING.large_results_wait_ms);
            self.results = timeout(most, take(&self.admission.results, 1)).await.ok().flatten();
        }
    }

    /// Releases the permit to the next large body.
    pub fn end_turn(&mut self) {
        self.turn = None;
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.admission.events.fetch_sub(self.counted, Ordering::Relaxed);
    }
}

/// Takes permits as soon as enough are free.
async fn take(room: &Arc<Semaphore>, count: usize) -> Option<OwnedSemaphorePermit> {
    Arc::clone(room).acquire_many_owned(u32::try_from(count).ok()?).await.ok()
}

/// Waits for room for at most `wait`, which it shortens by the time of the wait.
async fn in_time<T>(
    wait: &mut Option<Duration>,
    room: impl Future<Output = Option<T>>,
) -> Result<T, Failure> {
    let waited = match wait {
        Some(left) => {
            let start = Instant::now();
            let waited = timeout(*left, room).await.ok().flatten();
            *left = left.saturating_sub(start.elapsed());
            waited
        }
        None => room.await,
    };
    waited.ok_or_else(|| Failure::new(ErrorCode::Overloaded))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admission(max_events: usize, max_bytes: u64) -> Arc<Admission> {
        Admission::new(max_events, max_bytes, 0)
    }

    fn free(admission: &Admission) -> (usize, u64) {
        (admission.free_events.available_permits(), admission.bodies.available())
    }

    #[tokio::test]
    async fn a_dropped_ticket_gives_its_room_back() {
        let admission = admission(10, 1000);
        let mut ticket = admission.ticket();
        ticket.start_body(Some(600)).await.expect("room");
        assert_eq!((free(&admission), admission.events()), ((10, 1000), 0), "nothing has arrived");
        ticket.hold_bytes(900).await.expect("room");
        ticket.end_body(900, 5).await.expect("room");
        assert_eq!((free(&admission), admission.events()), ((5, 100), 0), "nothing was scanned");
        ticket.hold_events(7).await.expect("room");
        assert_eq!((free(&admission), admission.events()), ((3, 100), 7));
        ticket.hold_bytes(100).await.expect("less");
        assert_eq!(free(&admission), (3, 900));
        drop(ticket);
        assert_eq!((free(&admission), admission.events()), ((10, 1000), 0));
    }

    #[tokio::test]
    async fn declared_bodies_hold_nothing() {
        let admission = admission(10, 1000);
        let mut slow = Vec::new();
        for _ in 0..20 {
            let mut ticket = admission.ticket();
            ticket.start_body(Some(1000)).await.expect("room");
            slow.push(ticket);
        }
        assert_eq!(free(&admission), (10, 1000));
    }

    #[tokio::test]
    async fn a_complete_body_counts_as_many_events_as_recent_batches_of_its_size() {
        let admission = admission(1000, 1_000_000);
        let estimate = async |length: u64, events: usize| {
            let mut ticket = admission.ticket();
            ticket.end_body(length, 500).await.expect("room");
            let held = 1000 - free(&admission).0;
            ticket.note_batch(events);
            held
        };
        assert_eq!(estimate(TUNING.assumed_event_bytes * 10, 0).await, 10);
        assert_eq!(estimate(TUNING.assumed_event_bytes * 10, 20).await, 10);
        assert_eq!(estimate(TUNING.assumed_event_bytes * 10, 1).await, 20, "a denser batch counts at once");
        let sparse = estimate(TUNING.assumed_event_bytes * 10, 0).await;
        assert!((2..20).contains(&sparse), "a sparser batch counts by and by, {sparse}");
        assert_eq!(estimate(999_999, 0).await, 500, "a batch has no more");
        assert_eq!(estimate(0, 0).await, 1);
        let mut calls = admission.ticket();
        calls.end_body(600, 0).await.expect("no room needed");
        assert_eq!(free(&admission).0, 1000, "calls take their own room");
    }

    #[tokio::test]
    async fn a_small_request_does_not_pass_a_large_one_before_it() {
        let admission = admission(10, 1000);
        let mut first = admission.ticket();
        first.hold_events(10).await.expect("room");
        let waiter = |events: u64| {
            let mut ticket = admission.ticket();
            tokio::spawn(async move {
                ticket.end_body(events * TUNING.assumed_event_bytes, 10).await.map(|()| ticket)
            })
        };
        let (large, small) = (waiter(8), waiter(1));
        tokio::task::yield_now().await;
        first.hold_events(5).await.expect("fewer");
        tokio::task::yield_now().await;
        assert!(!small.is_finished(), "a request does not pass one before it");
        drop(first);
        assert!(large.await.expect("no panic").is_ok() && small.await.expect("no panic").is_ok());
    }

    #[tokio::test]
    async fn standard_input_is_next_to_the_line() {
        let admission = admission(10, 1000);
        let mut all = admission.ticket();
        all.hold_events(10).await.expect("room");
        let served = Arc::new(std::sync::Mutex::new(Vec::new()));
        let waiter = |mut ticket: Ticket, name: &'static str| {
            let served = Arc::clone(&served);
            tokio::spawn(async move {
                ticket.end_body(1, 10).await.expect("room");
                served.lock().expect("no panic").push(name);
            })
        };
        let front = waiter(admission.ticket(), "front");
        let behind = waiter(admission.ticket(), "behind");
        let input = waiter(admission.unbounded_ticket(), "input");
        tokio::task::yield_now().await;
        drop(all);
        for waiting in [front, behind, input] {
            waiting.await.expect("no panic");
        }
        assert_eq!(*served.lock().expect("no panic"), ["front", "input", "behind"]);
    }

    #[tokio::test]
    async fn requests_with_too_low_estimates_do_not_block_each_other() {
        let admission = admission(10, 1000);
        let (mut one, mut other) = (admission.ticket(), admission.ticket());
        for ticket in [&mut one, &mut other] {
            ticket.end_body(5 * TUNING.assumed_event_bytes, 10).await.expect("room");
        }
        let other = tokio::spawn(async move { other.hold_events(6).await });
        one.hold_events(6).await.expect("room, once the other gave back what it had");
        drop(one);
        other.await.expect("no panic").expect("room, once the first was stored");
    }

    #[tokio::test(start_paused = true)]
    async fn all_waits_of_a_request_share_one_time_limit() {
        let admission = admission(10, 1000);
        let (mut all, mut waiting) = (admission.ticket(), admission.ticket());
        all.hold_bytes(1000).await.expect("room");
        let start = tokio::time::Instant::now();
        for _ in 0..2 {
            let refused = waiting.hold_bytes(1).await.expect_err("no room");
            assert_eq!(refused.code, ErrorCode::Overloaded);
        }
        let wait = Duration::from_millis(LIMITS.admission_wait_ms);
        assert!(start.elapsed() < wait + Duration::from_millis(10), "{:?}", start.elapsed());
    }
}
