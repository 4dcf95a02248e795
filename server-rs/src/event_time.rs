//! Decides when an event happened, and whether it is history (rules TIM-01 and TIM-03).
//!
//! Pure.

use crate::contract::LIMITS;

/// The times that an event says and those of its arrival, in Unix milliseconds.
#[derive(Debug, Clone, Copy)]
#[expect(missing_docs, reason = "each is the field or the column of its name")]
pub struct EventTimes {
    pub client_timestamp: Option<i64>,
    pub arrived_at: Option<i64>,
    pub created_at: i64,
}

impl EventTimes {
    /// Returns the time at which the event happened.
    pub fn time(&self) -> i64 {
        self.believed(self.client_timestamp).unwrap_or_else(|| self.first_arrival())
    }

    /// Returns whether the event is history. The clock of a live source may be slow, so its arrival counts instead.
    pub fn is_history(&self, is_live_source: bool) -> bool {
        let time = if is_live_source { self.first_arrival() } else { self.time() };
        time < self.created_at - LIMITS.history_ms
    }

    /// Returns whether the client says a time that does not count.
    pub fn is_ignored(&self) -> bool {
        self.client_timestamp.is_some() && self.believed(self.client_timestamp).is_none()
    }

    /// Returns the time at which the first server received the event.
    pub fn first_arrival(&self) -> i64 {
        self.believed(self.arrived_at).unwrap_or(self.created_at)
    }

    fn believed(&self, time: Option<i64>) -> Option<i64> {
        time.filter(|time| (LIMITS.time_min_ms..=self.created_at + LIMITS.time_ahead_ms).contains(time))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_800_000_000_000;

    fn times(client_timestamp: Option<i64>, arrived_at: Option<i64>) -> EventTimes {
        EventTimes { client_timestamp, arrived_at, created_at: NOW }
    }

    #[test]
    fn a_time_counts_from_2000_until_five_minutes_ahead() {
        for (said, expected) in [
            (None, NOW),
            (Some(946_684_799_999), NOW),
            (Some(946_684_800_000), 946_684_800_000),
            (Some(NOW - 1), NOW - 1),
            (Some(NOW + 300_000), NOW + 300_000),
            (Some(NOW + 300_001), NOW),
        ] {
            assert_eq!(times(said, None).time(), expected, "{said:?}");
            assert_eq!(times(None, said).time(), expected, "{said:?}");
            assert_eq!(times(said, None).is_ignored(), said.is_some_and(|said| said != expected), "{said:?}");
        }
        assert_eq!(times(Some(NOW - 5), Some(NOW - 3)).time(), NOW - 5);
        assert_eq!(times(Some(0), Some(NOW - 3)).time(), NOW - 3);
    }

    #[test]
    fn history_is_more_than_ten_minutes_old_at_its_arrival() {
        let old = Some(NOW - 600_001);
        assert!(times(old, None).is_history(false));
        assert!(!times(Some(NOW - 600_000), None).is_history(false));
        assert!(!times(old, None).is_history(true));
        assert!(times(None, old).is_history(true));
        assert!(times(None, old).is_history(false));
        assert!(!times(None, None).is_history(false));
    }
}
