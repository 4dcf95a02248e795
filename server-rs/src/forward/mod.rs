//! Forwards stored events to another server (rules FWD-01 to FWD-09).
//!
//! Reads the stored events in their order, sends a batch, and raises the cursor after its acknowledgement. Invariants:
//! one batch is in memory at a time. Ingest never waits for the forwarder.

/// What an answer means.
pub mod answer;
/// What sends a batch.
pub mod sender;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::clock::Clock;
use crate::config::Receiver;
use crate::contract::TUNING;
use crate::store::Store;
use crate::store::cost::Cost;
use crate::store::forwarding::{ForwardBatch, ForwardCursor, read_forward_batch};
use answer::{Answer, UNREACHABLE};
use sender::Sender;

/// The state of the forwarding, for `/metrics` and `/api/health`.
#[derive(Debug, Clone, Default)]
pub struct ForwardStatus {
    /// Number of ids that wait.
    pub waiting: u64,
    /// Number of acknowledged events since the start.
    pub events: u64,
    /// Number of refused events since the start.
    pub refused: u64,
    /// Number of events since the start that were deleted first.
    pub lost: u64,
    /// Number of failed requests since the start.
    pub failures: u64,
    /// Time of the last acknowledgement in Unix milliseconds; 0 before the first.
    pub last_ms: i64,
    /// Why the last request failed; `None` when it did not.
    pub failure: Option<String>,
}

/// The forwarder; one per server with `--forward`.
#[derive(Debug)]
pub struct Forwarder {
    receiver: Receiver,
    token: Option<String>,
    store: Arc<Store>,
    cursor: Arc<ForwardCursor>,
    clock: Clock,
    status: Mutex<ForwardStatus>,
}

/// What follows a batch.
enum Next {
    /// The next batch; at once when more events wait.
    Batch { is_followed: bool },
    /// The same events in two batches, instead of one of this many.
    Halves { count: usize },
    /// The same events, after at least this time; half of this many when the request did not arrive.
    Retry { after: Duration, halved: Option<usize> },
}

impl Forwarder {
    /// Creates a forwarder of a store, which has its cursor.
    pub fn new(
        receiver: Receiver,
        token: Option<String>,
        store: Arc<Store>,
        cursor: Arc<ForwardCursor>,
        clock: Clock,
    ) -> Self {
        Self { receiver, token, store, cursor, clock, status: Mutex::default() }
    }

    /// Returns host and port of the receiver.
    pub fn host(&self) -> &str {
        &self.receiver.host
    }

    /// Returns the current state.
    pub fn status(&self) -> ForwardStatus {
        let status = self.status.lock().unwrap_or_else(PoisonError::into_inner).clone();
        ForwardStatus {
            waiting: self.cursor.waiting(self.store.newest_id()),
            lost: self.cursor.lost(),
            ..status
        }
    }

    /// Forwards events until dropped.
    pub async fn run(&self) {
        let sender = Sender::new(&self.receiver, self.token.as_deref());
        let mut newest = self.store.newest();
        let (mut most, mut failures, mut lost) = (TUNING.forward_batch_events, 0, 0);
        loop {
            if self.cursor.acknowledged() >= *newest.borrow_and_update() {
                if newest.changed().await.is_err() {
                    return;
                }
                pause(TUNING.forward_pause_ms).await;
                continue;
            }
            let next = self.forward(&sender, most).await;
            lost = self.report_losses(lost);
            match next {
                Next::Batch { is_followed } => {
                    (most, failures) = ((2 * most).min(TUNING.forward_batch_events), 0);
                    if !is_followed {
                        pause(TUNING.forward_pause_ms).await;
                    }
                }
                Next::Halves { count } => most = (count as u64).div_ceil(2),
                Next::Retry { after, halved } => {
                    // A link may be too slow for a large batch, or reset the connection.
                    most = halved.map_or(most, |count| (count as u64).div_ceil(2));
                    tokio::time::sleep(back_off(failures).max(after)).await;
                    failures += 1;
                }
            }
        }
    }

    /// Sends the next batch, and raises the cursor when the receiver has it.
    async fn forward(&self, sender: &Sender, most: u64) -> Next {
        let above = self.cursor.acknowledged();
        let read = move |connection: &_| read_forward_batch(connection, above, most);
        let Ok(batch) = self.store.read_spawned(Cost::Unbounded, read).await else {
            // The store has logged the reason.
            return Next::Retry { after: Duration::ZERO, halved: None };
        };
        let ForwardBatch { body, ids, cursor, is_followed } = batch;
        let (Some(first), count) = (ids.first().copied(), ids.len()) else {
            // Deletions took the ids.
            self.cursor.acknowledge(cursor);
            return Next::Batch { is_followed };
        };
        match sender.send(body, count).await {
            Answer::Refused if count > 1 => Next::Halves { count },
            Answer::Refused => self.acknowledged(cursor, is_followed, &[first], count),
            Answer::Stored { refused } => {
                let refused: Vec<i64> = refused.iter().filter_map(|place| ids.get(*place).copied()).collect();
                self.acknowledged(cursor, is_followed, &refused, count)
            }
            Answer::Failed { failure, retry_after_s } => {
                self.failed(&failure);
                let halved = (failure == UNREACHABLE).then_some(count);
                Next::Retry { after: Duration::from_secs(retry_after_s.unwrap_or(0)), halved }
            }
        }
    }

    fn acknowledged(&self, cursor: i64, is_followed: bool, refused: &[i64], count: usize) -> Next {
        self.cursor.acknowledge(cursor);
        if let Some(first) = refused.first() {
            tracing::warn!(events = refused.len(), first_id = first, "the receiver refused events");
        }
        let last_ms = self.clock.now_ms();
        let failure = self.with_status(|status| {
            status.events += (count - refused.len()) as u64;
            status.refused += refused.len() as u64;
            status.last_ms = last_ms;
            status.failure.take()
        });
        if failure.is_some() {
            let waiting = self.cursor.waiting(self.store.newest_id());
            tracing::info!(to = self.host(), waiting, "forwarding works again");
        }
        Next::Batch { is_followed }
    }

    /// Counts a failed request. Only a new reason is a log line, since a receiver may be away for days.
    fn failed(&self, failure: &str) {
        let known = self.with_status(|status| {
            status.failures += 1;
            status.failure.replace(failure.to_owned())
        });
        if known.as_deref() != Some(failure) {
            tracing::warn!(to = self.host(), failure, "forwarding failed and is repeated");
        }
    }

    /// Reports new losses; returns the number of all losses.
    fn report_losses(&self, known: u64) -> u64 {
        let lost = self.cursor.lost();
        if lost > known {
            tracing::warn!(events = lost - known, "retention deleted events that were not forwarded");
        }
        lost
    }

    fn with_status<T>(&self, work: impl FnOnce(&mut ForwardStatus) -> T) -> T {
        work(&mut self.status.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

async fn pause(ms: u64) {
    tokio::time::sleep(Duration::from_millis(ms)).await;
}

/// Returns the wait after this many failures in a row. It doubles each time. A random part of it, at least half, counts,
/// so that many senders do not return at once.
fn back_off(failures: u32) -> Duration {
    let most =
        TUNING.forward_retry_ms.saturating_mul(1 << failures.min(20)).min(TUNING.forward_retry_most_ms);
    let mut random = [0; 4];
    // Without random numbers the wait is the longest.
    let is_random = getrandom::fill(&mut random).is_ok();
    let share = if is_random { f64::from(u32::from_le_bytes(random)) / f64::from(u32::MAX) } else { 1.0 };
    Duration::from_millis(most).mul_f64(f64::midpoint(1.0, share))
}
