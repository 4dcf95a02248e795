//! Splits standard input into batches of lines (rules PRO-12 and PRO-14).
//!
//! Invariant: a line above the limit takes no memory; a text that is not JSON replaces it.

use std::collections::VecDeque;

use bytes::{Bytes, BytesMut};

use crate::input::batch::{BATCH_BYTES, Batch, Place};

/// Replaces a line that is too long; it is not JSON.
const TOO_LONG: &[u8] = b"?";

/// Received lines that are not taken yet.
#[derive(Debug)]
pub struct Lines {
    max_lines: usize,
    max_line_bytes: usize,
    bytes: BytesMut,
    /// The lengths of complete lines, including line feeds, and whether each was too long.
    whole: VecDeque<(usize, bool)>,
    /// The sum of these lengths; the bytes after it are an incomplete line.
    whole_bytes: usize,
    /// Whether the incomplete line is too long, so that its remaining bytes are dropped.
    is_skipping: bool,
    /// The number of the next line.
    next: u64,
}

impl Lines {
    /// Creates a splitter for batches of at most `max_lines` lines, each of at most `max_line_bytes`.
    pub fn new(max_lines: usize, max_line_bytes: u64) -> Self {
        let max_line_bytes = usize::try_from(max_line_bytes).unwrap_or(usize::MAX);
        Self {
            max_lines,
            max_line_bytes,
            bytes: BytesMut::new(),
            whole: VecDeque::new(),
            whole_bytes: 0,
            is_skipping: false,
            next: 1,
        }
    }

    /// Adds received bytes.
    pub fn push(&mut self, mut piece: &[u8]) {
        while let Some(end) = memchr::memchr(b'\n', piece) {
            self.add(&piece[..end]);
            self.bytes.extend_from_slice(b"\n");
            self.end_line();
            piece = &piece[end + 1..];
        }
        self.add(piece);
    }

    /// Returns an upper bound for the size of the next batch; `None` before a line is complete.
    pub fn ready(&self) -> Option<usize> {
        (!self.whole.is_empty()).then_some(self.whole_bytes)
    }

    /// Takes the next batch: as many complete lines as it may have.
    pub fn take(&mut self) -> Option<Batch> {
        let (mut length, mut count, mut too_long) = (0, 0, Vec::new());
        while let Some(&(line, is_too_long)) = self.whole.front() {
            if count == self.max_lines || (count > 0 && length + line > BATCH_BYTES) {
                break;
            }
            self.whole.pop_front();
            length += line;
            count += 1;
            if is_too_long {
                too_long.push(count);
            }
        }
        if count == 0 {
            return None;
        }
        self.whole_bytes -= length;
        let first = self.next;
        self.next += count as u64;
        let body = Bytes::from(self.bytes.split_to(length)).into();
        Some(Batch { body, place: Place::Lines { first, last: self.next - 1 }, too_long })
    }

    /// Marks the end of the input: a last line without a line feed is complete.
    pub fn end(&mut self) {
        if self.bytes.len() > self.whole_bytes {
            self.end_line();
        }
    }

    /// Adds bytes to the incomplete line.
    fn add(&mut self, piece: &[u8]) {
        if self.is_skipping {
            return;
        }
        if self.bytes.len() - self.whole_bytes + piece.len() > self.max_line_bytes {
            self.is_skipping = true;
            self.bytes.truncate(self.whole_bytes);
            self.bytes.extend_from_slice(TOO_LONG);
        } else {
            self.bytes.extend_from_slice(piece);
        }
    }

    fn end_line(&mut self) {
        self.whole.push_back((self.bytes.len() - self.whole_bytes, self.is_skipping));
        self.whole_bytes = self.bytes.len();
        self.is_skipping = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns body, first and last line, and overlong lines of all batches.
    fn batches(lines: &mut Lines) -> Vec<(String, u64, u64, Vec<usize>)> {
        std::iter::from_fn(|| lines.take())
            .map(|Batch { body, place, too_long }| match place {
                Place::Lines { first, last } => {
                    (String::from_utf8_lossy(&body).into_owned(), first, last, too_long)
                }
                Place::Frame(_) => panic!("a batch of lines"),
            })
            .collect()
    }

    fn batch(body: &str, first: u64, last: u64) -> (String, u64, u64, Vec<usize>) {
        (body.to_owned(), first, last, Vec::new())
    }

    #[test]
    fn a_batch_consists_of_complete_lines() {
        let mut lines = Lines::new(9, 100);
        lines.push(b"{}\r\n\n[");
        assert_eq!(batches(&mut lines), [batch("{}\r\n\n", 1, 2)]);
        assert_eq!(lines.ready(), None);
        lines.push(b"]\n");
        assert_eq!(batches(&mut lines), [batch("[]\n", 3, 3)]);
    }

    #[test]
    fn lines_survive_a_split_at_every_byte() {
        let text = b"{\"a\":1}\n\r\n\xff\n{}";
        for at in 0..text.len() {
            let mut lines = Lines::new(9, 100);
            lines.push(&text[..at]);
            lines.push(&text[at..]);
            lines.end();
            let taken: Vec<_> = std::iter::from_fn(|| lines.take()).collect();
            assert_eq!(taken.len(), 1, "{at}");
            assert_eq!(taken[0].body, text, "{at}");
            assert_eq!(taken[0].place, Place::Lines { first: 1, last: 4 }, "{at}");
        }
    }

    #[test]
    fn a_batch_has_at_most_its_maximum_of_lines() {
        let mut lines = Lines::new(2, 100);
        lines.push(b"1\n2\n3\n4\n5\n");
        let expected = [batch("1\n2\n", 1, 2), batch("3\n4\n", 3, 4), batch("5\n", 5, 5)];
        assert_eq!(batches(&mut lines), expected);
    }

    #[test]
    fn a_long_line_is_a_batch_of_its_own() {
        let long = "x".repeat(BATCH_BYTES);
        let mut lines = Lines::new(9, 1 << 30);
        lines.push(format!("1\n{long}\n3\n").as_bytes());
        let expected = [batch("1\n", 1, 1), batch(&format!("{long}\n"), 2, 2), batch("3\n", 3, 3)];
        assert_eq!(batches(&mut lines), expected);
    }

    #[test]
    fn a_last_line_without_a_line_feed_counts_as_a_line() {
        let mut lines = Lines::new(9, 100);
        lines.push(b"1\n2");
        lines.end();
        assert_eq!(batches(&mut lines), [batch("1\n2", 1, 2)]);
        lines.end();
        assert_eq!(lines.ready(), None);
    }

    #[test]
    fn an_overlong_line_takes_no_memory() {
        let mut lines = Lines::new(9, 1000);
        lines.push(b"1\n");
        for _ in 0..2048 {
            lines.push(&[b'x'; 1024]);
        }
        assert!(lines.bytes.capacity() < 8192);
        lines.push(b"x\n3\n");
        assert_eq!(batches(&mut lines), [("1\n?\n3\n".to_owned(), 1, 3, vec![2])]);
        lines.push(&[b'x'; 1000]);
        lines.push(b"\n");
        lines.push(&[b'x'; 1001]);
        lines.end();
        assert_eq!(batches(&mut lines), [(format!("{}\n?", "x".repeat(1000)), 4, 5, vec![2])]);
    }
}
