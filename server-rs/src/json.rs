//! A scanner over the bytes of a body: RFC 8259 grammar and depth, and where the fields of events lie.
//!
//! Nothing is turned into a tree of values: metadata has to come back byte for byte (rule MET-01), and both
//! servers must draw the line between JSON and no JSON at the same byte (rule BOD-01). One pass over the body
//! does both. What must stay true: a body that passes here is valid JSON to its last byte, and every span
//! lies on character boundaries.

use crate::contract::LIMITS;
use crate::event::{Field, RawEvent, Span, SpanKind};

/// The body is not JSON, or nested too deep.
#[derive(Debug, PartialEq, Eq)]
pub struct InvalidJson;

type Scan<T> = Result<T, InvalidJson>;

/// The one event of a body. A body that is JSON but no object is a [`RawEvent`] that says so.
pub fn scan_event(body: &str) -> Scan<RawEvent> {
    let mut scanner = Scanner::new(body.as_bytes());
    scanner.skip_space();
    let event = scanner.event(0)?;
    scanner.end()?;
    Ok(event)
}

/// The events of a batch body; `None` when it has no array `events`. Of a key given twice the last counts.
pub fn scan_batch(body: &str) -> Scan<Option<Vec<RawEvent>>> {
    let mut scanner = Scanner::new(body.as_bytes());
    let mut events = None;
    scanner.skip_space();
    if scanner.peek() == Some(b'{') {
        scanner.members(1, |scanner, key| {
            if key.is("events", scanner.bytes) {
                events = scanner.events()?;
            } else {
                scanner.value(1)?;
            }
            Ok(())
        })?;
    } else {
        scanner.value(0)?;
    }
    scanner.end()?;
    Ok(events)
}

/// Calls `visit` with the name and the value's text of every member of an object that has been scanned before.
pub fn visit_members<'a>(object: &'a str, mut visit: impl FnMut(Span, &'a str)) -> Scan<()> {
    let mut scanner = Scanner::new(object.as_bytes());
    scanner.skip_space();
    scanner.members(1, |scanner, key| {
        let value = scanner.value(1)?;
        visit(key, &object[value.start..value.end]);
        Ok(())
    })
}

impl Span {
    /// Whether this span is a string token that says `text`, its escapes resolved.
    pub fn is(self, text: &str, bytes: &[u8]) -> bool {
        let token = &bytes[self.start..self.end];
        if self.kind == SpanKind::EscapedString {
            serde_json::from_slice::<String>(token).is_ok_and(|decoded| decoded == text)
        } else {
            &token[1..token.len() - 1] == text.as_bytes()
        }
    }
}

struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Scanner<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    fn end(&mut self) -> Scan<()> {
        self.skip_space();
        if self.at == self.bytes.len() {
            Ok(())
        } else {
            Err(InvalidJson)
        }
    }

    /// An event at this place, which lies in `depth` containers.
    fn event(&mut self, depth: usize) -> Scan<RawEvent> {
        if self.peek() != Some(b'{') {
            self.value(depth)?;
            return Ok(RawEvent::not_an_object());
        }
        let mut event = RawEvent::empty();
        self.members(depth + 1, |scanner, key| {
            let field = if key.kind == SpanKind::EscapedString {
                let name = serde_json::from_slice::<String>(&scanner.bytes[key.start..key.end]);
                name.ok().and_then(|name| Field::from_name(name.as_bytes()))
            } else {
                Field::from_name(&scanner.bytes[key.start + 1..key.end - 1])
            };
            let value = scanner.value(depth + 1)?;
            if let Some(field) = field {
                event.set(field, value);
            }
            Ok(())
        })?;
        Ok(event)
    }

    /// The value of `events`, in the object of a batch.
    fn events(&mut self) -> Scan<Option<Vec<RawEvent>>> {
        if self.peek() != Some(b'[') {
            self.value(1)?;
            return Ok(None);
        }
        let mut events = Vec::new();
        self.elements(2, |scanner| {
            events.push(scanner.event(2)?);
            Ok(())
        })?;
        Ok(Some(events))
    }

    /// Any value, which lies in `depth` containers.
    fn value(&mut self, depth: usize) -> Scan<Span> {
        let start = self.at;
        let kind = match self.peek().ok_or(InvalidJson)? {
            b'"' => self.string()?,
            b'{' => {
                self.members(depth + 1, |scanner, _| scanner.value(depth + 1).map(|_| ()))?;
                SpanKind::Object
            }
            b'[' => {
                self.elements(depth + 1, |scanner| scanner.value(depth + 1).map(|_| ()))?;
                SpanKind::Array
            }
            b't' => self.literal(b"true", SpanKind::Bool)?,
            b'f' => self.literal(b"false", SpanKind::Bool)?,
            b'n' => self.literal(b"null", SpanKind::Null)?,
            _ => self.number()?,
        };
        Ok(Span {
            start,
            end: self.at,
            kind,
        })
    }

    /// The members of the object at this place; `depth` counts the object itself.
    fn members(&mut self, depth: usize, mut member: impl FnMut(&mut Self, Span) -> Scan<()>) -> Scan<()> {
        self.open(depth)?;
        if self.close(b'}') {
            return Ok(());
        }
        loop {
            let start = self.at;
            if self.peek() != Some(b'"') {
                return Err(InvalidJson);
            }
            let kind = self.string()?;
            let key = Span {
                start,
                end: self.at,
                kind,
            };
            self.skip_space();
            self.expect(b':')?;
            self.skip_space();
            member(self, key)?;
            self.skip_space();
            if self.close(b'}') {
                return Ok(());
            }
            self.expect(b',')?;
            self.skip_space();
        }
    }

    /// The elements of the array at this place; `depth` counts the array itself.
    fn elements(&mut self, depth: usize, mut element: impl FnMut(&mut Self) -> Scan<()>) -> Scan<()> {
        self.open(depth)?;
        if self.close(b']') {
            return Ok(());
        }
        loop {
            element(self)?;
            self.skip_space();
            if self.close(b']') {
                return Ok(());
            }
            self.expect(b',')?;
            self.skip_space();
        }
    }

    fn open(&mut self, depth: usize) -> Scan<()> {
        if depth > LIMITS.json_depth {
            return Err(InvalidJson);
        }
        self.at += 1;
        self.skip_space();
        Ok(())
    }

    fn close(&mut self, end: u8) -> bool {
        let closes = self.peek() == Some(end);
        self.at += usize::from(closes);
        closes
    }

    fn expect(&mut self, byte: u8) -> Scan<()> {
        if self.peek() == Some(byte) {
            self.at += 1;
            Ok(())
        } else {
            Err(InvalidJson)
        }
    }

    fn literal(&mut self, word: &[u8], kind: SpanKind) -> Scan<SpanKind> {
        if self.bytes[self.at..].starts_with(word) {
            self.at += word.len();
            Ok(kind)
        } else {
            Err(InvalidJson)
        }
    }

    fn number(&mut self) -> Scan<SpanKind> {
        self.at += usize::from(self.peek() == Some(b'-'));
        match self.peek() {
            Some(b'0') => self.at += 1,
            _ => self.digits()?,
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            self.at += usize::from(matches!(self.peek(), Some(b'+' | b'-')));
            self.digits()?;
        }
        Ok(SpanKind::Number)
    }

    fn digits(&mut self) -> Scan<()> {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        if self.at > start { Ok(()) } else { Err(InvalidJson) }
    }

    /// A string token; at the opening quote.
    fn string(&mut self) -> Scan<SpanKind> {
        let mut kind = SpanKind::String;
        self.at += 1;
        loop {
            self.at += plain_prefix(&self.bytes[self.at..]);
            match self.peek().ok_or(InvalidJson)? {
                b'"' => {
                    self.at += 1;
                    return Ok(kind);
                }
                b'\\' => {
                    kind = SpanKind::EscapedString;
                    self.escape()?;
                }
                _ => return Err(InvalidJson),
            }
        }
    }

    fn escape(&mut self) -> Scan<()> {
        match self.bytes.get(self.at + 1).ok_or(InvalidJson)? {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => self.at += 2,
            b'u' => {
                let hex = self.bytes.get(self.at + 2..self.at + 6).ok_or(InvalidJson)?;
                if !hex.iter().all(u8::is_ascii_hexdigit) {
                    return Err(InvalidJson);
                }
                self.at += 6;
            }
            _ => return Err(InvalidJson),
        }
        Ok(())
    }
}

