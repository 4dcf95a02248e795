//! Finds where the known fields of events are in a JSON body.
//!
//! It builds no tree of values. Metadata must come back byte for byte (rule MET-01), and both servers must
//! distinguish JSON from non-JSON at the same byte (rule BOD-01). One pass over the body does both.
//!
//! Invariant: a body that passes is valid JSON to its last byte, and every span lies on character boundaries.

use std::thread::yield_now;

use crate::event::{RawEvent, Span, SpanKind};
use crate::field::Field;
use crate::scanner::{Scan, Scanner};
use crate::text::hex_value;

/// Items of a batch after which the thread lets others run; an item can have two bytes.
const YIELD_ITEMS: usize = 8192;

/// ASCII names, among which it finds a key in one look-up: a body may have a million keys.
#[derive(Debug)]
pub struct Keys {
    names: Vec<String>,
    /// The indices of the names by their length.
    by_length: Vec<Vec<usize>>,
}

impl Keys {
    /// Creates a set of names; of equal names the first counts.
    pub fn new(names: Vec<String>) -> Self {
        let longest = names.iter().map(String::len).max().unwrap_or(0);
        let mut by_length = vec![Vec::new(); longest + 1];
        for (index, name) in names.iter().enumerate() {
            by_length[name.len()].push(index);
        }
        Self { names, by_length }
    }

    /// Returns the names in their order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the index of the name that this key equals, with its escapes resolved.
    pub fn find(&self, key: Span, bytes: &[u8]) -> Option<usize> {
        let token = &bytes[key.start + 1..key.end - 1];
        if key.kind != SpanKind::EscapedString {
            return self.exact(token);
        }
        self.names.iter().position(|name| codes(token).eq(name.bytes().map(u32::from)))
    }

    /// Returns the index of the name that equals these bytes.
    pub fn exact(&self, name: &[u8]) -> Option<usize> {
        let candidates = self.by_length.get(name.len())?;
        candidates.iter().copied().find(|index| self.names[*index].as_bytes() == name)
    }
}

/// Scans the one event of a body. A body that is JSON but not an object gives [`RawEvent::not_an_object`].
pub fn scan_event(body: &str) -> Scan<RawEvent> {
    let mut scanner = Scanner::new(body.as_bytes());
    scanner.skip_space();
    let event = scanner.event(0)?;
    scanner.end()?;
    Ok(event)
}

/// Scans the one event of a line from `start` up to `end`.
pub fn scan_line(body: &str, start: usize, end: usize) -> Scan<RawEvent> {
    let mut scanner = Scanner::starting_at(&body.as_bytes()[..end], start);
    let event = scanner.event(0)?;
    scanner.end()?;
    Ok(event)
}

/// The items of a batch body.
#[derive(Debug, PartialEq, Eq)]
pub struct Batch {
    /// The first events, at most the requested number.
    pub events: Vec<RawEvent>,
    /// Number of items, including those that are not kept.
    pub count: usize,
}

/// Scans the events of a batch body; `None` when it has no array `events`. Of equal keys the last counts.
/// Items after the first `max_items` are counted but not kept: a kept item takes about 100 bytes, even if its
/// text has only three.
pub fn scan_batch(body: &str, max_items: usize) -> Scan<Option<Batch>> {
    let mut scanner = Scanner::new(body.as_bytes());
    let mut events = None;
    scanner.skip_space();
    if scanner.peek() == Some(b'{') {
        scanner.members(1, |scanner, key| {
            if key.key_is("events", scanner.bytes) {
                // Frees the items of an earlier key before scanning those of this one.
                events = None;
                events = scanner.events(max_items)?;
            } else {
                scanner.skip_value(1)?;
            }
            Ok(())
        })?;
    } else {
        scanner.skip_value(0)?;
    }
    scanner.end()?;
    Ok(events)
}

/// Calls `visit` with the key and the value of every member of a body that is one object. Returns the object's span;
/// `None` when the body is JSON but not an object.
pub(crate) fn scan_object(body: &str, mut visit: impl FnMut(Span, Span)) -> Scan<Option<Span>> {
    let mut scanner = Scanner::new(body.as_bytes());
    scanner.skip_space();
    let object = if scanner.peek() == Some(b'{') {
        let start = scanner.at();
        scanner.members(1, |scanner, key| {
            visit(key, scanner.skip_value(1)?);
            Ok(())
        })?;
        Some(Span { start, end: scanner.at(), kind: SpanKind::Object })
    } else {
        scanner.skip_value(0)?;
        None
    };
    scanner.end()?;
    Ok(object)
}

