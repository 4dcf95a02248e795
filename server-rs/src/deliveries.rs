//! Notifications that wait for their next attempt, in a bounded queue (rule NOT-04).
//!
//! Pure. The caller passes the time. Each notification has its own time, so that one that fails delays no other.

use crate::contract::LIMITS;
use crate::notices::Notice;

/// A notification, and its attempts so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// What is sent.
    pub notice: Notice,
    /// Attempts that failed.
    pub attempts: u32,
    /// The time of the next attempt in milliseconds.
    pub due_ms: u64,
}

/// The queue.
#[derive(Debug, Default)]
pub struct Deliveries {
    waiting: Vec<Delivery>,
}

impl Deliveries {
    /// Adds a notification that is due now; returns whether there was room.
    pub fn push(&mut self, notice: Notice, now_ms: u64) -> bool {
        let has_room = self.waiting.len() < LIMITS.webhook_queue;
        if has_room {
            self.waiting.push(Delivery { notice, attempts: 0, due_ms: now_ms });
        }
        has_room
    }

    /// Returns the time of the next attempt; `None` when the queue is empty.
    pub fn next_due(&self) -> Option<u64> {
        self.waiting.iter().map(|one| one.due_ms).min()
    }

    /// Takes the first notification that is due: the one with the earliest time, then the oldest.
    pub fn take(&mut self, now_ms: u64) -> Option<Delivery> {
        let due = self.next_due().filter(|due| *due <= now_ms)?;
        let place = self.waiting.iter().position(|one| one.due_ms == due)?;
        Some(self.waiting.remove(place))
    }

    /// Returns a notification whose attempt failed to the queue; returns whether it has another attempt. The delay
    /// doubles with each attempt.
    pub fn retry(&mut self, delivery: Delivery, now_ms: u64) -> bool {
        let attempts = delivery.attempts + 1;
        let is_left = attempts < LIMITS.webhook_attempts;
        if is_left {
            let due_ms = now_ms + (LIMITS.webhook_retry_ms << (attempts - 1));
            self.waiting.push(Delivery { attempts, due_ms, ..delivery });
        }
        is_left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notice(id: &str) -> Notice {
        Notice { id: id.to_owned(), body: String::new() }
    }

    #[test]
    fn a_failed_delivery_waits_longer_each_time_and_delays_no_other() {
        let mut queue = Deliveries::default();
        assert!(queue.push(notice("a"), 0) && queue.push(notice("b"), 0));
        let mut now = 0;
        let mut delays = Vec::new();
        let mut delivery = queue.take(now).expect("is due");
        assert_eq!(delivery.notice.id, "a");
        while queue.retry(delivery.clone(), now) {
            assert_eq!(queue.take(now).map(|one| one.notice.id), (now == 0).then(|| "b".to_owned()));
            let due = queue.next_due().expect("waits");
            delays.push((due - now) / 1000);
            now = due;
            delivery = queue.take(now).expect("is due");
        }
        assert_eq!(delays, [1, 2, 4, 8, 16, 32, 64, 128, 256]);
        assert_eq!(queue.next_due(), None);
    }

    #[test]
    fn the_queue_is_bounded() {
        let mut queue = Deliveries::default();
        assert!((0..256).all(|_| queue.push(notice("a"), 0)));
        assert!(!queue.push(notice("b"), 0));
        assert!(queue.take(0).is_some() && queue.push(notice("b"), 0));
    }
}
