//! Replaces metadata above its limit by a summary that is still valid JSON (rule MET-02).
//!
//! The summaries of hooks and of telemetry have rules of their own (HOK-03, OTL-08).
//!
//! Pure. The text was scanned before, so it is valid JSON.

use std::borrow::Cow;
use std::sync::LazyLock;

use crate::contract::{LIMITS, VOCABULARY};
use crate::json::{Keys, visit_members};

/// Cuts a value to at most this many bytes; `None` when no part fits.
type Cut = fn(&str, usize) -> Option<String>;

/// Marks the end of a cut string.
const MARK: &str = "…";

static KEYS: LazyLock<Keys> =
    LazyLock::new(|| Keys::new(VOCABULARY.summary_keys.iter().map(|key| (*key).to_owned()).collect()));

/// The beginning of every summary.
const SUMMARY_START: &str = r#"{"_truncated":true,"_original_bytes":"#;

/// Returns whether metadata is a summary that another server has made.
pub fn is_summary(text: &str) -> bool {
    text.starts_with(SUMMARY_START)
}

/// Returns the size of the whole text that a summary names (rule MET-04); `None` where that is no plain integer.
pub fn original_bytes(summary: &str) -> Option<i64> {
    let rest = summary.strip_prefix(SUMMARY_START)?;
    let (digits, _) = rest.split_at(rest.bytes().take_while(u8::is_ascii_digit).count());
    let is_plain =
        (digits == "0" || !digits.starts_with('0')) && rest[digits.len()..].starts_with([',', '}']);
    let bytes: u64 = digits.parse().ok().filter(|bytes| is_plain && *bytes <= LIMITS.max_integer)?;
    i64::try_from(bytes).ok()
}

/// Returns the summary of metadata above `limit` bytes; `None` when the metadata fits.
pub fn truncate_metadata(text: &str, limit: usize) -> Option<String> {
    if text.len() <= limit {
        return None;
    }
    let mut summary = summary_of(text, limit, &KEYS, |_, _| None);
    summary.push('}');
    Some(summary)
}

/// Returns the summary of a hook's payload above `limit` bytes; `None` when the payload fits. The members of
/// `keys` come first, then all others; values that do not fit are cut.
pub fn truncate_payload(text: &str, limit: usize, keys: &Keys) -> Option<String> {
    if text.len() <= limit {
        return None;
    }
    let mut summary = summary_of(text, limit, keys, cut_value);
    let bytes = text.as_bytes();
    let scanned = visit_members(text, |name, value| {
        // Evaluated last: most members of a long payload do not fit.
        let is_other = || keys.find(name, bytes).is_none();
        push_member(&mut summary, &text[name.start + 1..name.end - 1], value, limit, cut_value, is_other);
    });
    debug_assert!(scanned.is_ok(), "a payload was scanned as its body");
    summary.push('}');
    Some(summary)
}

/// Returns the summary of the metadata of a telemetry record above `limit` bytes; `None` when it fits. All members that
/// fit come first, those of the vocabulary's keys before the others, so that a long one costs no other. Then come the
/// starts of those that do not fit.
pub fn truncate_record(text: &str, limit: usize) -> Option<String> {
    if text.len() <= limit {
        return None;
    }
    let bytes = text.as_bytes();
    let mut known: Vec<Option<(&str, &str)>> = vec![None; KEYS.names().len()];
    let mut others = Vec::new();
    let scanned = visit_members(text, |name, value| {
        let member = (&text[name.start + 1..name.end - 1], value);
        match KEYS.find(name, bytes) {
            Some(at) => known[at] = Some(member),
            None => others.push(member),
        }
    });
    debug_assert!(scanned.is_ok(), "the metadata of a record is an object");
    let mut summary = format!("{SUMMARY_START}{}", text.len());
    let mut left = Vec::new();
    for (name, value) in known.into_iter().flatten().chain(others) {
        let length = summary.len();
        push_member(&mut summary, name, value, limit, |_, _| None, || true);
        if summary.len() == length {
            left.push((name, value));
        }
    }
    for (name, value) in left {
        push_member(&mut summary, name, value, limit, cut_value, || true);
    }
    summary.push('}');
    Some(summary)
}

