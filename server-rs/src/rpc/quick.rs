//! Reads values in the form that most clients write: members in the order of the schema, texts without needless
//! escapes.
//!
//! It gives up on any other form, and `values` reads the value again. Invariant: the result does not depend on which
//! of the two reads it.

use crate::event::SpanKind;
use crate::number::{parse_number, print_number};
use crate::rpc::schema::Type;
use crate::scanner::Scanner;

/// Largest number of characters at which a plain decimal is always the shortest text of its double.
const EXACT_DIGITS: usize = 15;
/// Largest number of digits at which every whole number fits into a long.
const LONG_DIGITS: usize = 9;

/// Appends the value at this position as its result. `None` means that it gave up; scanner and text are then
/// in any state.
pub(super) fn quick_value(scanner: &mut Scanner<'_>, kind: &Type, out: &mut Vec<u8>) -> Option<()> {
    match kind {
        Type::Long => {
            let token = number_token(scanner)?;
            (is_plain(token) && token.len() <= LONG_DIGITS).then(|| out.extend_from_slice(token))
        }
        Type::Double => {
            let token = number_token(scanner)?;
            write_double(token, out)
        }
        Type::Boolean => {
            let word: &[u8] = if scanner.peek() == Some(b't') { b"true" } else { b"false" };
            literal(scanner, word)?;
            out.extend_from_slice(word);
            Some(())
        }
        Type::Text => {
            let start = scanner.at();
            if scanner.peek() != Some(b'"') {
                return None;
            }
            let kind = scanner.skip_string().ok()?;
            let token = &scanner.bytes[start..scanner.at()];
            (kind == SpanKind::String || has_short_escapes(token)).then(|| out.extend_from_slice(token))
        }
        Type::Dictionary(members) => {
            scanner.expect(b'{').ok()?;
            for (index, (name, kind)) in members.iter().enumerate() {
                scanner.skip_space();
                out.push(if index == 0 { b'{' } else { b',' });
                let start = scanner.at();
                scanner.expect(b'"').ok()?;
                literal(scanner, name.as_bytes())?;
                scanner.expect(b'"').ok()?;
                out.extend_from_slice(&scanner.bytes[start..scanner.at()]);
                scanner.skip_space();
                scanner.expect(b':').ok()?;
                out.push(b':');
                scanner.skip_space();
                quick_value(scanner, kind, out)?;
                scanner.skip_space();
                scanner.expect(if index + 1 == members.len() { b'}' } else { b',' }).ok()?;
            }
            out.push(b'}');
            Some(())
        }
        Type::Any | Type::Sequence(_) | Type::Options(_) => None,
    }
}

/// Appends a finite number as ECMAScript prints it; gives up on -0.
fn write_double(token: &[u8], out: &mut Vec<u8>) -> Option<()> {
    if is_shortest(token) {
        out.extend_from_slice(token);
        return Some(());
    }
    let value = parse_number(std::str::from_utf8(token).ok()?);
    (value.is_finite() && value != 0.0).then(|| print_number(out, value))
}

/// Returns whether each escape of a text has two characters and `JSON.stringify` prints it too.
fn has_short_escapes(token: &[u8]) -> bool {
    let mut rest = token;
    while let Some(at) = rest.iter().position(|&byte| byte == b'\\') {
        let (Some(b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't'), Some(behind)) =
            (rest.get(at + 1), rest.get(at + 2..))
        else {
            return false;
        };
        rest = behind;
    }
    true
}

/// Returns whether a token has only digits, without a leading zero.
fn is_plain(token: &[u8]) -> bool {
    token.iter().all(u8::is_ascii_digit)
}

/// Returns whether a token is the text that ECMAScript prints for its double: few digits, no exponent, no zero at the
/// end of a fraction.
fn is_shortest(token: &[u8]) -> bool {
    if token.len() > EXACT_DIGITS {
        return false;
    }
    if is_plain(token) {
        return true;
    }
    // At least 0.1: smaller numbers may be printed with an exponent.
    let [first @ b'0'..=b'9', rest @ ..] = token else { return false };
    let Some(point) = token.iter().position(|&byte| byte == b'.') else { return false };
    let is_small = *first == b'0' && rest.get(1) == Some(&b'0');
    let digits = token[..point].iter().chain(&token[point + 1..]);
    !is_small && digits.copied().all(|byte| byte.is_ascii_digit()) && token.last() != Some(&b'0')
}

fn number_token<'a>(scanner: &mut Scanner<'a>) -> Option<&'a [u8]> {
    let start = scanner.at();
    scanner.number().ok()?;
    Some(&scanner.bytes[start..scanner.at()])
}

fn literal(scanner: &mut Scanner<'_>, word: &[u8]) -> Option<()> {
    let end = scanner.at() + word.len();
    (scanner.bytes.get(scanner.at()..end)? == word).then(|| scanner.rewind(end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rpc::schema::method_named;
    use crate::rpc::values::Checker;

    #[test]
    fn a_shortest_token_equals_the_printed_text_of_its_double() {
        let mut state: u64 = 30;
        let mut shortest = 0;
        for _ in 0..200_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let digits = (state >> 32) % 10_u64.pow(1 + ((state >> 20) % 9) as u32);
            let token = match (state >> 10) % 3 {
                0 => digits.to_string(),
                1 => format!("0.{digits}"),
                _ => format!("{}.{digits}", (state >> 40) % 1000),
            };
            if is_shortest(token.as_bytes()) {
                let mut printed = Vec::new();
                print_number(&mut printed, parse_number(&token));
                assert_eq!(String::from_utf8_lossy(&printed), token);
                shortest += 1;
            }
        }
        assert!(shortest > 100_000, "{shortest}");
        for token in ["-1", "1e2", "1.0", "0.0", "0.01", "0.000001", "1234567890.123456", "1234567890123456"]
        {
            assert!(!is_shortest(token.as_bytes()), "{token}");
        }
    }

    #[test]
    fn the_quick_reader_returns_the_result_of_the_full_reader() {
        let nested = &method_named("echo.nestedDict", true).expect("a method").parameters[0].kind;
        for (text, double) in [
            ("\"a\"", "1.5"),
            (r#""\"\\\n\t""#, "2"),
            ("\"é😀\"", "0.30000000000000004"),
            ("\"\"", "1e21"),
            ("\"x\"", "12.50"),
        ] {
            let inner = format!(r#"{{"str":{text},"d":{double},"b":false}}"#);
            let value = format!(r#"{{"topStr":{text},"topD":{double},"topB":true,"nested":{inner}}}"#);
            let mut quick = Vec::new();
            assert_eq!(
                quick_value(&mut Scanner::new(value.as_bytes()), nested, &mut quick),
                Some(()),
                "{value}"
            );
            let unusual = value.replace("{\"", "{\"other\":[],\"");
            let (mut scanner, mut exact) = (Scanner::new(unusual.as_bytes()), Vec::new());
            assert_eq!(quick_value(&mut scanner, nested, &mut Vec::new()), None, "{unusual}");
            scanner.rewind(0);
            let checked = Checker { keeps_minus_zero: false }.value(&mut scanner, nested, 0, &mut exact);
            assert_eq!((checked, exact), (Ok(Ok(())), quick), "{unusual}");
        }
    }
}
