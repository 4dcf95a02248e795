//! Replaces matches of patterns in bytes that arrive in chunks (rule RED-06).
//!
//! Invariant: the result does not depend on the borders of the chunks. The stream holds back only the bytes that may
//! be the beginning of a match, never a long run.

use std::sync::Arc;

use crate::contract::VOCABULARY;
use crate::redact::Redaction;
use crate::redact::patterns::push_span;

/// State of one sequence of bytes.
#[derive(Debug, Clone)]
pub struct RedactionStream {
    redaction: Arc<Redaction>,
    /// Bytes that were taken and not returned.
    held: Vec<u8>,
    /// How many of the held bytes belong to a match that began before them.
    covered: usize,
    /// Classes whose matched run reaches the end of the held bytes.
    open: Vec<usize>,
    /// Whether the last returned bytes are the replacement of a match that touches the held bytes.
    is_replaced: bool,
    has_matches: bool,
}

impl RedactionStream {
    /// Begins a sequence of bytes.
    pub fn new(redaction: Arc<Redaction>) -> Self {
        Self {
            redaction,
            held: Vec::new(),
            covered: 0,
            open: Vec::new(),
            is_replaced: false,
            has_matches: false,
        }
    }

    /// Takes the next bytes; returns those that are decided, with replacements. All are with the last bytes.
    pub fn take(&mut self, bytes: &[u8], is_last: bool) -> Vec<u8> {
        let patterns = &self.redaction.patterns;
        let begin = self.held.len();
        let mut all = std::mem::take(&mut self.held);
        all.extend_from_slice(bytes);
        // A match that begins before the cut is decided, as it has all the bytes that it needs.
        let cut = if is_last { all.len() } else { all.len().saturating_sub(patterns.window()) };
        let mut covered = self.covered;
        self.open.retain(|class| {
            let end = patterns.run_end(*class, &all, begin);
            covered = covered.max(end);
            end == all.len()
        });
        let mut spans = Vec::new();
        if covered > 0 {
            spans.push(0..covered);
        }
        let open = &mut self.open;
        patterns.each_match(&all, |start, end, class| {
            if start < cut {
                push_span(&mut spans, start..end);
                if end == all.len() && !open.contains(&class) {
                    open.push(class);
                }
            }
        });
        let mut out = Vec::with_capacity(cut);
        let mut at = 0;
        self.covered = 0;
        for span in spans {
            self.has_matches = true;
            if span.start < cut {
                out.extend_from_slice(&all[at..span.start]);
                if span.start > 0 || !self.is_replaced {
                    out.extend_from_slice(VOCABULARY.redaction.text.as_bytes());
                }
                at = span.end.min(cut);
            }
            self.covered = span.end.saturating_sub(cut);
        }
        out.extend_from_slice(&all[at..cut]);
        if cut > 0 {
            self.is_replaced = at == cut;
        }
        self.held = all.split_off(cut);
        out
    }

    /// Returns whether there was a match.
    pub fn has_matches(&self) -> bool {
        self.has_matches
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::rules::parse_redaction;

    fn redaction() -> Arc<Redaction> {
        let rules = parse_redaction(
            r#"{"patterns":[{"prefix":"sk-","class":"base64url","minimum":8},
                {"prefix":"a!b","class":"alphanumeric","minimum":7},{"prefix":"!","class":"hex","minimum":9}]}"#,
        );
        Arc::new(Redaction::new(rules.expect("valid")))
    }

    #[test]
    fn the_result_does_not_depend_on_the_chunks() {
        let long = "x".repeat(500);
        for (text, expected) in [
            ("", ""),
            ("nothing here", "nothing here"),
            ("sk-12345678", "[redacted]"),
            ("sk-1234567", "sk-1234567"),
            ("1 sk-12345678! 2 sk-abcdefghi 3", "1 [redacted]! 2 [redacted] 3"),
            (&format!("sk-{long}.sk-{long}sk-{long}"), "[redacted].[redacted]"),
            ("sk-12345678!123456789.", "[redacted]."),
            ("a!b12345678a!b1234567!0", "[redacted]!0"),
            ("sk-sk-sk-sk-sk-", "[redacted]"),
            ("sk-12345678é", "[redacted]é"),
        ] {
            for size in [1, 2, 3, 7, 11, 64, 4096] {
                let mut stream = RedactionStream::new(redaction());
                let mut out: Vec<u8> =
                    text.as_bytes().chunks(size).flat_map(|chunk| stream.take(chunk, false)).collect();
                assert!(stream.held.len() <= stream.redaction.patterns.window());
                out.extend(stream.take(&[], true));
                assert_eq!(String::from_utf8_lossy(&out), expected, "{text} by {size}");
                assert_eq!(stream.has_matches(), text != expected);
            }
        }
    }
}