/// Returns the markers and the present members of `keys`, without the closing brace.
fn summary_of(text: &str, limit: usize, keys: &Keys, cut: Cut) -> String {
    let mut values: Vec<Option<&str>> = vec![None; keys.names().len()];
    if text.starts_with('{') {
        let bytes = text.as_bytes();
        let scanned = visit_members(text, |name, value| {
            // Of equal keys the last counts, so a later one replaces an earlier one.
            if let Some(at) = keys.find(name, bytes) {
                values[at] = Some(value);
            }
        });
        debug_assert!(scanned.is_ok(), "metadata was scanned with its body");
    }
    let mut summary = format!("{SUMMARY_START}{}", text.len());
    for (key, value) in keys.names().iter().zip(values) {
        if let Some(value) = value {
            push_member(&mut summary, key, value, limit, cut, || true);
        }
    }
    summary
}

/// Adds a member to an object without its closing brace, if both fit into `limit` and it `is_wanted`.
fn push_member(
    object: &mut String,
    name: &str,
    value: &str,
    limit: usize,
    cut: Cut,
    is_wanted: impl Fn() -> bool,
) {
    let comma = if object.len() == 1 { "" } else { "," };
    // Room for the quotes of the name, the colon, and the closing brace.
    let Some(room) = limit.checked_sub(object.len() + comma.len() + name.len() + 4) else { return };
    let fitting =
        if value.len() <= room { Some(Cow::Borrowed(value)) } else { cut(value, room).map(Cow::Owned) };
    if let Some(fitting) = fitting.filter(|_| is_wanted()) {
        for part in [comma, "\"", name, "\":", &fitting] {
            object.push_str(part);
        }
    }
}

/// Returns the start of a string, or the members of an object that fit, with their strings cut; `None` for any other
/// value.
fn cut_value(value: &str, room: usize) -> Option<String> {
    if !value.starts_with('{') {
        return cut_string(value, room);
    }
    let mut object = String::from("{");
    let scanned = visit_members(value, |name, member| {
        push_member(&mut object, &value[name.start + 1..name.end - 1], member, room, cut_string, || true);
    });
    debug_assert!(scanned.is_ok(), "a payload was scanned as its body");
    if object.len() == 1 {
        return None;
    }
    object.push('}');
    Some(object)
}

/// Returns the start of a string token that is longer than `room`, and the mark.
fn cut_string(token: &str, room: usize) -> Option<String> {
    if !token.starts_with('"') {
        return None;
    }
    // Room for the closing quote.
    let most = room.checked_sub(MARK.len() + 1)?;
    let mut end = 1;
    loop {
        let next = end + unit_bytes(&token[end..]);
        if next > most {
            break;
        }
        end = next;
    }
    (end > 1).then(|| format!("{}{MARK}\"", &token[..end]))
}

