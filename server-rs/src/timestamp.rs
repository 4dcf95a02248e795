//! Converts RFC 3339 date-times to Unix milliseconds and back (rule EVT-08).
//!
//! Pure. The `time` crate computes the calendar. The contract defines the grammar, which is stricter than most
//! parsers.

use time::{Date, Month};

const DAY_MS: i64 = 86_400_000;
/// Range of times: 0000-01-01T00:00:00.000Z to 9999-12-31T23:59:59.999Z.
const RANGE_MS: std::ops::RangeInclusive<i64> = -62_167_219_200_000..=253_402_300_799_999;

/// Returns the Unix milliseconds of a date-time, without finer digits; `None` when the text is not a valid
/// timestamp.
pub fn parse_timestamp(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    let fixed = bytes.first_chunk::<19>()?;
    let separators = fixed[4] == b'-'
        && fixed[7] == b'-'
        && matches!(fixed[10], b'T' | b't')
        && fixed[13] == b':'
        && fixed[16] == b':';
    let year = digits(&fixed[0..4])?;
    let month = Month::try_from(u8::try_from(digits(&fixed[5..7])?).ok()?).ok()?;
    let date = Date::from_calendar_date(year, month, u8::try_from(digits(&fixed[8..10])?).ok()?).ok()?;
    let (hour, minute, second) = (digits(&fixed[11..13])?, digits(&fixed[14..16])?, digits(&fixed[17..19])?);
    if !separators || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let (millis, zone) = fraction(&bytes[19..])?;
    let offset_minutes = offset(zone)?;
    let days = i64::from(date.to_julian_day()) - i64::from(UNIX_EPOCH_JULIAN_DAY);
    let seconds = i64::from(hour * 3600 + minute * 60 + second);
    let ms = days * DAY_MS + seconds * 1000 + millis - offset_minutes * 60_000;
    is_in_range(ms).then_some(ms)
}

const UNIX_EPOCH_JULIAN_DAY: i32 = 2_440_588;

/// Returns the milliseconds after the decimal point, and the text after the fraction.
fn fraction(rest: &[u8]) -> Option<(i64, &[u8])> {
    let Some(after) = rest.strip_prefix(b".") else {
        return Some((0, rest));
    };
    let count = after.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if count == 0 {
        return None;
    }
    let millis = (0..3).fold(0, |sum, i| sum * 10 + i64::from(if i < count { after[i] - b'0' } else { 0 }));
    Some((millis, &after[count..]))
}

/// Returns the minutes east of UTC.
fn offset(zone: &[u8]) -> Option<i64> {
    match zone {
        [b'Z' | b'z'] => Some(0),
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
            let (hours, minutes) = (digits(&[*h1, *h2])?, digits(&[*m1, *m2])?);
            let size = i64::from(hours * 60 + minutes);
            (hours < 24 && minutes < 60).then_some(if *sign == b'-' { -size } else { size })
        }
        _ => None,
    }
}

fn digits(bytes: &[u8]) -> Option<i32> {
    bytes.iter().try_fold(0, |sum, byte| byte.is_ascii_digit().then(|| sum * 10 + i32::from(byte - b'0')))
}

/// Returns whether a time is in the years 0000 to 9999.
pub fn is_in_range(ms: i64) -> bool {
    RANGE_MS.contains(&ms)
}

/// Formats Unix milliseconds within the years 0000 to 9999, for example `2026-02-18T18:06:41.231Z`.
pub fn format_timestamp(ms: i64) -> String {
    let (days, of_day) = (ms.div_euclid(DAY_MS), ms.rem_euclid(DAY_MS));
    let julian = i32::try_from(days).unwrap_or(0).saturating_add(UNIX_EPOCH_JULIAN_DAY);
    let (year, month, day) = Date::from_julian_day(julian)
        .map_or((0, 1, 1), |date| (date.year(), u8::from(date.month()), date.day()));
    let (hour, minute) = (of_day / 3_600_000, of_day / 60_000 % 60);
    let (second, milli) = (of_day / 1000 % 60, of_day % 1000);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rfc_3339_times_parse_and_format_back() {
        let cases = [
            ("2026-02-18T18:06:41.2319Z", "2026-02-18T18:06:41.231Z"),
            ("2026-02-18t18:06:41z", "2026-02-18T18:06:41.000Z"),
            ("2026-02-18T18:06:41.5-00:00", "2026-02-18T18:06:41.500Z"),
            ("2024-02-29T23:30:00+14:00", "2024-02-29T09:30:00.000Z"),
            ("0000-01-01T00:00:00Z", "0000-01-01T00:00:00.000Z"),
            ("9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999Z"),
            ("1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"),
        ];
        for (text, expected) in cases {
            assert_eq!(parse_timestamp(text).map(format_timestamp).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn any_other_text_is_not_a_time() {
        let cases = [
            "",
            "2026",
            "2026-02-18",
            "2026-02-30T00:00:00Z",
            "1900-02-29T00:00:00Z",
            "2026-02-18 18:06:41Z",
            "2026-02-18T24:00:00Z",
            "2026-02-18T23:59:60Z",
            "2026-02-18T18:06:41",
            "2026-02-18T18:06:41.Z",
            "2026-02-18T18:06:41+24:00",
            "2026-02-18T18:06:41+1:00",
            " 2026-02-18T18:06:41Z",
            "2026-02-18T18:06Z",
            "0000-01-01T00:00:00+00:01",
            "9999-12-31T23:59:59-00:01",
            "2026-13-01T00:00:00Z",
            "2026-02-18T18:06:41Z ",
            "２026-02-18T18:06:41Z",
        ];
        for text in cases {
            assert_eq!(parse_timestamp(text), None, "{text}");
        }
    }
}
