//! Finds the bytes that patterns match (rule RED-04).
//!
//! Pure. The time is linear in the length of the bytes. The automaton reads each byte once, and so does the search for
//! the end of a run.

use std::ops::Range;

use aho_corasick::AhoCorasick;

use crate::contract::VOCABULARY;
use crate::redact::rules::RedactionPattern;

/// The patterns of a file.
#[derive(Debug)]
pub struct Patterns {
    patterns: Vec<RedactionPattern>,
    prefixes: AhoCorasick,
    /// Which bytes each class of the vocabulary contains.
    classes: Vec<[bool; 256]>,
    /// Number of bytes of the shortest match.
    least: usize,
    /// Bytes after the beginning of a match that suffice to recognise it.
    window: usize,
}

impl Patterns {
    /// Prepares the search for these patterns.
    pub fn new(patterns: Vec<RedactionPattern>) -> Self {
        let prefixes = AhoCorasick::new(patterns.iter().map(|pattern| &pattern.prefix));
        let lengths = || patterns.iter().map(|pattern| pattern.prefix.len() + pattern.minimum);
        Self {
            prefixes: prefixes.expect("the limits of a file are far below those of the automaton"),
            classes: VOCABULARY.redaction.classes.iter().map(|(_, ranges)| class_of(ranges)).collect(),
            least: lengths().min().unwrap_or(usize::MAX),
            window: lengths().max().unwrap_or(1) - 1,
            patterns,
        }
    }

    /// Returns the number of bytes after the first of a match that suffice to recognise the match.
    pub fn window(&self) -> usize {
        self.window
    }

    /// Calls `visit` with the start, the end and the class of every match in the bytes, ordered by the ends of their
    /// prefixes. A match ends where its run of the class ends.
    pub fn each_match(&self, bytes: &[u8], mut visit: impl FnMut(usize, usize, usize)) {
        // The end of the newest run of each class. Prefixes end in order, so an earlier run is not needed again.
        let mut ends = Vec::new();
        for found in self.prefixes.find_overlapping_iter(bytes) {
            let RedactionPattern { class, minimum, .. } = self.patterns[found.pattern().as_usize()];
            ends.resize(self.classes.len(), 0);
            if ends[class] < found.end() {
                ends[class] = self.run_end(class, bytes, found.end());
            }
            let end = ends[class];
            if end - found.end() >= minimum {
                visit(found.start(), end, class);
            }
        }
    }

    /// Returns whether a match may be among the bytes: one of the prefixes is.
    pub fn may_match(&self, bytes: &[u8]) -> bool {
        bytes.len() >= self.least && self.prefixes.is_match(bytes)
    }

    /// Returns the spans of all bytes that matches contain: in order, none touches another.
    pub fn spans(&self, bytes: &[u8]) -> Vec<Range<usize>> {
        let mut spans = Vec::new();
        if self.may_match(bytes) {
            self.each_match(bytes, |start, end, _| push_span(&mut spans, start..end));
        }
        spans
    }

    /// Returns the end of the run of a class that begins at `from`.
    pub fn run_end(&self, class: usize, bytes: &[u8], from: usize) -> usize {
        let is_in = |byte: &&u8| self.classes[class][usize::from(**byte)];
        from + bytes[from..].iter().take_while(is_in).count()
    }
}

/// Adds a span to spans that are in order and apart; joins it with those that it overlaps or touches.
pub fn push_span(spans: &mut Vec<Range<usize>>, span: Range<usize>) {
    let mut span = span;
    while let Some(last) = spans.pop_if(|last| last.end >= span.start) {
        span = last.start.min(span.start)..last.end.max(span.end);
    }
    spans.push(span);
}

/// Returns which bytes the ranges contain; a range is its first and its last character.
fn class_of(ranges: &[&str]) -> [bool; 256] {
    let mut class = [false; 256];
    for range in ranges {
        if let [first, last] = *range.as_bytes() {
            (first..=last).for_each(|byte| class[usize::from(byte)] = true);
        }
    }
    class
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns patterns of `prefix class minimum`.
    fn patterns(list: &[(&str, &str, usize)]) -> Patterns {
        let classes = VOCABULARY.redaction.classes;
        let pattern = |(prefix, class, minimum): &(&str, &str, usize)| RedactionPattern {
            prefix: (*prefix).to_owned(),
            class: classes.iter().position(|(name, _)| name == class).expect("a class"),
            minimum: *minimum,
        };
        Patterns::new(list.iter().map(pattern).collect())
    }

    fn spans(patterns: &Patterns, bytes: &[u8]) -> Vec<(usize, usize)> {
        patterns.spans(bytes).into_iter().map(|span| (span.start, span.end)).collect()
    }

    #[test]
    fn the_longest_run_of_every_match_counts() {
        let found = patterns(&[("sk-", "digits", 2), ("sk-a", "hex", 2), ("a!b", "alphanumeric", 1)]);
        for (text, expected) in [
            ("", vec![]),
            ("sk-1", vec![]),
            ("sk-12", vec![(0, 5)]),
            ("é sk-123x sk-abc", vec![(3, 9), (11, 17)]),
            ("sk-12sk-34", vec![(0, 10)]),
            ("sk-sk-12", vec![(3, 8)]),
            ("a!bxa!by!", vec![(0, 8)]),
            ("a!b!a!b", vec![]),
        ] {
            assert_eq!(spans(&found, text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn a_short_prefix_after_a_long_one_sees_the_whole_run() {
        let found = patterns(&[("xaaaaaaaa", "alphanumeric", 1), ("a", "alphanumeric", 9)]);
        assert_eq!(spans(&found, b"-xaaaaaaaab- a23456789"), vec![(1, 11)]);
        assert_eq!(spans(&found, b"-xaaaaaaaabc"), vec![(1, 12)]);
        assert_eq!(spans(&found, b"a1234567890"), vec![(0, 11)]);
    }

    #[test]
    fn the_time_is_linear_in_the_length() {
        let found = patterns(&[("a", "alphanumeric", 256), ("aaaaaaaa", "alphanumeric", 256)]);
        let bytes = vec![b'a'; 4 << 20];
        let begun = std::time::Instant::now();
        assert_eq!(spans(&found, &bytes), vec![(0, bytes.len())]);
        assert!(begun.elapsed().as_secs() < 5, "{:?}", begun.elapsed());
    }
}
