//! Scans bytes by the grammar of RFC 8259, without a tree of values.
//!
//! Invariant: a text that passes is valid JSON to its last byte, nested at most as deep as the limit. Every span lies
//! on character boundaries. Knows nothing of events.

use crate::contract::LIMITS;
use crate::event::{Span, SpanKind};

/// The body is not JSON, or its nesting is too deep.
#[derive(Debug, PartialEq, Eq)]
pub struct InvalidJson;

/// The result of scanning.
pub(crate) type Scan<T> = Result<T, InvalidJson>;

/// A position in the bytes of a body.
pub(crate) struct Scanner<'a> {
    pub(crate) bytes: &'a [u8],
    at: usize,
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Starts at a position in the bytes, so that spans refer to all of them.
    pub(crate) fn starting_at(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    /// Returns the number of bytes passed.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Moves back to a position.
    pub(crate) fn rewind(&mut self, at: usize) {
        self.at = at;
    }

    pub(crate) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    pub(crate) fn skip_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    pub(crate) fn end(&mut self) -> Scan<()> {
        self.skip_space();
        if self.at == self.bytes.len() { Ok(()) } else { Err(InvalidJson) }
    }

    /// Skips any value, at nesting depth `depth`.
    pub(crate) fn skip_value(&mut self, depth: usize) -> Scan<Span> {
        let start = self.at;
        let kind = match self.peek().ok_or(InvalidJson)? {
            b'"' => self.skip_string()?,
            b'{' => {
                self.members(depth + 1, |scanner, _| scanner.skip_value(depth + 1).map(|_| ()))?;
                SpanKind::Object
            }
            b'[' => {
                self.elements(depth + 1, |scanner| scanner.skip_value(depth + 1).map(|_| ()))?;
                SpanKind::Array
            }
            b't' => self.literal(b"true", SpanKind::Bool)?,
            b'f' => self.literal(b"false", SpanKind::Bool)?,
            b'n' => self.literal(b"null", SpanKind::Null)?,
            _ => self.number()?,
        };
        Ok(Span { start, end: self.at, kind })
    }

    /// Visits the members of the object at this position; `depth` counts the object itself.
    pub(crate) fn members(
        &mut self,
        depth: usize,
        mut member: impl FnMut(&mut Self, Span) -> Scan<()>,
    ) -> Scan<()> {
        self.open(depth)?;
        if self.close(b'}') {
            return Ok(());
        }
        loop {
            let start = self.at;
            if self.peek() != Some(b'"') {
                return Err(InvalidJson);
            }
            let kind = self.skip_string()?;
            let key = Span { start, end: self.at, kind };
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

    /// Visits the elements of the array at this position; `depth` counts the array itself.
    pub(crate) fn elements(
        &mut self,
        depth: usize,
        mut element: impl FnMut(&mut Self) -> Scan<()>,
    ) -> Scan<()> {
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

    pub(crate) fn close(&mut self, end: u8) -> bool {
        let closes = self.peek() == Some(end);
        self.at += usize::from(closes);
        closes
    }

    pub(crate) fn expect(&mut self, byte: u8) -> Scan<()> {
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

    pub(crate) fn number(&mut self) -> Scan<SpanKind> {
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

    /// Skips a string token; starts at the opening quote.
    pub(crate) fn skip_string(&mut self) -> Scan<SpanKind> {
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

/// Returns the number of plain bytes from here on: not a quote, a backslash or a control character. It compares eight
/// at a time, since most bytes of a body lie inside strings.
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
            // A borrow can only set bits above the first match, so the lowest bit is exact.
            return at + (special.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    let rest = bytes[at..].iter().take_while(|&&byte| byte >= 0x20 && byte != b'"' && byte != b'\\');
    at + rest.count()
}

#[cfg(test)]
mod tests {
    use super::plain_prefix;

    #[test]
    fn the_plain_prefix_ends_at_a_special_byte_in_every_position() {
        for special in [b'"', b'\\', 0x1f, 0x00] {
            for at in 0..40 {
                let mut bytes = vec![b'a'; 40];
                bytes[at] = special;
                assert_eq!(plain_prefix(&bytes), at);
            }
        }
        assert_eq!(plain_prefix("ÿ\u{7f}é!#[]".repeat(5).as_bytes()), "ÿ\u{7f}é!#[]".len() * 5);
    }
}