/// Calls `visit` with the name and the value's text of every member of a scanned object.
pub fn visit_members<'a>(object: &'a str, mut visit: impl FnMut(Span, &'a str)) -> Scan<()> {
    let mut scanner = Scanner::new(object.as_bytes());
    scanner.skip_space();
    scanner.members(1, |scanner, key| {
        let value = scanner.skip_value(1)?;
        visit(key, &object[value.start..value.end]);
        Ok(())
    })
}

impl Span {
    /// Returns whether this span is a string token that equals the ASCII `name`, with its escapes resolved.
    pub fn key_is(self, name: &str, bytes: &[u8]) -> bool {
        let token = &bytes[self.start + 1..self.end - 1];
        if self.kind == SpanKind::EscapedString {
            codes(token).eq(name.bytes().map(u32::from))
        } else {
            token == name.as_bytes()
        }
    }
}

/// Returns the field that a token with escapes names. It decodes nothing: a body may have a million names.
fn field_resolved(token: &[u8]) -> Option<Field> {
    let mut name = [0; LONGEST_NAME];
    let mut length = 0;
    for code in codes(token) {
        *name.get_mut(length)? = u8::try_from(code).ok().filter(u8::is_ascii)?;
        length += 1;
    }
    Field::from_name(&name[..length])
}

/// At least the length of every name of a field.
const LONGEST_NAME: usize = 32;

/// Returns the bytes of a string token without its quotes, with escapes resolved to code units.
fn codes(mut token: &[u8]) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let (code, rest) = match token {
            [b'\\', b'u', a, b, c, d, rest @ ..] => (code_of([*a, *b, *c, *d]), rest),
            [b'\\', escape, rest @ ..] => (meaning_of(*escape), rest),
            [byte, rest @ ..] => (u32::from(*byte), rest),
            [] => return None,
        };
        token = rest;
        Some(code)
    })
}

/// Returns the code unit of four hexadecimal digits.
fn code_of(digits: [u8; 4]) -> u32 {
    digits.iter().fold(0, |code, digit| code << 4 | u32::from(hex_value(*digit).unwrap_or(0)))
}

/// Returns the character of an escape, by the byte after the backslash.
fn meaning_of(escape: u8) -> u32 {
    u32::from(match escape {
        b'b' => 0x08,
        b'f' => 0x0c,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        other => other,
    })
}

