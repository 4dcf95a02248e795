//! Reads `Range`: the requested bytes of a content (rule ATT-08; RFC 9110, section 14). Pure.

use http::header::{HeaderMap, IF_RANGE, RANGE};

/// The bytes of a content that an answer has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// All of them.
    Whole,
    /// From the first to the last, both inclusive.
    Bytes {
        /// Position of the first byte, from 0.
        first: u64,
        /// Position of the last byte; not below `first`.
        last: u64,
    },
    /// The range contains no byte of the content.
    Nothing,
}

/// Returns the part that a request asks for, of a content with this size and tag.
pub fn wanted_part(headers: &HeaderMap, etag: &str, size: u64) -> Part {
    let mut conditions = headers.get_all(IF_RANGE).iter();
    let is_other = conditions.next().is_some_and(|tag| tag.as_bytes().trim_ascii() != etag.as_bytes());
    let mut ranges = headers.get_all(RANGE).iter();
    match (ranges.next(), ranges.next()) {
        (Some(range), None) if !is_other && conditions.next().is_none() => {
            range.to_str().ok().and_then(|range| parse_range(range, size)).unwrap_or(Part::Whole)
        }
        _ => Part::Whole,
    }
}

/// Returns the part of a byte range; `None` for several ranges, another unit or a malformed value.
pub fn parse_range(range: &str, size: u64) -> Option<Part> {
    let (unit, range) = range.trim_matches([' ', '\t']).split_once('=')?;
    let (from, to) = range.split_once('-').filter(|_| unit.eq_ignore_ascii_case("bytes"))?;
    let (first, last) = (parse_place(from)?, parse_place(to)?);
    let end = size.checked_sub(1);
    let (first, last) = match (first, last) {
        (None, None) => return None,
        (Some(_), Some(_)) if is_below(to, from) => return None,
        (None, Some(length)) => (if length == 0 { size } else { size.saturating_sub(length) }, end),
        (Some(first), last) => (first, end.map(|end| last.map_or(end, |last| last.min(end)))),
    };
    let part = last.filter(|last| first <= *last).map(|last| Part::Bytes { first, last });
    Some(part.unwrap_or(Part::Nothing))
}

/// Parses a position, which may be absent; a position that overflows is past the end of every content.
fn parse_place(digits: &str) -> Option<Option<u64>> {
    if !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    Some((!digits.is_empty()).then(|| digits.parse().unwrap_or(u64::MAX)))
}

/// Returns whether a decimal number is below another, of any length.
fn is_below(digits: &str, other: &str) -> bool {
    let (digits, other) = (digits.trim_start_matches('0'), other.trim_start_matches('0'));
    (digits.len(), digits) < (other.len(), other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_clipped_to_the_existing_bytes() {
        let bytes = |first, last| Some(Part::Bytes { first, last });
        for (range, size, part) in [
            ("bytes=0-0", 10, bytes(0, 0)),
            ("bytes=-1", 10, bytes(9, 9)),
            ("bytes=5-", 10, bytes(5, 9)),
            ("BYTES=2-4 ", 10, bytes(2, 4)),
            ("bytes=9-99999999999999999999999", 10, bytes(9, 9)),
            ("bytes=-99999999999999999999999", 10, bytes(0, 9)),
            ("bytes=0007-0008", 10, bytes(7, 8)),
            ("bytes=10-", 10, Some(Part::Nothing)),
            ("bytes=99999999999999999999999-", 10, Some(Part::Nothing)),
            ("bytes=-0", 10, Some(Part::Nothing)),
            ("bytes=0-", 0, Some(Part::Nothing)),
            ("bytes=-1", 0, Some(Part::Nothing)),
        ] {
            assert_eq!(parse_range(range, size), part, "{range} of {size}");
        }
    }

    #[test]
    fn any_other_range_value_is_ignored() {
        for range in [
            "",
            "bytes",
            "bytes=",
            "bytes=-",
            "bytes=2-1",
            "bytes=010-9",
            "bytes=99999999999999999999999-99999999999999999999998",
            "bytes=0-0,2-3",
            "bytes=0-0,",
            "bytes=a-",
            "bytes=+1-2",
            "bytes= 0-1",
            "bytes=0 -1",
            "bytes =0-1",
            "bytes=0-1-2",
            "lines=0-1",
            "0-1",
        ] {
            assert_eq!(parse_range(range, 10), None, "{range}");
        }
    }

    #[test]
    fn a_range_applies_only_to_its_own_tag() {
        let part = |fields: &[(http::HeaderName, &str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in fields {
                headers.append(name, value.parse().expect("a value"));
            }
            wanted_part(&headers, r#""t""#, 10)
        };
        let first = Part::Bytes { first: 0, last: 0 };
        assert_eq!(part(&[(RANGE, "bytes=0-0")]), first);
        assert_eq!(part(&[(RANGE, "bytes=0-0"), (IF_RANGE, r#""t""#)]), first);
        for other in [r#"W/"t""#, r#""u""#, "t", "", "Wed, 25 Nov 2026 10:00:00 GMT"] {
            assert_eq!(part(&[(RANGE, "bytes=0-0"), (IF_RANGE, other)]), Part::Whole, "{other}");
        }
        assert_eq!(part(&[(RANGE, "bytes=0-0"), (RANGE, "bytes=1-1")]), Part::Whole);
        assert_eq!(part(&[]), Part::Whole);
    }
}
