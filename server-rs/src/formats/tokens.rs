//! Writes the values of a binary format as JSON tokens of a new body, each with its span (decision 53).
//!
//! Invariant: only metadata tokens are scanned again. A text keeps its bytes between its quotes, even where
//! JSON needs an escape. The kind of its span marks it as a string without escapes.

use crate::event::{Span, SpanKind};
use crate::scanner::{Scan, Scanner};

/// Metadata is nested in one container, its event.
const METADATA_DEPTH: usize = 1;

/// A body that is written token by token.
#[derive(Debug)]
pub struct Tokens {
    body: String,
}

impl Tokens {
    /// Creates an empty body with room for this many bytes.
    pub fn with_capacity(bytes: usize) -> Self {
        Self { body: String::with_capacity(bytes) }
    }

    /// Writes a string.
    pub fn text(&mut self, text: &str) -> Span {
        self.token(SpanKind::String, |body| {
            body.push('"');
            body.push_str(text);
            body.push('"');
        })
    }

    /// Writes a whole number as digits.
    pub fn integer(&mut self, value: impl itoa::Integer) -> Span {
        let mut digits = itoa::Buffer::new();
        self.token(SpanKind::Number, |body| body.push_str(digits.format(value)))
    }

    /// Writes a number as ECMAScript prints it. Infinity becomes a number above every double, and NaN becomes a
    /// non-number, so that both get the problem of their field (rule FMT-07).
    pub fn number(&mut self, value: f64) -> Span {
        if value.is_nan() {
            return self.bare(SpanKind::Bool);
        }
        self.token(SpanKind::Number, |body| {
            if value.is_finite() {
                body.push_str(ryu_js::Buffer::new().format_finite(value));
            } else {
                body.push_str(if value > 0.0 { "1e999" } else { "-1e999" });
            }
        })
    }

    /// Writes a value of which only the kind matters.
    pub fn bare(&mut self, kind: SpanKind) -> Span {
        self.token(kind, |_| ())
    }

    /// Writes metadata that was sent as JSON text, without the white space around it (rule FMT-05).
    pub fn metadata(&mut self, text: &[u8]) -> Span {
        let text = trim_space(text);
        if text.is_empty() {
            return Span::ABSENT;
        }
        match (std::str::from_utf8(text), scan_text(text)) {
            (Ok(text), Ok(kind)) => self.token(kind, |body| body.push_str(text)),
            _ => self.bare(SpanKind::NotJson),
        }
    }

    /// Writes metadata that `write` appends as JSON text.
    pub fn canonical<E>(&mut self, write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>) -> Result<Span, E> {
        let mut text = Vec::new();
        write(&mut text)?;
        Ok(self.token(SpanKind::Object, |body| body.push_str(&String::from_utf8_lossy(&text))))
    }

    /// Returns the body's text.
    pub fn finish(self) -> String {
        self.body
    }

    fn token(&mut self, kind: SpanKind, write: impl FnOnce(&mut String)) -> Span {
        let start = self.body.len();
        write(&mut self.body);
        Span { start, end: self.body.len(), kind }
    }
}

/// Returns the kind of the one value in a text.
fn scan_text(text: &[u8]) -> Scan<SpanKind> {
    let mut scanner = Scanner::new(text);
    let span = scanner.skip_value(METADATA_DEPTH)?;
    scanner.end()?;
    Ok(span.kind)
}

/// Removes the white space of JSON from both ends.
fn trim_space(text: &[u8]) -> &[u8] {
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
    let start = text.iter().position(|byte| !is_space(byte)).unwrap_or(text.len());
    let end = text.iter().rposition(|byte| !is_space(byte)).map_or(start, |last| last + 1);
    &text[start..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_tokens_omit_the_white_space_around_the_json_text() {
        let kind = |text: &str| Tokens::with_capacity(0).metadata(text.as_bytes()).kind;
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(kind(" null\n"), SpanKind::Null);
        assert_eq!((kind(""), kind(" \t")), (SpanKind::Absent, SpanKind::Absent));
        assert_eq!((kind(&nested(127)), kind(&nested(128))), (SpanKind::Array, SpanKind::NotJson));
        for text in ["{", "{} {}", "\u{feff}{}", "NaN"] {
            assert_eq!(kind(text), SpanKind::NotJson, "{text}");
        }
        let mut tokens = Tokens::with_capacity(0);
        assert_eq!(tokens.metadata(b"\"\xff\"").kind, SpanKind::NotJson);
        assert_eq!(tokens.metadata(b"\r\n{ }  "), Span { start: 0, end: 3, kind: SpanKind::Object });
        assert_eq!(tokens.finish(), "{ }");
    }

    #[test]
    fn number_tokens_are_digits_or_the_ecmascript_text() {
        let mut tokens = Tokens::with_capacity(0);
        tokens.integer(u64::MAX);
        for value in [-0.0, 0.1, 1e21, f64::INFINITY] {
            tokens.text(",");
            tokens.number(value);
        }
        assert_eq!(tokens.number(f64::NAN).kind, SpanKind::Bool);
        assert_eq!(tokens.finish(), "18446744073709551615\",\"0\",\"0.1\",\"1e+21\",\"1e999");
    }
}
