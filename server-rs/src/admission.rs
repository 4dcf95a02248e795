//! Admits events and bytes that wait for the writer (rule ING-10), and limits concurrent work on large bodies.
//!
//! A request without room waits in line, for a bounded time. Its body stays unread in the kernel during the wait. So
//! a client that retries at once costs a waiting connection and no work (decisions 39 and 100).
//!
//! Invariant: bodies take at most `--queue-bytes`, plus one body of the maximum size for each permit while it is
//! inflated. Only the first request in line and standard input hold a part of the room that they wait for. Both wait
//! for bytes before events, so requests cannot block each other.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::contract::LIMITS;
use crate::error::{ErrorCode, Failure};
use crate::waiting_line::WaitingLine;

/// Room for waiting events and bytes, and the part in use.
#[derive(Debug)]
pub struct Admission {
    /// Semaphores serve their waiters in the order of arrival.
    free_events: Arc<Semaphore>,
    free_bytes: Arc<Semaphore>,
    turns: Arc<Semaphore>,
    /// The requests whose body is unread.
    line: Arc<WaitingLine>,
    max_bytes: u64,
    events: AtomicUsize,
    /// Bytes per event of recent batches. The estimate is more often too low than too high.
    bytes_per_event: AtomicU64,
}

impl Admission {
    /// Creates an admission whose whole room is free.
    pub fn new(max_events: usize, max_bytes: u64) -> Arc<Self> {
        let permits = |count: u64| usize::try_from(count).unwrap_or(usize::MAX).min(Semaphore::MAX_PERMITS);
        Arc::new(Self {
            free_events: Arc::new(Semaphore::new(max_events)),
            free_bytes: Arc::new(Semaphore::new(permits(max_bytes))),
            turns: Arc::new(Semaphore::new(LIMITS.large_body_turns)),
            line: Arc::default(),
            max_bytes,
            events: AtomicUsize::new(0),
            bytes_per_event: AtomicU64::new(LIMITS.assumed_event_bytes),
        })
    }

    /// Returns how many events wait for the writer.
    pub fn events(&self) -> usize {
        self.events.load(Ordering::Relaxed)
    }

    /// Returns a ticket that holds nothing yet. Dropping it gives its room back.
    pub fn ticket(self: &Arc<Self>) -> Ticket {
        let (admission, wait) = (Arc::clone(self), Some(Duration::from_millis(LIMITS.admission_wait_ms)));
        Ticket { admission, wait, declared: 0, events: None, bytes: None, turn: None, counted: 0 }
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
    /// Longest duration of one wait; `None` is unbounded.
    wait: Option<Duration>,
    /// Length of the body as sent, before inflating.
    declared: u64,
    events: Option<OwnedSemaphorePermit>,
    bytes: Option<OwnedSemaphorePermit>,
    turn: Option<OwnedSemaphorePermit>,
    counted: usize,
}

impl Ticket {
    /// Waits for room for an unread body: its declared length, and as many events as bodies of that length recently
    /// had, at most `most_events`. Without a declared length it takes room for one byte and one event.
    pub async fn hold_unread(&mut self, declared: Option<u64>, most_events: usize) -> Result<(), Failure> {
        let admission = Arc::clone(&self.admission);
        self.declared = declared.unwrap_or(0);
        let events = self.declared / admission.bytes_per_event.load(Ordering::Relaxed);
        let events = usize::try_from(events).unwrap_or(usize::MAX).clamp(1, most_events);
        if declared.is_some_and(|length| length <= LIMITS.drain_body_bytes) {
            // A refusal keeps the connection of a small body, so an early one costs little (rule HTT-10).
            self.wait = self.wait.map(|_| Duration::from_millis(LIMITS.admission_small_wait_ms));
        }
        let wait = self.wait;
        in_time(wait, async {
            // Standard input never gives up, so it would stay behind every newer request.
            let _first = match wait {
                Some(_) => Some(admission.line.take().await?),
                None => None,
            };
            self.bytes = Some(take(&admission.free_bytes, self.permits(declared.unwrap_or(1))).await?);
            self.events = Some(take(&admission.free_events, events).await?);
            Some(())
        })
        .await
    }

    /// Holds this many bytes in total; waits for room when it holds fewer.
    pub async fn hold_bytes(&mut self, total: u64) -> Result<(), Failure> {
        let total = self.permits(total);
        let now = self.bytes.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        if total <= now {
            drop(self.bytes.as_mut().and_then(|held| held.split(now - total)));
            return Ok(());
        }
        let more = in_time(self.wait, take(&self.admission.free_bytes, total - now)).await?;
        match &mut self.bytes {
            Some(held) => held.merge(more),
            none => *none = Some(more),
        }
        Ok(())
    }

    /// Gives back the events of a slow body, so that slow clients do not hold the queue.
    pub fn give_events(&mut self) {
        self.events = None;
    }