/// Returns the length of the next unit that must not be split: a character, an escape, or two escapes that are one
/// character.
fn unit_bytes(rest: &str) -> usize {
    let code = |at: usize| u16::from_str_radix(rest.get(at..)?.strip_prefix("\\u")?.get(..4)?, 16).ok();
    match (code(0), code(6)) {
        (Some(0xd800..0xdc00), Some(0xdc00..0xe000)) => 12,
        (Some(_), _) => 6,
        (None, _) if rest.starts_with('\\') => 2,
        (None, _) => rest.chars().next().map_or(1, char::len_utf8),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_keeps_the_keys_that_fit_in_the_order_of_the_contract() {
        let big = "x".repeat(300);
        let text =
            format!(r#"{{"type":"t","other":"{big}","query":"{big}","error": {{"a":1}},"\u0065rror":2.50}}"#);
        let expected =
            format!(r#"{{"_truncated":true,"_original_bytes":{},"error":2.50,"type":"t"}}"#, text.len());
        assert_eq!(truncate_metadata(&text, 256).as_deref(), Some(expected.as_str()));
    }

    #[test]
    fn a_summary_may_fill_its_limit_to_the_last_byte() {
        let text = |n: usize| format!(r#"{{"path":"{}","z":"{}"}}"#, "p".repeat(n), "z".repeat(300));
        let lengths: Vec<usize> =
            (190..230).map(|n| truncate_metadata(&text(n), 256).map_or(0, |summary| summary.len())).collect();
        assert_eq!(lengths.iter().max(), Some(&256));
        assert!(
            lengths.contains(&40) || lengths.iter().any(|&len| len < 60),
            "one that does not fit is left out"
        );
    }

    #[test]
    fn truncated_metadata_that_is_not_an_object_keeps_no_values() {
        let text = format!("[\"{}\"]", "é".repeat(200));
        assert_eq!(
            truncate_metadata(&text, 256).as_deref(),
            Some(r#"{"_truncated":true,"_original_bytes":404}"#)
        );
        assert_eq!(truncate_metadata("[1]", 256), None);
    }

    #[test]
    fn a_record_loses_no_member_to_a_long_one() {
        let long = "y".repeat(300);
        let text = format!(r#"{{"a":1,"long":"{long}","b":{{"c":[2 ]}},"error":"e","other":"{long}"}}"#);
        let cut_at = |y: &str| {
            format!(
                r#"{{"_truncated":true,"_original_bytes":{},"error":"e","a":1,"b":{{"c":[2 ]}},"long":"{y}…"}}"#,
                text.len()
            )
        };
        let expected = cut_at(&"y".repeat(256 - cut_at("").len()));
        assert_eq!(truncate_record(&text, 256), Some(expected));
        assert_eq!(truncate_record(&text, text.len()), None);
    }

    #[test]
    fn a_summary_names_the_size_of_its_text_as_a_plain_integer() {
        let table = [
            ("7}", Some(7)),
            (r#"0,"a":1}"#, Some(0)),
            ("9007199254740991}", Some(9_007_199_254_740_991)),
            ("9007199254740992}", None),
            ("99999999999999999999999}", None),
            ("07}", None),
            ("7 }", None),
            ("7.0}", None),
            ("7e1}", None),
            ("-7}", None),
            (r#""7"}"#, None),
            ("null}", None),
        ];
        for (rest, expected) in table {
            assert_eq!(original_bytes(&format!("{SUMMARY_START}{rest}")), expected, "{rest}");
        }
        assert_eq!(original_bytes("{}"), None);
    }

    fn payload(text: &str, limit: usize) -> Option<String> {
        truncate_payload(text, limit, &Keys::new(vec!["name".to_owned(), "id".to_owned()]))
    }

    #[test]
    fn a_payload_keeps_its_keys_then_all_others_and_cuts_values_that_do_not_fit() {
        let long = "y".repeat(300);
        let text =
            format!(r#"{{"a":1,"id":2,"input":{{"o":{{"x":"{long}"}},"p":"/q","c":"{long}"}},"name":"n"}}"#);
        let kept = payload(&text, 120).expect("too long");
        let cut_at = |c: &str| {
            format!(
                r#"{{"_truncated":true,"_original_bytes":{},"name":"n","id":2,"a":1,"input":{{"p":"/q","c":"{c}…"}}}}"#,
                text.len()
            )
        };
        let expected = cut_at(&"y".repeat(120 - cut_at("").len()));
        assert_eq!((kept.as_str(), kept.len()), (expected.as_str(), 120));
        assert_eq!(payload(&text, text.len()), None);
        // Of equal keys the last counts among `keys`; all others are kept as often as they occur.
        let text = format!(r#"{{"\u0069d":1,"a":1,"id":2,"\u0061":[2 ],"z":[{}0]}}"#, "0,".repeat(60));
        let expected =
            format!(r#"{{"_truncated":true,"_original_bytes":{},"id":2,"a":1,"\u0061":[2 ]}}"#, text.len());
        assert_eq!(payload(&text, 100), Some(expected));
    }

    #[test]
    fn a_cut_splits_no_character_and_leaves_no_empty_value() {
        for unit in ["x", "é", "€", "😀", r"\n", r"\u00e9", r"\uD83D\uDE00", r"\ud800", r"\udc00"] {
            let token = format!("\"{}\"", unit.repeat(20));
            for room in 0..token.len() {
                let count = room.saturating_sub(5) / unit.len();
                let expected = (count > 0).then(|| format!("\"{}…\"", unit.repeat(count)));
                assert_eq!(cut_string(&token, room), expected, "{unit} in {room}");
            }
        }
        assert_eq!(cut_string(r#""\ud800\ud83d\ude00""#, 18), Some(r#""\ud800…""#.to_owned()));
        assert_eq!(cut_value(&format!(r#"{{"a":[1,2,3],"b":"{}"}}"#, "x".repeat(9)), 11), None);
        assert_eq!(cut_value("[1,2,3]", 6), None);
    }
}
