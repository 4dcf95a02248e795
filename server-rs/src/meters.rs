//! Counts what the server does, as numbers that a request adds to without a lock (rule MTR-02).
//!
//! `metrics` turns them into text. Invariants: each fact is counted in one place. The numbers of series are bounded by
//! the lists of `metrics.json`, `routes.json` and `vocabulary.json`.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::contract::metrics::Family;
pub use crate::contract::metrics::{EventOutcome, EventSource, NoticeResult};
use crate::contract::{METRICS, ROUTES};
use crate::error::ErrorCode;
use crate::histogram::{Histogram, NANOS};

/// Number of commits whose time is known.
const COMMITS: usize = 1024;

/// The numbers of one server.
#[derive(Debug)]
pub struct Meters {
    exact_routes: HashMap<&'static str, usize>,
    /// Routes with a parameter in their path.
    open_routes: Vec<(&'static str, usize)>,
    requests: Vec<AtomicU64>,
    request_durations: Vec<Histogram>,
    events: Vec<AtomicU64>,
    refusals: Vec<AtomicU64>,
    notices: Vec<AtomicU64>,
    /// Valid events of each group.
    pub group_events: Histogram,
    /// Time of each committed group.
    pub commit_durations: Histogram,
    /// Time of each checkpoint.
    pub checkpoint_durations: Histogram,
    /// Time from a commit to the write of its frames.
    pub delivery_lags: Histogram,
    ignored_times: AtomicU64,
    deleted_events: AtomicU64,
    deletion_steps: AtomicU64,
    /// Start of the times in `commits`.
    started: Instant,
    /// The newest id of each commit, and its time in nanoseconds.
    commits: Vec<(AtomicI64, AtomicU64)>,
    commit_count: AtomicUsize,
}

impl Meters {
    /// Starts with zero counts.
    pub fn new() -> Self {
        let routes = ROUTES.iter().enumerate().map(|(place, route)| (route.path, place));
        let (open_routes, exact_routes): (Vec<_>, Vec<_>) = routes.partition(|(path, _)| path.contains('{'));
        let count = ROUTES.len() + 1;
        let durations = || Histogram::new(Family::IngestHttpRequestDurationSeconds, NANOS);
        Self {
            exact_routes: exact_routes.into_iter().collect(),
            open_routes,
            requests: zeros(count * (METRICS.values.method.len() + 1) * METRICS.values.status.len()),
            request_durations: (0..count).map(|_| durations()).collect(),
            events: zeros(METRICS.values.outcome.len() * METRICS.values.source.len()),
            refusals: zeros(ErrorCode::ALL.len()),
            notices: zeros(METRICS.values.result.len()),
            group_events: Histogram::new(Family::IngestGroupEvents, 1.0),
            commit_durations: Histogram::new(Family::IngestCommitDurationSeconds, NANOS),
            checkpoint_durations: Histogram::new(Family::IngestCheckpointDurationSeconds, NANOS),
            delivery_lags: Histogram::new(Family::IngestStreamDeliveryLagSeconds, NANOS),
            ignored_times: AtomicU64::new(0),
            deleted_events: AtomicU64::new(0),
            deletion_steps: AtomicU64::new(0),
            started: Instant::now(),
            commits: (0..COMMITS).map(|_| (AtomicI64::new(0), AtomicU64::new(0))).collect(),
            commit_count: AtomicUsize::new(0),
        }
    }

    /// Returns the place of the route that a path matches; the last place is that of all other paths.
    pub fn route_of(&self, path: &str) -> usize {
        let open = || self.open_routes.iter().find(|(route, _)| matches_route(route, path));
        let found = self.exact_routes.get(path).copied().or_else(|| open().map(|(_, place)| *place));
        found.unwrap_or(ROUTES.len())
    }

    /// Returns the place of a method; the last place is that of all other methods.
    pub fn method_of(method: &str) -> usize {
        let methods = &METRICS.values.method;
        methods.iter().position(|known| *known == method).unwrap_or(methods.len())
    }

    /// Counts an answered request by the places of its route and its method.
    pub fn count_request(&self, route: usize, method: usize, status: u16, duration: Duration) {
        let statuses = &METRICS.values.status;
        if let Some(status) = statuses.iter().position(|known| *known == status) {
            let methods = METRICS.values.method.len() + 1;
            add(&self.requests[(route * methods + method) * statuses.len() + status], 1);
        }
        self.request_durations[route].observe_time(duration);
    }

    /// Counts an answer with an error.
    pub fn count_refusal(&self, code: ErrorCode) {
        add(&self.refusals[code as usize], 1);
    }

    /// Counts events with one outcome.
    pub fn count_events(&self, outcome: EventOutcome, source: EventSource, count: usize) {
        if count > 0 {
            add(&self.events[outcome as usize * METRICS.values.source.len() + source as usize], count as u64);
        }
    }

    /// Counts a committed group; `newest` is its newest id when a row was stored.
    pub fn count_group(&self, events: usize, duration: Duration, newest: Option<i64>) {
        self.group_events.observe(events as u64);
        self.commit_durations.observe_time(duration);
        let Some(newest) = newest else { return };
        let count = self.commit_count.load(Ordering::Relaxed);
        let (id, time) = &self.commits[count % COMMITS];
        time.store(self.now_nanos(), Ordering::Relaxed);
        id.store(newest, Ordering::Relaxed);
        self.commit_count.store(count + 1, Ordering::Release);
    }

