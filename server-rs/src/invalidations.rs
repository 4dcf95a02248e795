//! Notifies clients of the revisions of the topics that they follow.
//!
//! A change queues nothing for a client. It wakes the clients that wait. A client inside its interval, and a
//! slow client, read the revisions on their next turn. So the cost of a change grows with the number of
//! waiting clients. A slow client costs as much as it has topics. The newest id is the revision of every
//! topic except sessions. Sessions are read in rounds: one read for all followed sessions, one round at a
//! time.
//!
//! Invariants: revisions are published after their commit and never fall. No task holds a lock across an await. Knows
//! nothing of HTTP. Over 250 lines because a subscription and the fan-out share their state.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{Instant, sleep, sleep_until};

use crate::contract::TUNING;
use crate::error::ErrorCode;
use crate::slots::Slots;
use crate::store::Store;
use crate::store::cost::Cost;
use crate::store::query::last_deletion;
use crate::store::session_query::session_revision;
use crate::topics::Topic;

/// The fan-out; one per server.
#[derive(Debug)]
pub struct Invalidations {
    store: Arc<Store>,
    /// Shared with the other mode of the stream (rule STR-09).
    places: Arc<Semaphore>,
    sessions: Mutex<HashMap<Arc<str>, Watched>>,
    /// Number of followed sessions, counting each follower.
    followed: watch::Sender<usize>,
    /// The newest id up to which the revisions of the followed sessions are read.
    rounds: watch::Sender<i64>,
}

/// A session with at least one follower.
#[derive(Debug)]
struct Watched {
    revision: Arc<AtomicI64>,
    clients: Vec<Arc<Notify>>,
}

impl Invalidations {
    /// Follows a store; [`Invalidations::run`] must run.
    pub fn new(store: Arc<Store>, places: Arc<Semaphore>) -> Self {
        let newest = store.newest_id();
        Self {
            store,
            places,
            sessions: Mutex::default(),
            followed: watch::Sender::new(0),
            rounds: watch::Sender::new(newest),
        }
    }

    /// Reads the revisions of sessions while a client follows one; runs until dropped.
    pub async fn run(&self) {
        let mut newest = self.store.newest();
        let mut followed = self.followed.subscribe();
        loop {
            if followed.wait_for(|count| *count > 0).await.is_err() {
                return;
            }
            let newest_id = *newest.borrow_and_update();
            if *self.rounds.borrow() < newest_id {
                if self.round(newest_id).await.is_err() {
                    // The store has logged the reason; clients are notified once it can be read again.
                    sleep(Duration::from_millis(TUNING.storage_watch_ms)).await;
                }
                continue;
            }
            tokio::select! {
                changed = newest.changed() => if changed.is_err() { return },
                _ = followed.wait_for(|count| *count == 0) => {}
            }
        }
    }

    /// Reads the revision of every followed session, and wakes the followers of those that rose.
    async fn round(&self, newest: i64) -> Result<(), ErrorCode> {
        let ids: Vec<Arc<str>> = self.lock().keys().cloned().collect();
        let revisions = self.read(ids).await?;
        let sessions = self.lock();
        let mut risen = Vec::new();
        for (id, revision) in &revisions {
            if let Some(watched) = sessions.get(id)
                && watched.revision.fetch_max(*revision, Ordering::Relaxed) < *revision
            {
                risen.push(watched);
            }
        }
        // Set before the wake-ups, so that a client of a session and other topics is notified of both at once.
        self.rounds.send_replace(newest);
        risen.iter().flat_map(|watched| &watched.clients).for_each(|client| client.notify_one());
        Ok(())
    }

    /// Returns the revisions of sessions as of one moment. The revision of a session without events is that
    /// of the last deletion, or 0.
    async fn read(&self, ids: Vec<Arc<str>>) -> Result<Vec<(Arc<str>, i64)>, ErrorCode> {
        self.store
            .read_spawned(Cost::Bounded, move |connection| {
                let snapshot = connection.unchecked_transaction()?;
                let deletion = last_deletion(&snapshot)?;
                let revision = |id: Arc<str>| {
                    let found = session_revision(&snapshot, &id)?;
                    Ok((id, found.unwrap_or(deletion)))
                };
                ids.into_iter().map(revision).collect()
            })
            .await
    }

