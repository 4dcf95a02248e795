//! Reads the wall clock; timers use the monotonic clock instead.
//!
//! Invariant: a time is from `clock_least_ms` to `clock_most_ms`, so that each text of it has the same form. While the
//! clock shows another time, the last one within these bounds counts (rule PRO-22).

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::contract::LIMITS;

/// The last time within the bounds, in Unix milliseconds.
static LAST_MS: AtomicI64 = AtomicI64::new(0);

/// The wall clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct Clock;

impl Clock {
    /// Returns the current time in Unix milliseconds.
    pub fn now_ms(self) -> i64 {
        match sound_ms() {
            Some(now) => {
                LAST_MS.store(now, Ordering::Relaxed);
                now
            }
            None => LAST_MS.load(Ordering::Relaxed),
        }
    }

    /// Returns the current time in Unix seconds.
    pub fn now_s(self) -> u64 {
        u64::try_from(self.now_ms() / 1000).unwrap_or_default()
    }

    /// Returns the current time.
    pub fn now(self) -> SystemTime {
        UNIX_EPOCH + Duration::from_millis(u64::try_from(self.now_ms()).unwrap_or_default())
    }

    /// Returns the last time within the bounds while the clock shows another; `None` while it is right.
    pub fn held(self) -> Option<SystemTime> {
        sound_ms().is_none().then(|| self.now())
    }

    /// Returns whether the clock shows a time within the bounds. A server starts only then.
    pub fn is_sound(self) -> bool {
        self.now_ms() > 0
    }
}

fn sound_ms() -> Option<i64> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    let now = i64::try_from(since.as_millis()).ok()?;
    (LIMITS.clock_least_ms..=LIMITS.clock_most_ms).contains(&now).then_some(now)
}
