//! Finds the hours, days, weeks and months of a time zone (rules PRO-23 and PRO-24).
//!
//! Pure. The changes of the clocks are those of `zones.json`, so both servers use equal data on every machine. Before
//! the first day of the file its first offset counts, and after the last day its last offset.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::contract::{ZONES, parse};
use crate::timestamp::{format_timestamp, parse_timestamp};

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 86_400_000;
/// No offset is larger in either direction.
const LARGEST_OFFSET_MS: i64 = 15 * HOUR_MS;
/// Days from 0000-03-01 to 1970-01-01, and those of 400 years.
const EPOCH_DAY: i64 = 719_468;
const ERA_DAYS: i64 = 146_097;
/// More days than a month has, and fewer than two months have.
const MONTH_DAYS: i64 = 31;
/// 1970-01-01 was a Thursday.
const EPOCH_WEEKDAY: i64 = 3;
const WEEK_DAYS: i64 = 7;

/// The time zone of UTC.
pub const UTC: &str = "UTC";

/// The periods that begin by the local clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "said by their names")]
pub enum Period {
    Hour,
    Day,
    /// It begins on Monday (ISO 8601).
    Week,
    Month,
}

/// From this time on, local time is that of UTC and this offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Change {
    from_ms: i64,
    offset_ms: i64,
}

/// A time zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zone {
    /// Its name, such as `Europe/Berlin`.
    pub name: String,
    /// The first one has no beginning.
    changes: Vec<Change>,
}

/// `zones.json`.
#[derive(Debug, Deserialize)]
struct ZonesFile {
    first: String,
    tables: Vec<Table>,
}

/// The zones with equal changes.
#[derive(Debug, Deserialize)]
struct Table {
    names: String,
    changes: String,
}

static FILE: LazyLock<ZonesFile> = LazyLock::new(|| parse("zones.json", ZONES));

/// Returns the zone with exactly this name.
pub fn find_zone(name: &str) -> Option<Zone> {
    let table = FILE.tables.iter().find(|table| table.names.split(' ').any(|one| one == name))?;
    Some(Zone { name: name.to_owned(), changes: changes_of(&table.changes) })
}

/// Returns the names of all zones.
pub fn zone_names() -> impl Iterator<Item = &'static str> {
    FILE.tables.iter().flat_map(|table| table.names.split(' '))
}

/// Returns the first instant of the period that contains a time. Both are Unix milliseconds.
pub fn bucket_start(zone: &Zone, period: Period, time_ms: i64) -> i64 {
    match period {
        Period::Hour => {
            let (change, start, _) = hour_around(zone, time_ms);
            if shifts_minutes(zone, change) { start.max(zone.changes[change].from_ms) } else { start }
        }
        _ => day_start(zone, first_day(period, day_at(zone, time_ms))),
    }
}

/// Returns the first instant after the period that contains a time. Both are Unix milliseconds.
pub fn bucket_end(zone: &Zone, period: Period, time_ms: i64) -> i64 {
    match period {
        Period::Hour => {
            let (change, _, end) = hour_around(zone, time_ms);
            if shifts_minutes(zone, change + 1) { end.min(zone.changes[change + 1].from_ms) } else { end }
        }
        _ => day_start(zone, next_day(period, day_at(zone, time_ms))),
    }
}

/// Returns the date of the local day that contains a time, such as `2026-11-27`.
pub fn local_date(zone: &Zone, time_ms: i64) -> String {
    format_timestamp(day_at(zone, time_ms) * DAY_MS).chars().take_while(|one| *one != 'T').collect()
}

/// Parses the first offset, then each change with the minutes since the previous one.
fn changes_of(text: &str) -> Vec<Change> {
    let minutes = |text: &str| text.parse::<i64>().unwrap_or_default() * MINUTE_MS;
    let mut from_ms = parse_timestamp(&format!("{}T00:00:00Z", FILE.first)).unwrap_or_default();
    let changes = text.split(' ').map(|word| match word.split_once(':') {
        None => Change { from_ms: i64::MIN, offset_ms: minutes(word) },
        Some((since, offset)) => {
            from_ms += minutes(since);
            Change { from_ms, offset_ms: minutes(offset) }
        }
    });
    changes.collect()
}