/// How many bytes from here on are plain: neither a quote, a backslash nor a control character.
/// Eight at a time: most bytes of a body lie inside strings.
fn plain_prefix(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    let mut at = 0;
    while let Some(chunk) = bytes[at..].first_chunk::<8>() {
        let word = u64::from_le_bytes(*chunk);
        let control = word.wrapping_sub(ONES * 0x20) & !word;
        let quote = (word ^ (ONES * 0x22)).wrapping_sub(ONES) & !(word ^ (ONES * 0x22));
        let backslash = (word ^ (ONES * 0x5C)).wrapping_sub(ONES) & !(word ^ (ONES * 0x5C));
        let special = (control | quote | backslash) & HIGHS;
        if special != 0 {
            // Borrows can only raise bits above the first true one, so the lowest is exact.
            return at + (special.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    let rest = bytes[at..]
        .iter()
        .take_while(|&&byte| byte >= 0x20 && byte != b'"' && byte != b'\\');
    at + rest.count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_serde_on_what_is_json() {
        let valid = [
            "{}",
            " [1,-0.5e+3,true,false,null,\"\\u00e9\\n\"] ",
            "0",
            "\"\"",
            "{\"a\":{\"b\":[]}}",
        ];
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
    fn nests_128_deep_and_no_deeper() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(scan_event(&nested(128)).is_ok());
        assert!(scan_event(&nested(129)).is_err());
        let event = |depth: usize| format!("{{\"events\":[{{\"metadata\":{}}}]}}", nested(depth));
        assert!(scan_batch(&event(125)).is_ok());
        assert!(scan_batch(&event(126)).is_err());
    }

    #[test]
    fn the_last_of_a_key_counts() {
        let body = r#"{"events":[1],"events":[{"st\u0061tus":"a","status":"b"},2]}"#;
        let events = scan_batch(body).expect("valid").expect("an array");
        assert_eq!(events.len(), 2);
        let status = events[0].get(Field::Status);
        assert_eq!(&body[status.start..status.end], "\"b\"");
        assert!(!events[1].is_object);
        assert_eq!(scan_batch(r#"{"events":[],"events":1}"#), Ok(None));
    }

    #[test]
    fn finds_the_end_of_plain_bytes_at_every_place() {
        for special in [b'"', b'\\', 0x1f, 0x00] {
            for at in 0..40 {
                let mut bytes = vec![b'a'; 40];
                bytes[at] = special;
                assert_eq!(plain_prefix(&bytes), at);
            }
        }
        assert_eq!(
            plain_prefix("ÿ\u{7f}é!#[]".repeat(5).as_bytes()),
            "ÿ\u{7f}é!#[]".len() * 5
        );
    }
}
