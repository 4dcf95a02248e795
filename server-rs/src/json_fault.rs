//! Finds the line on which a text stops being JSON, for files that people write.
//!
//! Pure. Knows nothing of the content. A token that is cut off, or that may not be at its place, is the fault.

use crate::contract::LIMITS;
use crate::scanner::Scanner;

/// What may be at a position.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expected {
    Value,
    ValueOrEnd,
    Key,
    KeyOrEnd,
    Colon,
    CommaOrEnd,
}

/// Returns the number of the line, from 1 on, with the first token that makes a text no JSON.
pub fn fault_line(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut at, mut open, mut expected) = (0, Vec::new(), Expected::Value);
    loop {
        let mut scanner = Scanner::starting_at(bytes, at);
        scanner.skip_space();
        at = scanner.at();
        let Some(token) = scanner.peek() else { break };
        let is_value = matches!(expected, Expected::Value | Expected::ValueOrEnd);
        let ends = !matches!(expected, Expected::Value | Expected::Key | Expected::Colon);
        let next = match token {
            b'{' if is_value && open.len() < LIMITS.json_depth => {
                open.push(b'}');
                Expected::KeyOrEnd
            }
            b'[' if is_value && open.len() < LIMITS.json_depth => {
                open.push(b']');
                Expected::ValueOrEnd
            }
            b'}' | b']' if ends && open.last() == Some(&token) => {
                open.pop();
                Expected::CommaOrEnd
            }
            b',' if expected == Expected::CommaOrEnd => match open.last() {
                Some(b'}') => Expected::Key,
                Some(_) => Expected::Value,
                None => break,
            },
            b':' if expected == Expected::Colon => Expected::Value,
            b'"' if matches!(expected, Expected::Key | Expected::KeyOrEnd) => {
                if scanner.skip_value(0).is_err() {
                    break;
                }
                Expected::Colon
            }
            b'{' | b'[' => break,
            _ if is_value && scanner.skip_value(0).is_ok() => Expected::CommaOrEnd,
            _ => break,
        };
        at = scanner.at().max(at + 1);
        expected = next;
    }
    1 + bytes[..at].iter().filter(|byte| **byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_that_of_the_first_wrong_token() {
        for (text, line) in [
            ("", 1),
            ("{", 1),
            ("\n{\n", 3),
            ("{}\nx", 2),
            ("{}\n,", 2),
            ("\u{feff}{}", 1),
            ("{\n\"a\": 1\n\"b\": 2}", 3),
            ("{\"a\": 1,\n}", 2),
            ("{\"a\"\n1}", 2),
            ("{\n\n\"a\": NaN}", 3),
            ("{\n\"a\": 01}", 2),
            ("{\"a\": [1,\n2,\n]}", 3),
            ("{\"a\": [1\n}", 2),
            ("{\n\"a\": \"b\n", 2),
            ("{\n1: 2}", 2),
        ] {
            assert_eq!(fault_line(text), line, "{text}");
        }
    }
}