/// Returns the index of the change that holds at a time.
fn change_at(zone: &Zone, time_ms: i64) -> usize {
    zone.changes.partition_point(|change| change.from_ms <= time_ms).saturating_sub(1)
}

/// Returns the change that holds at a time, and the bounds of the hour by its offset.
fn hour_around(zone: &Zone, time_ms: i64) -> (usize, i64, i64) {
    let change = change_at(zone, time_ms);
    let offset_ms = zone.changes[change].offset_ms;
    let start = (time_ms + offset_ms).div_euclid(HOUR_MS) * HOUR_MS - offset_ms;
    (change, start, start + HOUR_MS)
}

/// Returns whether a change moves the minutes of the clock. Such a change ends an hour.
fn shifts_minutes(zone: &Zone, change: usize) -> bool {
    let (Some(next), Some(previous)) =
        (zone.changes.get(change), change.checked_sub(1).and_then(|index| zone.changes.get(index)))
    else {
        return false;
    };
    (next.offset_ms - previous.offset_ms) % HOUR_MS != 0
}

/// Returns the day that contains a time, as days since 1970-01-01.
fn day_at(zone: &Zone, time_ms: i64) -> i64 {
    let local = (time_ms + zone.changes[change_at(zone, time_ms)].offset_ms).div_euclid(DAY_MS);
    // A clock that was set back from shortly after midnight shows the date of the day before again.
    if day_start(zone, local + 1) <= time_ms { local + 1 } else { local }
}

/// Returns the first instant with the date of a day. The clocks of a few zones skipped a day; it is empty.
fn day_start(zone: &Zone, day: i64) -> i64 {
    let midnight = day * DAY_MS;
    let mut index = change_at(zone, midnight - LARGEST_OFFSET_MS);
    loop {
        let Change { from_ms, offset_ms } = zone.changes[index];
        let start = from_ms.max(midnight - offset_ms);
        match zone.changes.get(index + 1) {
            Some(next) if start >= next.from_ms => index += 1,
            _ => return start,
        }
    }
}

/// Returns the first day of the week or the month that contains a day.
fn first_day(period: Period, day: i64) -> i64 {
    match period {
        Period::Hour | Period::Day => day,
        Period::Week => day - (day + EPOCH_WEEKDAY).rem_euclid(WEEK_DAYS),
        Period::Month => day - days_before_in_month(day),
    }
}

/// Returns the first day after the period that contains a day.
fn next_day(period: Period, day: i64) -> i64 {
    let first = first_day(period, day);
    match period {
        Period::Hour | Period::Day => first + 1,
        Period::Week => first + WEEK_DAYS,
        Period::Month => first_day(period, first + MONTH_DAYS),
    }
}

