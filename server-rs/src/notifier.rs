//! Follows the newest committed id, and sends notifications of what it means (rules NOT-01 to NOT-05).
//!
//! It starts at the newest event of the start, so a restart sends nothing twice. Invariants: a round reads a bounded
//! number of events, and ingest waits neither for a read nor for a delivery.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::time::{sleep, timeout};

use crate::budget::{Day, day_of};
use crate::clock::Clock;
use crate::contract::{LIMITS, TUNING};
use crate::deliveries::{Deliveries, Delivery};
use crate::endpoint::Endpoint;
use crate::error::ErrorCode;
use crate::meters::NoticeResult;
use crate::notices::{Notice, NoticeRules, Notices};
use crate::store::Store;
use crate::store::cost::Cost;
use crate::store::signals::{day_cost, read_signals};
use crate::webhook::{Refusal, Webhook};
use crate::zones::Zone;

/// Sends the notifications of one server; [`Notifier::run`] must run.
#[derive(Debug)]
pub struct Notifier {
    store: Arc<Store>,
    webhook: Webhook,
    has_budget: bool,
    /// In which a day begins at midnight.
    zone: Zone,
    clock: Clock,
    started: Instant,
    /// The newest id at the start.
    first: i64,
    notices: Mutex<Notices>,
    deliveries: Mutex<Deliveries>,
    /// Wakes the delivery of a new notification.
    pushed: Notify,
}

impl Notifier {
    /// Starts after the newest event. A budget that is already passed is not reported again on this day.
    pub async fn start(store: Arc<Store>, endpoint: Arc<Endpoint>, rules: NoticeRules, clock: Clock) -> Self {
        let notifier = Self {
            webhook: Webhook::new(endpoint),
            has_budget: rules.budget_cents.is_some(),
            zone: rules.zone.clone(),
            clock,
            started: Instant::now(),
            first: store.newest_id(),
            notices: Mutex::new(Notices::new(rules)),
            deliveries: Mutex::default(),
            pushed: Notify::new(),
            store,
        };
        // The store has logged why a read failed; then the budget may be reported once more.
        drop(notifier.spend().await);
        notifier
    }

    /// Follows commits and delivers; runs until dropped.
    pub async fn run(&self) {
        tokio::join!(self.follow(), self.deliver());
    }

    async fn follow(&self) {
        let mut newest = self.store.newest();
        let mut cursor = self.first;
        loop {
            let newest_id = *newest.borrow_and_update();
            if cursor >= newest_id {
                if newest.changed().await.is_err() {
                    return;
                }
                continue;
            }
            let end = newest_id.min(cursor + TUNING.notice_page_events);
            match self.round(cursor, end).await {
                Ok(()) => cursor = end,
                // The store has logged the reason.
                Err(_) => sleep(Duration::from_millis(TUNING.storage_watch_ms)).await,
            }
            if cursor == newest_id {
                sleep(Duration::from_millis(TUNING.notice_interval_ms)).await;
            }
        }
    }

    /// Reads the signals above an id up to another one, and queues their notifications.
    async fn round(&self, after: i64, end: i64) -> Result<(), ErrorCode> {
        let read =
            self.store.read_spawned(Cost::Bounded, move |connection| read_signals(connection, after, end));
        let signals = read.await?;
        let found: Vec<Notice> = {
            let mut notices = self.notices.lock().unwrap_or_else(PoisonError::into_inner);
            signals.iter().filter_map(|signal| notices.observe(signal)).collect()
        };
        found.into_iter().chain(self.spend().await).for_each(|notice| self.push(notice));
        Ok(())
    }

    /// Returns the notification of a budget that the day's cost has just passed.
    async fn spend(&self) -> Option<Notice> {
        if !self.has_budget {
            return None;
        }
        let now_ms = self.clock.now_ms();
        let day = day_of(&self.zone, now_ms);
        let Day { start_s, end_s, .. } = day;
        let read =
            self.store.read_spawned(Cost::Bounded, move |connection| day_cost(connection, start_s, end_s));
        let usd = read.await.ok()?.usd;
        self.notices.lock().unwrap_or_else(PoisonError::into_inner).spend(&day, usd, now_ms)
    }

    fn push(&self, notice: Notice) {
        let id = notice.id.clone();
        if self.queue().push(notice, self.now_ms()) {
            self.pushed.notify_one();
        } else {
            tracing::warn!(id, "a notification was dropped, because too many wait");
            self.store.meters().count_notice(NoticeResult::Dropped);
        }
    }

    async fn deliver(&self) {
        loop {
            let (due, now) = (self.queue().next_due(), self.now_ms());
            match due {
                None => self.pushed.notified().await,
                Some(due) if due > now => {
                    // A new notification is due at once.
                    tokio::select! {
                        () = sleep(Duration::from_millis(due - now)) => {}
                        () = self.pushed.notified() => {}
                    }
                }
                Some(_) => {
                    let next = self.queue().take(now);
                    if let Some(delivery) = next {
                        self.attempt(delivery).await;
                    }
                }
            }
        }
    }

    async fn attempt(&self, delivery: Delivery) {
        let limit = Duration::from_millis(LIMITS.webhook_timeout_ms);
        let posted = timeout(limit, self.webhook.post(&delivery.notice, self.clock.now_s())).await;
        let refusal = match posted {
            Ok(Ok(())) => return self.store.meters().count_notice(NoticeResult::Delivered),
            Ok(Err(refusal)) => refusal,
            Err(_) => Refusal::Unreachable,
        };
        let (id, attempt) = (delivery.notice.id.clone(), delivery.attempts + 1);
        let status = if let Refusal::Status(status) = refusal { Some(status) } else { None };
        let is_left = self.queue().retry(delivery, self.now_ms());
        let result = if is_left { NoticeResult::Retried } else { NoticeResult::Failed };
        self.store.meters().count_notice(result);
        tracing::warn!(id, attempt, status, is_left, "a notification was not delivered");
    }

    fn queue(&self) -> MutexGuard<'_, Deliveries> {
        self.deliveries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}
