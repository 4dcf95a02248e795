//! Passes the revisions of topics on to the clients that follow them.
//!
//! Nothing is put into a client's hands when something changes. One that waits is woken; one that was just told
//! something, or that is slow, is not, and looks at the revisions when it is its turn again. So a change costs as much
//! as there are clients that wait for it, and a slow client as much as it has topics. The newest id is the revision of
//! every topic but a session's; those are read in rounds, one read for all sessions that anyone follows, never two at
//! once. What must stay true: revisions are published after their commit and never fall; no lock is held while
//! anything waits. Knows nothing of HTTP.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{Instant, sleep, sleep_until};

use crate::contract::LIMITS;
use crate::error::ErrorCode;
use crate::slots::Slots;
use crate::store::Store;
use crate::store::cost::Cost;
use crate::store::session_query::session_revision;
use crate::topics::Topic;

/// The fan-out; one per server.
#[derive(Debug)]
pub struct Invalidations {
    store: Arc<Store>,
    /// Shared with the other mode of the stream (rule STR-09).
    places: Arc<Semaphore>,
    sessions: Mutex<HashMap<Arc<str>, Watched>>,
    /// How many sessions are followed, each as often as it is.
    followed: watch::Sender<usize>,
    /// The newest id behind which the revisions of the followed sessions have been read.
    rounds: watch::Sender<i64>,
}

/// A session that someone follows.
#[derive(Debug)]
struct Watched {
    revision: Arc<AtomicI64>,
    clients: Vec<Arc<Notify>>,
}

impl Invalidations {
    /// Follows a store; [`Invalidations::run`] has to run.
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

    /// Reads the revisions of sessions while anyone follows one; runs until dropped.
    pub async fn run(&self) {
        let mut newest = self.store.newest();
        let mut followed = self.followed.subscribe();
        loop {
            if followed.wait_for(|count| *count > 0).await.is_err() {
                return;
            }
            let target = *newest.borrow_and_update();
            if *self.rounds.borrow() < target {
                if self.round(target).await.is_err() {
                    // The store has said why; clients hear of it when it can be read again.
                    sleep(Duration::from_millis(LIMITS.storage_watch_ms)).await;
                }
                continue;
            }
            tokio::select! {
                changed = newest.changed() => if changed.is_err() { return },
                _ = followed.wait_for(|count| *count == 0) => {}
            }
        }
    }

    /// Reads what every followed session's revision is, and wakes those who follow one that rose.
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
        // Before anyone is woken, so that who follows a session and more is told of both at once.
        self.rounds.send_replace(newest);
        risen.iter().flat_map(|watched| &watched.clients).for_each(|client| client.notify_one());
        Ok(())
    }

    /// Revisions of sessions, all of one moment; 0 where no event has named one.
    async fn read(&self, ids: Vec<Arc<str>>) -> Result<Vec<(Arc<str>, i64)>, ErrorCode> {
        self.store
            .read_aside(Cost::Bounded, move |connection| {
                let snapshot = connection.unchecked_transaction()?;
                let revision =
                    |id: Arc<str>| Ok((Arc::clone(&id), session_revision(&snapshot, &id)?.unwrap_or(0)));
                ids.into_iter().map(revision).collect()
            })
            .await
    }

    /// A client's subscription, of which nothing was told yet; `None` when every place is taken (rule STR-09).
    /// Frames of its own come at the earliest `min_interval` apart.
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
            // After following, so that no change between the two is passed over. Into this client's slots alone: a
            // round has to see that a revision rose, for the others who follow the session.
            let found = self.read(subscription.session_ids().cloned().collect()).await?;
            let places = (0..).zip(&subscription.revisions).filter(|(_, revision)| revision.is_some());
            for ((at, _), (_, revision)) in places.zip(found) {
                subscription.slots.offer(at, revision);
            }
        }
        Ok(Some(subscription))
    }

    /// Enters a client for a session; where that session's revision will stand.
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

/// One client's topics, and what it was told of them. Dropping it gives its place back.
#[derive(Debug)]
pub struct Subscription {
    fan_out: Arc<Invalidations>,
    topics: Vec<Topic>,
    /// Of each topic that is a session, its revision.
    revisions: Vec<Option<Arc<AtomicI64>>>,
    /// The newest id; that of the rounds where a session is followed, so that what changed together is told together.
    newest: watch::Receiver<i64>,
    follows_newest: bool,
    /// Told when a session's revision rose.
    woken: Arc<Notify>,
    slots: Slots,
    due: Vec<(usize, i64)>,
    min_interval: Duration,
    not_before: Instant,
    _place: OwnedSemaphorePermit,
}

impl Subscription {
    /// The topics whose revisions have risen since they were last given, in the order of the topics; at first all of
    /// them. Waits until there is one and the interval is over; `None` when the store has closed. May be dropped
    /// while it waits.
    pub async fn next(&mut self) -> Option<impl Iterator<Item = (&Topic, i64)> + Clone> {
        loop {
            if Instant::now() < self.not_before {
                // Nobody wakes it meanwhile: what changes is only looked at when this is over.
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
