//! Amounts of a budget in whole cents, and the day that it holds for (rule NOT-05).
//!
//! Pure. A day is that of `--time-zone`.

use crate::contract::LIMITS;
use crate::zones::{Period, Zone, bucket_end, bucket_start, local_date};

/// Digits of the largest amount, before and after the point.
const WHOLE_DIGITS: usize = 7;
const CENT_DIGITS: usize = 2;

/// A day of a time zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Day {
    /// Its date, such as `2026-11-27`.
    pub date: String,
    /// Its beginning in Unix seconds.
    pub start_s: i64,
    /// The beginning of the next day.
    pub end_s: i64,
}

/// Returns the day of a time in Unix milliseconds.
pub fn day_of(zone: &Zone, now_ms: i64) -> Day {
    let (start_ms, end_ms) = (bucket_start(zone, Period::Day, now_ms), bucket_end(zone, Period::Day, now_ms));
    Day { date: local_date(zone, now_ms), start_s: start_ms / 1000, end_s: end_ms / 1000 }
}

/// Returns the cents of an amount such as `10` or `2.50`; `None` for any other text.
pub fn parse_budget(text: &str) -> Option<u64> {
    let (whole, cents) = text.split_once('.').unwrap_or((text, "0"));
    let is_number = |part: &str, most: usize| {
        (1..=most).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    if !is_number(whole, WHOLE_DIGITS) || !is_number(cents, CENT_DIGITS) {
        return None;
    }
    let amount = whole.parse::<u64>().ok()? * 100 + format!("{cents:0<2}").parse::<u64>().ok()?;
    #[expect(clippy::cast_precision_loss, reason = "at most nine digits")]
    let is_allowed = amount > 0 && amount as f64 <= LIMITS.max_cost_usd * 100.0;
    is_allowed.then_some(amount)
}

/// Returns the cents of a sum in US dollars, rounded half up.
pub fn cents_of(usd: f64) -> u64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "sums are not negative")]
    let cents = (usd * 100.0).round() as u64;
    cents
}

/// Returns an amount with two decimals.
pub fn dollars_text(cents: u64) -> String {
    format!("{}.{:02}", cents / 100, cents % 100)
}

/// Returns an amount as a JSON number.
pub fn dollars_json(cents: u64) -> serde_json::Value {
    #[expect(clippy::cast_precision_loss, reason = "a sum of a day is far below 2^53")]
    let dollars = cents as f64 / 100.0;
    if cents.is_multiple_of(100) { (cents / 100).into() } else { dollars.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zones::find_zone;

    #[test]
    fn an_amount_has_at_most_two_decimals() {
        let amounts =
            [("10", 1000), ("2.50", 250), ("2.5", 250), ("0.01", 1), ("1000000", 100_000_000), ("007", 700)];
        for (text, cents) in amounts {
            assert_eq!(parse_budget(text), Some(cents), "{text}");
        }
        for text in
            ["", "0", "0.00", ".5", "1.", "1.234", "-1", "+1", "1e3", "1000000.01", "12345678", " 1", "1,5"]
        {
            assert_eq!(parse_budget(text), None, "{text}");
        }
    }

    #[test]
    fn a_sum_is_rounded_to_cents_and_printed_with_two_decimals() {
        let sums = [(0.0, "0.00"), (0.125, "0.13"), (3.2, "3.20"), (9.994, "9.99"), (12.0, "12.00")];
        for (usd, text) in sums {
            assert_eq!(dollars_text(cents_of(usd)), text);
        }
        assert_eq!(dollars_json(1000).to_string(), "10");
        assert_eq!(dollars_json(320).to_string(), "3.2");
    }

    #[test]
    fn a_day_begins_at_local_midnight() {
        let zone = |name| find_zone(name).expect("a zone");
        let day = day_of(&zone("UTC"), 1_795_737_599_999);
        assert_eq!((day.date.as_str(), day.start_s, day.end_s), ("2026-11-26", 1_795_651_200, 1_795_737_600));
        assert_eq!(day_of(&zone("UTC"), 1_795_737_600_000).date, "2026-11-27");
        // 0:10 in Kolkata, and noon on the days of both changes in Berlin.
        let kolkata = day_of(&zone("Asia/Kolkata"), 1_795_718_400_000);
        assert_eq!((kolkata.date.as_str(), kolkata.start_s), ("2026-11-27", 1_795_717_800));
        for (noon, hours) in [(1_774_778_400_000, 23), (1_792_926_000_000, 25)] {
            let Day { start_s, end_s, .. } = day_of(&zone("Europe/Berlin"), noon);
            assert_eq!(end_s - start_s, hours * 3600);
        }
    }
}