/// Returns the number of days from the first of the month to a day. Years begin in March, so leap days come last.
fn days_before_in_month(day: i64) -> i64 {
    let of_era = (day + EPOCH_DAY).rem_euclid(ERA_DAYS);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / (ERA_DAYS - 1)) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    of_year - (153 * month + 2) / 5
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bounds of periods that `Intl.DateTimeFormat` found.
    const EXPECTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../testkit/expected/zone-periods.json");
    /// Times are tried from 1990 to 2050, which includes both ends of the file.
    const FIRST_MS: i64 = 631_152_000_000;
    const RANGE_MS: u64 = 1_893_456_000_000;
    const QUARTER_MS: i64 = 900_000;
    const PERIODS: [Period; 4] = [Period::Hour, Period::Day, Period::Week, Period::Month];

    #[derive(Deserialize)]
    struct Expected {
        cases: Vec<Case>,
    }

    #[derive(Deserialize)]
    struct Case {
        zone: String,
        bucket: String,
        time: String,
        start: String,
        end: String,
        date: String,
    }

    /// A small generator of random numbers (xorshift), so that a failure repeats.
    fn random(state: &mut u64) -> u64 {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        *state
    }

    /// Checks the period that contains a time, and the next one.
    fn check(zone: &Zone, period: Period, time: i64) {
        let (start, end) = (bucket_start(zone, period, time), bucket_end(zone, period, time));
        let what = format!("{} {period:?} {time}: {start} to {end}", zone.name);
        assert!(start <= time && time < end, "{what}");
        assert_eq!(bucket_start(zone, period, end), end, "{what}");
        assert_eq!(bucket_end(zone, period, end - 1), end, "{what}");
        assert_eq!(bucket_start(zone, period, end - 1), start, "{what}");
        assert_eq!(bucket_end(zone, period, start), end, "{what}");
        assert_eq!((start.rem_euclid(QUARTER_MS), end.rem_euclid(QUARTER_MS)), (0, 0), "{what}");
        if period == Period::Hour {
            assert!(end - start <= HOUR_MS, "{what}");
        }
    }

    #[test]
    fn periods_have_neither_gaps_nor_overlaps_in_any_zone() {
        let mut state = 59;
        for name in zone_names() {
            let zone = find_zone(name).expect("a zone of the file");
            for _ in 0..40 {
                let time = FIRST_MS + i64::try_from(random(&mut state) % RANGE_MS).expect("in range");
                PERIODS.iter().for_each(|period| check(&zone, *period, time));
            }
            for change in &zone.changes[1..] {
                for time in [-DAY_MS, -HOUR_MS, -1, 0, 1, HOUR_MS, DAY_MS].map(|by| change.from_ms + by) {
                    PERIODS.iter().for_each(|period| check(&zone, *period, time));
                }
            }
        }
    }

    #[test]
    fn periods_are_those_that_intl_found() {
        let text = std::fs::read_to_string(EXPECTED).expect("a file");
        let Expected { cases } = serde_json::from_str(&text).expect("JSON");
        assert!(cases.len() > 100, "{}", cases.len());
        for Case { zone, bucket, time, start, end, date } in cases {
            let found = find_zone(&zone).expect("a zone of the file");
            let period = match bucket.as_str() {
                "hour" => Period::Hour,
                "day" => Period::Day,
                "week" => Period::Week,
                "month" => Period::Month,
                other => panic!("{other}"),
            };
            let at = parse_timestamp(&time).expect("a time");
            let what = format!("{zone} {bucket} {time}");
            assert_eq!(format_timestamp(bucket_start(&found, period, at)), start, "{what}");
            assert_eq!(format_timestamp(bucket_end(&found, period, at)), end, "{what}");
            assert_eq!(local_date(&found, at), date, "{what}");
        }
    }

    #[test]
    fn a_zone_is_found_by_its_exact_name_and_by_older_names() {
        for (one, other) in [
            ("Asia/Calcutta", "Asia/Kolkata"),
            ("Asia/Katmandu", "Asia/Kathmandu"),
            ("Europe/Kiev", "Europe/Kyiv"),
            ("US/Eastern", "America/New_York"),
            ("Etc/UTC", UTC),
            ("GMT", UTC),
        ] {
            let (one, other) = (find_zone(one).expect("a zone"), find_zone(other).expect("a zone"));
            assert_eq!(one.changes, other.changes, "{}", one.name);
        }
        for name in ["", " ", "utc", "Europe", "Europe/Berlin ", "UTC Universal", "Mars/Phobos"] {
            assert_eq!(find_zone(name), None, "{name}");
        }
    }

    #[test]
    fn outside_of_the_file_the_nearest_offset_counts() {
        let berlin = find_zone("Europe/Berlin").expect("a zone");
        // Summer, in which the file would have another offset.
        for (time, start) in [
            ("1990-07-01T12:00:00Z", "1990-06-30T23:00:00.000Z"),
            ("2050-07-01T12:00:00Z", "2050-06-30T23:00:00.000Z"),
        ] {
            let time = parse_timestamp(time).expect("a time");
            assert_eq!(format_timestamp(bucket_start(&berlin, Period::Day, time)), start);
        }
    }
}