impl Scanner<'_> {
    /// Scans an event at nesting depth `depth`.
    fn event(&mut self, depth: usize) -> Scan<RawEvent> {
        if self.peek() != Some(b'{') {
            self.skip_value(depth)?;
            return Ok(RawEvent::not_an_object());
        }
        let mut event = RawEvent::empty();
        self.members(depth + 1, |scanner, key| {
            let field = if key.kind == SpanKind::EscapedString {
                field_resolved(&scanner.bytes[key.start + 1..key.end - 1])
            } else {
                Field::from_name(&scanner.bytes[key.start + 1..key.end - 1])
            };
            let value = scanner.skip_value(depth + 1)?;
            if let Some(field) = field {
                event.set(field, value);
            }
            Ok(())
        })?;
        Ok(event)
    }

    /// Scans the value of `events` in the object of a batch.
    fn events(&mut self, max_items: usize) -> Scan<Option<Batch>> {
        if self.peek() != Some(b'[') {
            self.skip_value(1)?;
            return Ok(None);
        }
        let (mut events, mut count) = (Vec::new(), 0);
        self.elements(2, |scanner| {
            if count < max_items {
                events.push(scanner.event(2)?);
            } else {
                scanner.skip_value(2)?;
            }
            count += 1;
            if count % YIELD_ITEMS == 0 {
                yield_now();
            }
            Ok(())
        })?;
        Ok(Some(Batch { events, count }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scanner_accepts_the_same_json_as_serde() {
        let valid = ["{}", " [1,-0.5e+3,true,false,null,\"\\u00e9\\n\"] ", "0", "\"\"", "{\"a\":{\"b\":[]}}"];
        let invalid = [
            "",
            " ",
            "{",
            "{\"a\"}",
            "{\"a\":1,}",
            "[1,]",
            "01",
            "1.",
            ".5",
            "+1",
            "-",
            "1e",
            "nul",
            "'a'",
            "\"\t\"",
            "\"\\x41\"",
            "\"\\u12\"",
            "{} {}",
            "\u{feff}{}",
            "\u{a0}1",
            "NaN",
            "[1 2]",
            "\"abcdefghijk",
        ];
        for text in valid {
            assert!(
                scan_event(text).is_ok() && serde_json::from_str::<serde_json::Value>(text).is_ok(),
                "{text}"
            );
        }
        for text in invalid {
            assert!(
                scan_event(text).is_err() && serde_json::from_str::<serde_json::Value>(text).is_err(),
                "{text}"
            );
        }
    }

    #[test]
    fn the_check_accepts_128_levels_and_no_more() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(scan_event(&nested(128)).is_ok());
        assert!(scan_event(&nested(129)).is_err());
        let event = |depth: usize| format!("{{\"events\":[{{\"metadata\":{}}}]}}", nested(depth));
        assert!(scan_batch(&event(125), 1).is_ok());
        assert!(scan_batch(&event(126), 1).is_err());
    }

    #[test]
    fn of_equal_keys_the_last_counts() {
        let body = r#"{"events":[1],"events":[{"st\u0061tus":"a","status":"b"},2]}"#;
        let events = scan_batch(body, 2).expect("valid").expect("an array").events;
        assert_eq!(events.len(), 2);
        let status = events[0].get(Field::Status);
        assert_eq!(&body[status.start..status.end], "\"b\"");
        assert!(!events[1].is_object);
        assert_eq!(scan_batch(r#"{"events":[],"events":1}"#, 2), Ok(None));
    }

    #[test]
    fn a_set_of_names_finds_a_key_in_any_spelling_and_only_whole_keys() {
        let keys = Keys::new(["id", "cwd", "ab", "name"].map(str::to_owned).to_vec());
        let index_of = |key: &str| {
            let kind = if key.contains('\\') { SpanKind::EscapedString } else { SpanKind::String };
            let token = format!("\"{key}\"");
            keys.find(Span { start: 0, end: token.len(), kind }, token.as_bytes())
        };
        assert_eq!(["id", "cwd", "ab", "name"].map(index_of), [Some(0), Some(1), Some(2), Some(3)]);
        assert_eq!([r"i\u0064", r"\u0063wd", r"\u006e\u0061me"].map(index_of), [Some(0), Some(1), Some(3)]);
        for key in ["", "i", "idd", "Id", "names", r"i\u0164", r"\n", &r"\u0069".repeat(9), "é"] {
            assert_eq!(index_of(key), None, "{key}");
        }
        assert_eq!(Keys::new(Vec::new()).exact(b"id"), None);
    }

    #[test]
    fn keys_are_compared_with_their_escapes_resolved() {
        let is_key = |token: &str, name: &str| {
            let span = Span { start: 0, end: token.len(), kind: SpanKind::EscapedString };
            span.key_is(name, token.as_bytes())
        };
        assert!(is_key(r#""\u0065v\u0065nts""#, "events") && is_key(r#""a\/\n\"""#, "a/\n\""));
        for token in
            [r#""\u0065vent""#, r#""\u0065ventss""#, r#""\u0165vents""#, r#""\nevents""#, r#""\u00e9""#]
        {
            assert!(!is_key(token, "events"), "{token}");
        }
        let event = |key: &str| scan_event(&format!(r#"{{"{key}":1}}"#)).expect("valid");
        for key in [r"\u0073tatus", r"statu\u0073", r"\u0073\u0074\u0061\u0074\u0075\u0073"] {
            assert_eq!(event(key).get(Field::Status).kind, SpanKind::Number, "{key}");
        }
        for key in [
            r"\u0173tatus",
            r"statu\n",
            r"\ud83d\ude00",
            r"status\u0000",
            &r"\u0073".repeat(LONGEST_NAME + 1),
        ] {
            assert_eq!(event(key), RawEvent::empty(), "{key}");
        }
        assert!(Field::ALL.into_iter().all(|field| field.name().len() <= LONGEST_NAME));
    }

    #[test]
    fn items_above_the_limit_are_counted_but_not_kept() {
        let body = r#"{"events":[{},{"status":"error"},[7],{}]}"#;
        let batch = scan_batch(body, 2).expect("valid").expect("an array");
        assert_eq!((batch.events.len(), batch.count), (2, 4));
        assert_eq!(scan_batch(body, 4).expect("valid").expect("an array").events.len(), 4);
        assert!(scan_batch(r#"{"events":[{},{"status":}]}"#, 1).is_err(), "they are still scanned");
    }
}
