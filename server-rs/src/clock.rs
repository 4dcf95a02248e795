//! Reads the wall clock; timers use the monotonic clock instead.

use std::time::{SystemTime, UNIX_EPOCH};

/// The wall clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct Clock;

impl Clock {
    /// Returns the current time in Unix milliseconds.
    pub fn now_ms(self) -> i64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    }

    /// Returns the current time in Unix seconds.
    pub fn now_s(self) -> u64 {
        u64::try_from(self.now_ms() / 1000).unwrap_or_default()
    }
}
