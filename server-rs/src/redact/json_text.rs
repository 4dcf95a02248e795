//! Replaces values of keys and matches of patterns inside a JSON text, and keeps every other byte (rules RED-03
//! and RED-04).
//!
//! Pure. The text was scanned before, so it is valid JSON.

use std::ops::Range;

use crate::contract::VOCABULARY;
use crate::event::{Span, SpanKind};
use crate::redact::Redaction;
use crate::scanner::{Scan, Scanner};
use crate::text::{decode_token, hex_value};

/// Returns the text with its replacements; `None` when nothing changes.
pub fn redact_json(redaction: &Redaction, text: &str) -> Option<String> {
    let mut walk = Walk { redaction, text, edits: Vec::new() };
    let mut scanner = Scanner::new(text.as_bytes());
    scanner.skip_space();
    let scanned = walk.value(&mut scanner, 0);
    if scanned.is_err() || walk.edits.is_empty() {
        return None;
    }
    let mark = &VOCABULARY.redaction.text;
    let mut redacted = String::with_capacity(text.len());
    let mut at = 0;
    for Edit { range, is_value } in walk.edits {
        redacted.push_str(&text[at..range.start]);
        let quote = if is_value { "\"" } else { "" };
        for part in [quote, mark, quote] {
            redacted.push_str(part);
        }
        at = range.end;
    }
    redacted.push_str(&text[at..]);
    Some(redacted)
}

/// A range of the text that the mark replaces: a whole value, or a part of a string.
struct Edit {
    range: Range<usize>,
    is_value: bool,
}

struct Walk<'a> {
    redaction: &'a Redaction,
    text: &'a str,
    /// In the order of the text.
    edits: Vec<Edit>,
}

impl Walk<'_> {
    fn value(&mut self, scanner: &mut Scanner<'_>, depth: usize) -> Scan<()> {
        match scanner.peek() {
            Some(b'{') => scanner.members(depth + 1, |scanner, key| {
                let is_redacted = self.is_key(key);
                self.string(key);
                if is_redacted {
                    let value = scanner.skip_value(depth + 1)?;
                    self.whole(value);
                    return Ok(());
                }
                self.value(scanner, depth + 1)
            }),
            Some(b'[') => scanner.elements(depth + 1, |scanner| self.value(scanner, depth + 1)),
            _ => {
                let value = scanner.skip_value(depth)?;
                self.string(value);
                Ok(())
            }
        }
    }

    /// Returns whether a member's name is a key of the file.
    fn is_key(&self, key: Span) -> bool {
        let keys = &self.redaction.keys;
        let token = &self.text[key.start..key.end];
        // The bytes of a name with escapes are fewer than those of its token.
        if key.kind == SpanKind::String && token.len() - 2 > keys.longest {
            return false;
        }
        let name = decode_token(token, key.kind == SpanKind::EscapedString);
        name.is_ok_and(|name| keys.contains(&name))
    }

    /// Replaces a whole value, unless it is the replacement already.
    fn whole(&mut self, value: Span) {
        let text = &self.text[value.start..value.end];
        let inner = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        if inner != Some(VOCABULARY.redaction.text) {
            self.edits.push(Edit { range: value.start..value.end, is_value: true });
        }
    }

    /// Replaces the matches of patterns in a string; does nothing with other values.
    fn string(&mut self, value: Span) {
        let start = value.start + 1;
        match value.kind {
            SpanKind::String => {
                let token = &self.text.as_bytes()[start..value.end - 1];
                let spans = self.redaction.patterns.spans(token);
                self.edits.extend(
                    spans
                        .into_iter()
                        .map(|span| Edit { range: start + span.start..start + span.end, is_value: false }),
                );
            }
            // Most strings have no sign of a secret, so their escapes need not be resolved.
            SpanKind::EscapedString if self.redaction.may_change(&self.text[start..value.end - 1]) => {
                let (bytes, places) = resolve(&self.text.as_bytes()[start..value.end - 1]);
                let spans = self.redaction.patterns.spans(&bytes);
                self.edits.extend(spans.into_iter().map(|span| Edit {
                    range: start + places[span.start]..start + places[span.end],
                    is_value: false,
                }));
            }
            _ => {}
        }
    }
}