    /// Records the number of events of a batch, which the estimate for later batches uses. An estimate that is too
    /// high is given back after the scan; one that is too low means a second wait. So the estimate follows dense
    /// batches at once and others slowly.
    pub fn note_batch(&self, events: usize) {
        if events > 0 && self.declared > 0 {
            let before = self.admission.bytes_per_event.load(Ordering::Relaxed);
            let now = (self.declared / events as u64).max(1);
            let next = now.min(before + now.saturating_sub(before).div_ceil(LIMITS.event_bytes_smoothing));
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
            self.events = Some(in_time(self.wait, take(&self.admission.free_events, total)).await?);
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

    /// Releases the permit to the next large body.
    pub fn end_turn(&mut self) {
        self.turn = None;
    }

    /// Returns the number of permits for this many bytes, at most the whole room. A compressed body may be
    /// longer than the whole room (rule BOD-04).
    fn permits(&self, bytes: u64) -> usize {
        usize::try_from(bytes.min(self.admission.max_bytes)).unwrap_or(usize::MAX)
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

/// Waits for room for at most `wait`.
async fn in_time<T>(wait: Option<Duration>, room: impl Future<Output = Option<T>>) -> Result<T, Failure> {
    let waited = match wait {
        Some(wait) => timeout(wait, room).await.ok().flatten(),
        None => room.await,
    };
    waited.ok_or_else(|| Failure::new(ErrorCode::Overloaded))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn free(admission: &Admission) -> (usize, usize) {
        (admission.free_events.available_permits(), admission.free_bytes.available_permits())
    }

    #[tokio::test]
    async fn a_dropped_ticket_gives_its_room_back() {
        let admission = Admission::new(10, 1000);
        let mut ticket = admission.ticket();
        ticket.hold_unread(Some(600), 5).await.expect("room");
        assert_eq!((free(&admission), admission.events()), ((5, 400), 0), "nothing was scanned");
        ticket.hold_bytes(900).await.expect("room");
        ticket.hold_events(7).await.expect("room");
        assert_eq!((free(&admission), admission.events()), ((3, 100), 7));
        ticket.hold_bytes(100).await.expect("less");
        assert_eq!(free(&admission), (3, 900));
        drop(ticket);
        assert_eq!((free(&admission), admission.events()), ((10, 1000), 0));
    }

    #[tokio::test]
    async fn an_unread_body_counts_as_many_events_as_recent_batches_of_its_size() {
        let admission = Admission::new(1000, 1_000_000);
        let estimate = async |declared: Option<u64>, events: usize| {
            let mut ticket = admission.ticket();
            ticket.hold_unread(declared, 500).await.expect("room");
            let held = 1000 - free(&admission).0;
            ticket.note_batch(events);
            held
        };
        let assumed = LIMITS.assumed_event_bytes;
        assert_eq!(estimate(Some(assumed * 10), 0).await, 10);
        assert_eq!(estimate(Some(assumed * 10), 20).await, 10);
        assert_eq!(estimate(Some(assumed * 10), 1).await, 20, "a denser batch counts at once");
        let sparse = estimate(Some(assumed * 10), 0).await;
        assert!((2..20).contains(&sparse), "a sparser batch counts by and by, {sparse}");
        assert_eq!(estimate(Some(999_999), 0).await, 500, "a batch has no more");
        assert_eq!(estimate(None, 0).await, 1);
    }

    #[tokio::test]
    async fn a_small_request_does_not_pass_a_large_one_before_it() {
        let admission = Admission::new(10, 1000);
        let mut first = admission.ticket();
        first.hold_events(10).await.expect("room");
        let waiter = |events: u64| {
            let mut ticket = admission.ticket();
            let declared = Some(events * LIMITS.assumed_event_bytes);
            tokio::spawn(async move { ticket.hold_unread(declared, 10).await.map(|()| ticket) })
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
        let admission = Admission::new(10, 1000);
        let mut all = admission.ticket();
        all.hold_events(10).await.expect("room");
        let served = Arc::new(std::sync::Mutex::new(Vec::new()));
        let waiter = |mut ticket: Ticket, name: &'static str| {
            let served = Arc::clone(&served);
            tokio::spawn(async move {
                ticket.hold_unread(Some(1), 10).await.expect("room");
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
        let admission = Admission::new(10, 1000);
        let (mut one, mut other) = (admission.ticket(), admission.ticket());
        for ticket in [&mut one, &mut other] {
            ticket.hold_unread(Some(5 * LIMITS.assumed_event_bytes), 10).await.expect("room");
        }
        let other = tokio::spawn(async move { other.hold_events(6).await });
        one.hold_events(6).await.expect("room, once the other gave back what it had");
        drop(one);
        other.await.expect("no panic").expect("room, once the first was stored");
    }
}
