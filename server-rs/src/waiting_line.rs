//! Orders requests that wait for events: the oldest first, and the newest first during a long overload (rule ING-10).
//!
//! During an overload, a line in the order of arrival serves only requests that waited for nearly the whole time limit.
//! Newest first, those that are served wait shortly, and the others wait for their refusal (decision 100).
//!
//! Invariant: one request at a time has the place, and the place passes on when the request gives it back or leaves.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::contract::TUNING;

/// The place in front, and the requests that wait for it.
#[derive(Debug, Default)]
pub struct WaitingLine {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    is_taken: bool,
    /// Ordered by `since`.
    waiting: VecDeque<Waiting>,
}

#[derive(Debug)]
struct Waiting {
    since: Instant,
    place: oneshot::Sender<Place>,
}

/// The place in front. Dropping it passes it on.
#[derive(Debug)]
pub(crate) struct Place {
    line: Arc<WaitingLine>,
}

impl WaitingLine {
    /// Waits for the place in front; `since` is when the request first waited. It leaves the line when it drops this
    /// future.
    pub(crate) async fn take(self: &Arc<Self>, since: Instant) -> Option<Place> {
        let place = {
            let mut state = self.state();
            if !state.is_taken {
                state.is_taken = true;
                return Some(Place { line: Arc::clone(self) });
            }
            let (place, wait) = oneshot::channel();
            state.forget_left();
            let at = state.waiting.partition_point(|waiting| waiting.since <= since);
            state.waiting.insert(at, Waiting { since, place });
            wait
        };
        place.await.ok()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let next = self.line.state().next();
        if let Some(next) = next {
            // When the request left meanwhile, this drops the place, which passes on again.
            drop(next.place.send(Place { line: Arc::clone(&self.line) }));
        }
    }
}

impl State {
    /// Removes the request that has its turn; without one the place is free.
    fn next(&mut self) -> Option<Waiting> {
        self.forget_left();
        let order = Duration::from_millis(TUNING.admission_order_ms);
        let is_long = self.waiting.front().is_some_and(|oldest| oldest.since.elapsed() > order);
        let mut next = None;
        while let Some(waiting) = if is_long { self.waiting.pop_back() } else { self.waiting.pop_front() } {
            if !waiting.place.is_closed() {
                next = Some(waiting);
                break;
            }
        }
        self.is_taken = next.is_some();
        next
    }

    /// Removes the oldest requests whose time is over, or whose client left.
    fn forget_left(&mut self) {
        while self.waiting.front().is_some_and(|oldest| oldest.place.is_closed()) {
            self.waiting.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::task::JoinHandle;

    use super::*;

    type Served = Arc<Mutex<Vec<&'static str>>>;

    /// Joins the line as a request that notes its name once it has the place.
    async fn join(line: &Arc<WaitingLine>, served: &Served, name: &'static str) -> JoinHandle<()> {
        let (line, served) = (Arc::clone(line), Arc::clone(served));
        let joined = tokio::spawn(async move {
            let _place = line.take(Instant::now()).await.expect("the place");
            served.lock().expect("no panic").push(name);
        });
        tokio::task::yield_now().await;
        joined
    }

    #[tokio::test]
    async fn a_short_line_is_served_in_the_order_of_arrival() {
        let (line, served) = (Arc::new(WaitingLine::default()), Served::default());
        let first = line.take(Instant::now()).await.expect("the place");
        let joined = [join(&line, &served, "oldest").await, join(&line, &served, "newest").await];
        drop(first);
        for request in joined {
            request.await.expect("no panic");
        }
        assert_eq!(*served.lock().expect("no panic"), ["oldest", "newest"]);
    }

    #[tokio::test]
    async fn a_long_wait_turns_the_order_around() {
        let (line, served) = (Arc::new(WaitingLine::default()), Served::default());
        let first = line.take(Instant::now()).await.expect("the place");
        let oldest = join(&line, &served, "oldest").await;
        tokio::time::sleep(Duration::from_millis(TUNING.admission_order_ms + 20)).await;
        let newer = [join(&line, &served, "newer").await, join(&line, &served, "newest").await];
        drop(first);
        for request in newer.into_iter().chain([oldest]) {
            request.await.expect("no panic");
        }
        assert_eq!(*served.lock().expect("no panic"), ["newest", "newer", "oldest"]);
    }

    #[tokio::test]
    async fn requests_that_left_are_passed_over_and_forgotten() {
        let (line, served) = (Arc::new(WaitingLine::default()), Served::default());
        let first = line.take(Instant::now()).await.expect("the place");
        for _ in 0..3 {
            let gone = join(&line, &served, "gone").await;
            gone.abort();
            assert!(gone.await.expect_err("aborted").is_cancelled());
        }
        let stays = join(&line, &served, "stays").await;
        assert_eq!(line.state().waiting.len(), 1, "only one still waits");
        let gone = join(&line, &served, "gone").await;
        gone.abort();
        drop((gone.await, first));
        stays.await.expect("no panic");
        assert!(line.take(Instant::now()).await.is_some(), "the place is free again");
        assert_eq!(*served.lock().expect("no panic"), ["stays"]);
        assert!(line.state().waiting.is_empty());
    }
}