    /// Creates a client's subscription, with no topic reported yet; `None` when every place is taken (rule STR-09).
    /// Its notifications are at least `min_interval` apart.
    pub async fn subscribe(
        self: &Arc<Self>,
        topics: Vec<Topic>,
        min_interval: Duration,
    ) -> Result<Option<Subscription>, ErrorCode> {
        let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else {
            return Ok(None);
        };
        let woken = Arc::new(Notify::new());
        let revisions: Vec<_> = topics.iter().map(|topic| self.follow(topic, &woken)).collect();
        let sessions = revisions.iter().flatten().count();
        let mut subscription = Subscription {
            fan_out: Arc::clone(self),
            newest: if sessions == 0 { self.store.newest() } else { self.rounds.subscribe() },
            follows_newest: sessions < topics.len(),
            slots: Slots::new(topics.len()),
            due: Vec::with_capacity(topics.len()),
            topics,
            revisions,
            woken,
            min_interval,
            not_before: Instant::now(),
            _place: place,
        };
        subscription.offer(self.store.newest_id());
        if sessions > 0 {
            // Read after following, so that no change between the two is missed. It sets this client's revisions
            // only: a round must still see the rise, for other followers of the session.
            let found = self.read(subscription.session_ids().cloned().collect()).await?;
            let places = (0..).zip(&subscription.revisions).filter(|(_, revision)| revision.is_some());
            for ((at, _), (_, revision)) in places.zip(found) {
                subscription.slots.offer(at, revision);
            }
        }
        Ok(Some(subscription))
    }

    /// Registers a follower of a session; returns the cell that holds the session's revision.
    fn follow(&self, topic: &Topic, woken: &Arc<Notify>) -> Option<Arc<AtomicI64>> {
        let Topic::Session(id) = topic else { return None };
        let revision = {
            let mut sessions = self.lock();
            let fresh = || Watched { revision: Arc::new(AtomicI64::new(0)), clients: Vec::new() };
            let watched = sessions.entry(Arc::clone(id)).or_insert_with(fresh);
            watched.clients.push(Arc::clone(woken));
            Arc::clone(&watched.revision)
        };
        self.followed.send_modify(|count| *count += 1);
        Some(revision)
    }

    fn leave(&self, id: &Arc<str>, woken: &Arc<Notify>) {
        {
            let mut sessions = self.lock();
            if let Some(watched) = sessions.get_mut(id) {
                watched.clients.retain(|client| !Arc::ptr_eq(client, woken));
                if watched.clients.is_empty() {
                    sessions.remove(id);
                }
            }
        }
        self.followed.send_modify(|count| *count -= 1);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Arc<str>, Watched>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One client's topics, and their last reported revisions. Dropping it frees its place.
#[derive(Debug)]
pub struct Subscription {
    fan_out: Arc<Invalidations>,
    topics: Vec<Topic>,
    /// The revision of each topic that is a session.
    revisions: Vec<Option<Arc<AtomicI64>>>,
    /// The newest id. A follower of a session uses the id of the rounds, so that simultaneous changes are reported
    /// together.
    newest: watch::Receiver<i64>,
    follows_newest: bool,
    /// Notified when a session's revision rose.
    woken: Arc<Notify>,
    slots: Slots,
    due: Vec<(usize, i64)>,
    min_interval: Duration,
    not_before: Instant,
    _place: OwnedSemaphorePermit,
}

impl Subscription {
    /// Returns the topics whose revisions rose since the last report, in the order of the topics; the first time all
    /// of them. Waits for a change and for the end of the interval; `None` when the store has closed. Cancel-safe.
    pub async fn next(&mut self) -> Option<impl Iterator<Item = (&Topic, i64)> + Clone> {
        loop {
            if Instant::now() < self.not_before {
                // A change during the interval does not wake the client; it checks for changes afterwards.
                sleep_until(self.not_before).await;
            }
            let newest = *self.newest.borrow_and_update();
            self.offer(newest);
            self.due.clear();
            self.due.extend(self.slots.take());
            if !self.due.is_empty() {
                self.not_before = Instant::now() + self.min_interval;
                return Some(self.due.iter().map(|(at, revision)| (&self.topics[*at], *revision)));
            }
            tokio::select! {
                changed = self.newest.changed(), if self.follows_newest => changed.ok()?,
                () = self.woken.notified() => {}
            }
        }
    }

    fn offer(&mut self, newest: i64) {
        for (at, revision) in self.revisions.iter().enumerate() {
            let revision = revision.as_ref().map_or(newest, |revision| revision.load(Ordering::Relaxed));
            self.slots.offer(at, revision);
        }
    }

    fn session_ids(&self) -> impl Iterator<Item = &Arc<str>> {
        self.topics.iter().filter_map(|topic| match topic {
            Topic::Session(id) => Some(id),
            Topic::Events | Topic::Stats | Topic::Sessions => None,
        })
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.session_ids().for_each(|id| self.fan_out.leave(id, &self.woken));
    }
}