/// Resolves the escapes of a token without its quotes. Returns one byte for each unit, and the place of each unit in
/// the token, its end included. A unit above ASCII becomes a byte that is in no class.
fn resolve(token: &[u8]) -> (Vec<u8>, Vec<usize>) {
    let (mut bytes, mut places) = (Vec::with_capacity(token.len()), Vec::with_capacity(token.len() + 1));
    let mut at = 0;
    while at < token.len() {
        places.push(at);
        let (byte, width) = match token[at..] {
            [b'\\', b'u', a, b, c, d, ..] => (ascii_of([a, b, c, d]), 6),
            [b'\\', escape, ..] => (meaning_of(escape), 2),
            [byte, ..] => (byte, 1),
            [] => break,
        };
        bytes.push(byte);
        at += width;
    }
    places.push(token.len());
    (bytes, places)
}

/// A byte that is in no class and in no prefix.
const OTHER: u8 = 0xff;

/// Returns the ASCII character of four hexadecimal digits, or [`OTHER`].
fn ascii_of(digits: [u8; 4]) -> u8 {
    let code = digits.iter().fold(0, |code, digit| code << 4 | u32::from(hex_value(*digit).unwrap_or(0)));
    u8::try_from(code).ok().filter(u8::is_ascii).unwrap_or(OTHER)
}

/// Returns the character of an escape; a control character is in no class.
fn meaning_of(escape: u8) -> u8 {
    if matches!(escape, b'b' | b'f' | b'n' | b'r' | b't') { OTHER } else { escape }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::rules::parse_redaction;

    fn redacted(text: &str) -> Option<String> {
        let rules = parse_redaction(
            r#"{"keys":["Password","a/\"b"],"patterns":[{"prefix":"sk-","class":"base64url","minimum":8},
                {"prefix":"/x\"","class":"digits","minimum":8}]}"#,
        );
        redact_json(&Redaction::new(rules.expect("valid")), text)
    }

    #[test]
    fn only_values_of_keys_and_matches_change() {
        for (text, expected) in [
            (r#"{"passwords":"x","a":1.50}"#, None),
            (r#"{ "PASSword" : {"a":[1]} , "b":2}"#, Some(r#"{ "PASSword" : "[redacted]" , "b":2}"#)),
            (r#"[[{"p\u0061ssword":null}]]"#, Some(r#"[[{"p\u0061ssword":"[redacted]"}]]"#)),
            (
                r#"{"a\/\u0022b":-1e5,"a\/\"b":"[redacted]"}"#,
                Some(r#"{"a\/\u0022b":"[redacted]","a\/\"b":"[redacted]"}"#),
            ),
            (r#""sk-12345678 é sk-1234""#, Some(r#""[redacted] é sk-1234""#)),
            (
                r#"{"k sk-abcdefgh":[true,"\nsk-abcdefgh\n"]}"#,
                Some(r#"{"k [redacted]":[true,"\n[redacted]\n"]}"#),
            ),
            (r#"["\ud800s\u006B-1234\u00355678\u00e9"]"#, Some(r#"["\ud800[redacted]\u00e9"]"#)),
            (r#"["\/x\"12345678"]"#, Some(r#"["[redacted]"]"#)),
            (r#"["sk-\u0100345678901","sk-\n345678901"]"#, None),
            (
                r#"{"password":"a","password":"b"}"#,
                Some(r#"{"password":"[redacted]","password":"[redacted]"}"#),
            ),
            (r#"{"password":"[redacted]","\ud800":1}"#, None),
            ("12345", None),
        ] {
            assert_eq!(redacted(text).as_deref(), expected, "{text}");
        }
    }
}
