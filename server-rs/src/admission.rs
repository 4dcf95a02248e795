//! What may wait for the writer, by events and by bytes (rule ING-10), and turns for the work on large bodies.
//!
//! A request without room waits in the order of arrival, for a bounded time. Its body stays unread in the kernel
//! meanwhile, so a client that retries at once costs a waiting connection and no work (decision 40).
//! Invariant: bodies take at most `--queue-bytes`, and one largest body for each turn while it is inflated.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::contract::LIMITS;
use crate::error::{ErrorCode, Failure};

/// What may wait, and what does.
#[derive(Debug)]
pub struct Admission {
    /// Semaphores serve their waiters in the order of arrival.
    free_events: Arc<Semaphore>,
    free_bytes: Arc<Semaphore>,
    turns: Arc<Semaphore>,
    max_bytes: u64,
    events: AtomicUsize,
    /// Of the batch that was scanned last; an assumption before there is one.
    bytes_per_event: AtomicU64,
}

impl Admission {
    /// Nothing waits yet.
    pub fn new(max_events: usize, max_bytes: u64) -> Arc<Self> {
        let permits = |count: u64| usize::try_from(count).unwrap_or(usize::MAX).min(Semaphore::MAX_PERMITS);
        Arc::new(Self {
            free_events: Arc::new(Semaphore::new(max_events)),
            free_bytes: Arc::new(Semaphore::new(permits(max_bytes))),
            turns: Arc::new(Semaphore::new(LIMITS.large_body_turns)),
            max_bytes,
            events: AtomicUsize::new(0),
            bytes_per_event: AtomicU64::new(LIMITS.assumed_event_bytes),
        })
    }

    /// How many events wait for the writer.
    pub fn events(&self) -> usize {
        self.events.load(Ordering::Relaxed)
    }

    /// A ticket for nothing yet; dropping it gives back what it holds.
    pub fn ticket(self: &Arc<Self>) -> Ticket {
        Ticket { admission: Arc::clone(self), events: None, bytes: None, turn: None, counted: 0 }
    }
}

/// A request's part of what waits.
#[derive(Debug)]
pub struct Ticket {
    admission: Arc<Admission>,
    events: Option<OwnedSemaphorePermit>,
    bytes: Option<OwnedSemaphorePermit>,
    turn: Option<OwnedSemaphorePermit>,
    counted: usize,
}

impl Ticket {
    /// Waits for room for a body that is not read yet: for its declared length, and for as many events as that length
    /// came to in the batch scanned last, `most_events` at most. Without a declared length, for a byte and an event.
    pub async fn hold_unread(&mut self, declared: Option<u64>, most_events: usize) -> Result<(), Failure> {
        let bytes_per_event = self.admission.bytes_per_event.load(Ordering::Relaxed);
        let events = declared.unwrap_or(0) / bytes_per_event;
        self.hold_bytes(declared.unwrap_or(1)).await?;
        let events = usize::try_from(events).unwrap_or(usize::MAX).clamp(1, most_events);
        hold(&self.admission.free_events, &mut self.events, events).await
    }

    /// Holds this many bytes in all; waits for room where it holds fewer.
    pub async fn hold_bytes(&mut self, total: u64) -> Result<(), Failure> {
        // A compressed body may be longer than what may wait (rule BOD-04).
        let total = usize::try_from(total.min(self.admission.max_bytes)).unwrap_or(usize::MAX);
        hold(&self.admission.free_bytes, &mut self.bytes, total).await
    }

    /// Notes how many events a batch of `length` bytes had, by which the next ones are estimated.
    pub fn note_batch(&self, events: usize, length: usize) {
        if events > 0 {
            let bytes_per_event = (length / events).max(1) as u64;
            self.admission.bytes_per_event.store(bytes_per_event, Ordering::Relaxed);
        }
    }

