//! Knows whether requests are in progress, and ends an idle wait when there were none for the time of `--idle-exit`
//! (rule PRO-18).
//!
//! Without the flag a request costs one comparison.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The requests in progress.
#[derive(Debug)]
pub struct Activity {
    /// `None`: no limit, so nothing is counted.
    limit: Option<Duration>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    requests: usize,
    idle_since: Instant,
}

/// One request in progress, until it is dropped.
#[derive(Debug)]
pub struct InProgress(Arc<Activity>);

impl Activity {
    /// Creates the count; 0 seconds are no limit.
    pub fn new(idle_exit_s: u64) -> Arc<Self> {
        let limit = (idle_exit_s > 0).then(|| Duration::from_secs(idle_exit_s));
        Arc::new(Self { limit, state: Mutex::new(State { requests: 0, idle_since: Instant::now() }) })
    }

    /// Counts a request; `None` without a limit.
    pub fn begin(self: &Arc<Self>) -> Option<InProgress> {
        self.limit?;
        self.with_state(|state| state.requests += 1);
        Some(InProgress(Arc::clone(self)))
    }

    /// Resolves when there was no request for the time of the limit; never without one.
    pub async fn idle(&self) {
        let Some(limit) = self.limit else { return std::future::pending().await };
        loop {
            let rest = self.with_state(|state| match state.requests {
                0 => limit.saturating_sub(state.idle_since.elapsed()),
                _ => limit,
            });
            if rest.is_zero() {
                return;
            }
            tokio::time::sleep(rest).await;
        }
    }

    fn with_state<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        work(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for InProgress {
    fn drop(&mut self) {
        self.0.with_state(|state| {
            state.requests -= 1;
            state.idle_since = Instant::now();
        });
    }
}