    /// Counts stored events with a client's time that does not count (rule TIM-01).
    pub fn count_ignored_times(&self, events: u64) {
        add(&self.ignored_times, events);
    }

    /// Counts a committed step of a deletion.
    pub fn count_deletion(&self, events: u64) {
        add(&self.deleted_events, events);
        add(&self.deletion_steps, 1);
    }

    /// Counts a write of frames to a client, whose oldest event has this id. Ignores an event that was committed
    /// before the last 1,024 groups.
    pub fn count_delivery(&self, id: i64) {
        let count = self.commit_count.load(Ordering::Acquire);
        let (mut committed, mut is_known) = (None, count <= COMMITS);
        for place in (count.saturating_sub(COMMITS)..count).rev() {
            let (newest, time) = &self.commits[place % COMMITS];
            if newest.load(Ordering::Relaxed) < id {
                is_known = true;
                break;
            }
            committed = Some(time.load(Ordering::Relaxed));
        }
        if let Some(time) = committed.filter(|_| is_known) {
            self.delivery_lags.observe(self.now_nanos().saturating_sub(time));
        }
    }

    /// Counts a notification, or one of its attempts.
    pub fn count_notice(&self, result: NoticeResult) {
        add(&self.notices[result as usize], 1);
    }

    /// Returns the answered requests as places of route, method and status, with their count; those above 0.
    pub fn requests(&self) -> impl Iterator<Item = (usize, usize, usize, u64)> {
        let (methods, statuses) = (METRICS.values.method.len() + 1, METRICS.values.status.len());
        let counts = self.requests.iter().map(get).enumerate().filter(|(_, count)| *count > 0);
        counts.map(move |(place, count)| {
            (place / statuses / methods, place / statuses % methods, place % statuses, count)
        })
    }

    /// Returns the durations of each route; the last one is that of all other paths.
    pub fn request_durations(&self) -> &[Histogram] {
        &self.request_durations
    }

    /// Returns the counts of events by outcome, then by source.
    pub fn events(&self) -> impl Iterator<Item = u64> {
        self.events.iter().map(get)
    }

    /// Returns the counts of refusals, in the order of [`ErrorCode::ALL`].
    pub fn refusals(&self) -> impl Iterator<Item = u64> {
        self.refusals.iter().map(get)
    }

    /// Returns the counts of notifications by result.
    pub fn notices(&self) -> impl Iterator<Item = u64> {
        self.notices.iter().map(get)
    }

    /// Returns the number of deleted events, and of the transactions that deleted them.
    pub fn deletions(&self) -> (u64, u64) {
        (get(&self.deleted_events), get(&self.deletion_steps))
    }

    /// Returns the number of stored events with a client's time that does not count.
    pub fn ignored_times(&self) -> u64 {
        get(&self.ignored_times)
    }

    fn now_nanos(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}

impl Default for Meters {
    fn default() -> Self {
        Self::new()
    }
}

/// Returns whether a path matches a route with parameters: each matches one segment that is not empty.
fn matches_route(route: &str, path: &str) -> bool {
    let (mut wanted, mut found) = (route.split('/'), path.split('/'));
    loop {
        match (wanted.next(), found.next()) {
            (None, None) => return true,
            (Some(wanted), Some(found)) if wanted == found => {}
            (Some(wanted), Some(found)) if wanted.starts_with('{') && !found.is_empty() => {}
            _ => return false,
        }
    }
}

fn zeros(count: usize) -> Vec<AtomicU64> {
    std::iter::repeat_with(|| AtomicU64::new(0)).take(count).collect()
}

fn add(number: &AtomicU64, count: u64) {
    number.fetch_add(count, Ordering::Relaxed);
}

fn get(number: &AtomicU64) -> u64 {
    number.load(Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_match_their_routes() {
        let meters = Meters::new();
        let route = |path: &str| ROUTES.get(meters.route_of(path)).map(|route| route.path);
        assert_eq!(route("/api/events"), Some("/api/events"));
        assert_eq!(route("/api/events/7"), Some("/api/events/{id}"));
        assert_eq!(route("/api/events/7/attachments/a.txt"), Some("/api/events/{id}/attachments/{name}"));
        assert_eq!(route("/api/snapshot/events"), Some("/api/snapshot/events"));
        assert_eq!(route("/api/snapshot/stats"), Some("/api/snapshot/{topic}"));
        for path in ["/api/events/", "/api/events/7/", "/API/EVENTS", "/nowhere", ""] {
            assert_eq!(route(path), None, "{path}");
        }
    }

    #[test]
    fn delivery_is_counted_for_an_event_of_a_known_commit() {
        let meters = Meters::new();
        let count = || meters.delivery_lags.cumulative().last().copied();
        meters.count_delivery(1);
        assert_eq!(count(), Some(0), "no commit is known");
        for group in 0..3 {
            meters.count_group(10, Duration::ZERO, Some((group + 1) * 10));
        }
        meters.count_delivery(15);
        assert_eq!(count(), Some(1));
        meters.count_delivery(31);
        assert_eq!(count(), Some(1), "the event is not committed");
        for group in 3..COMMITS as i64 + 3 {
            meters.count_group(10, Duration::ZERO, Some((group + 1) * 10));
        }
        meters.count_delivery(15);
        assert_eq!(count(), Some(1), "the commit is too old");
    }

    #[test]
    fn every_status_of_an_error_is_listed() {
        for spec in ErrorCode::ALL.map(ErrorCode::error_spec) {
            assert!(METRICS.values.status.contains(&spec.status), "{}", spec.status);
        }
    }
}