    /// Holds the events that a body was scanned to have; waits for room where it holds fewer.
    pub async fn hold_events(&mut self, total: usize) -> Result<(), Failure> {
        hold(&self.admission.free_events, &mut self.events, total).await?;
        self.admission.events.fetch_add(total, Ordering::Relaxed);
        self.counted += total;
        Ok(())
    }

    /// Runs work that takes long on a thread that may block. A bounded number of requests has a turn; this one
    /// keeps its own until `end_turn`. The ticket goes along, so that it is held for as long as the work runs.
    pub async fn aside<T: Send + 'static>(
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

    /// Lets the next large body have its turn.
    pub fn end_turn(&mut self) {
        self.turn = None;
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.admission.events.fetch_sub(self.counted, Ordering::Relaxed);
    }
}

/// Makes `held` as many permits as `total`: gives back what is too much, or waits in line for what is missing.
async fn hold(
    room: &Arc<Semaphore>,
    held: &mut Option<OwnedSemaphorePermit>,
    total: usize,
) -> Result<(), Failure> {
    let overloaded = || Failure::new(ErrorCode::Overloaded);
    let now = held.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
    if total <= now {
        drop(held.as_mut().and_then(|held| held.split(now - total)));
        return Ok(());
    }
    let missing = u32::try_from(total - now).map_err(|_| overloaded())?;
    let wait = Duration::from_millis(LIMITS.admission_wait_ms);
    let more = timeout(wait, Arc::clone(room).acquire_many_owned(missing)).await;
    let more = more.map_err(|_| overloaded())?.map_err(|_| overloaded())?;
    match held {
        Some(held) => held.merge(more),
        None => *held = Some(more),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn free(admission: &Admission) -> (usize, usize) {
        (admission.free_events.available_permits(), admission.free_bytes.available_permits())
    }

    #[tokio::test]
    async fn a_ticket_gives_back_what_it_holds() {
        let admission = Admission::new(10, 1000);
        let mut ticket = admission.ticket();
        ticket.hold_unread(Some(600), 10).await.expect("room");
        assert_eq!(free(&admission), (10 - 600 / LIMITS.assumed_event_bytes as usize, 400));
        assert_eq!(admission.events(), 0, "nothing was scanned");
        ticket.hold_bytes(900).await.expect("room");
        ticket.hold_events(7).await.expect("room");
        assert_eq!((free(&admission), admission.events()), ((3, 100), 7));
        ticket.hold_bytes(100).await.expect("less");
        assert_eq!(free(&admission), (3, 900));
        drop(ticket);
        assert_eq!((free(&admission), admission.events()), ((10, 1000), 0));
    }

    #[tokio::test]
    async fn a_body_counts_as_the_events_of_the_last_one() {
        let admission = Admission::new(100, 100_000);
        admission.ticket().note_batch(10, 500);
        let mut ticket = admission.ticket();
        ticket.hold_unread(Some(1000), 50).await.expect("room");
        assert_eq!(free(&admission).0, 80);
        ticket.hold_unread(Some(99_999), 50).await.expect("room");
        assert_eq!(free(&admission).0, 50, "a batch has no more");
        ticket.hold_unread(None, 50).await.expect("room");
        assert_eq!(free(&admission), (99, 99_999));
    }

    #[tokio::test]
    async fn waiting_requests_are_served_in_the_order_of_arrival() {
        let admission = Admission::new(10, 1000);
        let mut first = admission.ticket();
        first.hold_events(10).await.expect("room");
        let waiter = |events: usize| {
            let mut ticket = admission.ticket();
            tokio::spawn(async move { ticket.hold_events(events).await.map(|()| ticket) })
        };
        let (large, small) = (waiter(8), waiter(1));
        tokio::task::yield_now().await;
        first.hold_events(5).await.expect("fewer");
        tokio::task::yield_now().await;
        assert!(!small.is_finished(), "a request does not pass one before it");
        drop(first);
        assert!(large.await.expect("no panic").is_ok() && small.await.expect("no panic").is_ok());
    }
}
