//! Writes JSON text as MessagePack (rule RPC-04): every value in its shortest form, members in their order.
//!
//! It makes two passes over the text, since a MessagePack container states its number of elements before the first
//! one. Invariant: the text is JSON that this server has written or checked.

use rmp::encode::{write_array_len, write_bool, write_f64, write_map_len, write_nil, write_sint, write_str};

use crate::number::parse_number;
use crate::rpc::room::room_for;
use crate::text::hex_value;

/// 2^53 - 1: above it, several whole numbers have the same double.
const MOST_WHOLE: f64 = 9_007_199_254_740_991.0;

// Writing to memory cannot fail, but the library returns a result; the code drops it.
/// Converts a JSON text.
pub fn pack_json(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut counts = count_elements(bytes).into_iter();
    let mut out = Vec::with_capacity(room_for(bytes.len()));
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        at += 1;
        match bytes[start] {
            b'{' => drop(write_map_len(&mut out, counts.next().unwrap_or_default())),
            b'[' => drop(write_array_len(&mut out, counts.next().unwrap_or_default())),
            b'"' => {
                at = end_of_string(bytes, at);
                pack_text(&mut out, &text[start + 1..at - 1]);
            }
            b't' => {
                drop(write_bool(&mut out, true));
                at = start + "true".len();
            }
            b'f' => {
                drop(write_bool(&mut out, false));
                at = start + "false".len();
            }
            b'n' => {
                drop(write_nil(&mut out));
                at = start + "null".len();
            }
            b'-' | b'0'..=b'9' => {
                let rest = &bytes[start..];
                let is_number = |byte: &u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
                at = start + rest.iter().position(|byte| !is_number(byte)).unwrap_or(rest.len());
                pack_number(&mut out, parse_number(&text[start..at]));
            }
            _ => {}
        }
    }
    out
}

/// Returns the number of elements or members of each container, in the order in which they start.
fn count_elements(bytes: &[u8]) -> Vec<u32> {
    let mut counts: Vec<u32> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        at += 1;
        match byte {
            b'"' => at = end_of_string(bytes, at),
            b'{' | b'[' => {
                let is_space = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
                let first = bytes[at..].iter().find(|byte| !is_space(byte));
                open.push(counts.len());
                counts.push(u32::from(!matches!(first, Some(b'}' | b']'))));
            }
            b'}' | b']' => drop(open.pop()),
            b',' => {
                if let Some(count) = open.last().and_then(|innermost| counts.get_mut(*innermost)) {
                    *count += 1;
                }
            }
            _ => {}
        }
    }
    counts
}

/// Returns the position after the closing quote of a string whose first character is at this position.
fn end_of_string(bytes: &[u8], mut at: usize) -> usize {
    loop {
        match memchr::memchr2(b'"', b'\\', &bytes[at..]) {
            None => return bytes.len(),
            Some(found) if bytes[at + found] == b'"' => return at + found + 1,
            Some(found) => at += found + 2,
        }
    }
}

fn pack_number(out: &mut Vec<u8>, value: f64) {
    let is_minus_zero = value == 0.0 && value.is_sign_negative();
    if value.fract() == 0.0 && value.abs() <= MOST_WHOLE && !is_minus_zero {
        #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and below 2^53")]
        drop(write_sint(out, value as i64));
    } else {
        drop(write_f64(out, value));
    }
}

/// Appends a text from between its quotes. A lone surrogate becomes U+FFFD, since MessagePack text is UTF-8.
fn pack_text(out: &mut Vec<u8>, raw: &str) {
    if !raw.contains('\\') {
        drop(write_str(out, raw));
        return;
    }
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        let (character, length) = unescape(&rest[at..]);
        text.push(character);
        rest = &rest[at + length..];
    }
    text.push_str(rest);
    drop(write_str(out, &text));
}

/// Returns the character of the escape at the start of a text, and the length of the escape.
fn unescape(text: &str) -> (char, usize) {
    let bytes = text.as_bytes();
    let character = match bytes.get(1) {
        Some(b'u') => {
            let high = code_unit(bytes).unwrap_or_default();
            let low = code_unit(&bytes[6..]);
            let pair = low.and_then(|low| char::decode_utf16([high, low]).next()?.ok());
            return match (char::from_u32(u32::from(high)), pair) {
                (Some(character), _) => (character, 6),
                (None, Some(character)) => (character, 12),
                (None, None) => (char::REPLACEMENT_CHARACTER, 6),
            };
        }
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        other => char::from(*other.unwrap_or(&b'\\')),
    };
    (character, 2)
}

/// Returns the code unit of an escape `\uXXXX`; `None` for any other text.
fn code_unit(bytes: &[u8]) -> Option<u16> {
    let digits = bytes.strip_prefix(b"\\u")?.get(..4)?;
    digits.iter().try_fold(0, |unit, digit| Some(unit << 4 | u16::from(hex_value(*digit)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_their_shortest_form() {
        let cases: [(&str, &[u8]); 14] = [
            ("null", b"\xc0"),
            (" [ true , false ] ", b"\x92\xc3\xc2"),
            ("[]", b"\x90"),
            ("{ }", b"\x80"),
            ("127", b"\x7f"),
            ("-1.0", b"\xff"),
            ("1e2", b"\x64"),
            ("-0", b"\xcb\x80\0\0\0\0\0\0\0"),
            ("0.5", b"\xcb\x3f\xe0\0\0\0\0\0\0"),
            ("9007199254740991", b"\xcf\0\x1f\xff\xff\xff\xff\xff\xff"),
            ("-9007199254740991", b"\xd3\xff\xe0\0\0\0\0\0\x01"),
            ("9007199254740992", b"\xcb\x43\x40\0\0\0\0\0\0"),
            (
                r#"{"b":[{}],"a":"","a":[1,[2,3],4]}"#,
                b"\x83\xa1b\x91\x80\xa1a\xa0\xa1a\x93\x01\x92\x02\x03\x04",
            ),
            (r#""\"\\\/\b\f\n\r\t\u0041""#, b"\xa9\"\\/\x08\x0c\n\r\tA"),
        ];
        for (text, bytes) in cases {
            assert_eq!(pack_json(text), bytes, "{text}");
        }
    }

    #[test]
    fn a_lone_surrogate_becomes_the_replacement_character() {
        let cases = [
            (r"\ud83d\ude00", "\u{1f600}"),
            (r"\ud83d", "\u{fffd}"),
            (r"\ud83dx", "\u{fffd}x"),
            (r"\ude00\ud83d", "\u{fffd}\u{fffd}"),
            (r"\ud83d\u0041", "\u{fffd}A"),
            (r"\ud83d\ud83d\ude00", "\u{fffd}\u{1f600}"),
        ];
        for (escaped, text) in cases {
            let mut expected = Vec::new();
            write_str(&mut expected, text).expect("memory");
            assert_eq!(pack_json(&format!("\"{escaped}\"")), expected, "{escaped}");
        }
    }
}
