//! Reads values as most clients write them: members in the order of the schema, texts without needless escapes.
//!
//! It gives up at anything else, and `values` reads the value again. Invariant: what is read does not depend on that.

use crate::event::SpanKind;
use crate::number::{parse_number, print_number};
use crate::rpc::schema::Type;
use crate::scanner::Scanner;

/// So many digits are always the shortest that are read as the same double.
const EXACT_DIGITS: usize = 15;
/// Every whole number of so many digits is a long.
const LONG_DIGITS: usize = 9;

/// Appends the value at this place as its result; `None` gives up, wherever the scanner and the text are then.
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
            if scanner.peek() != Some(b'"') || scanner.skip_string().ok()? != SpanKind::String {
                return None;
            }
            // Without an escape a text is printed as it was sent.
            out.extend_from_slice(&scanner.bytes[start..scanner.at()]);
            Some(())
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

/// Appends a finite number as ECMAScript prints it; -0 is left to others.
fn write_double(token: &[u8], out: &mut Vec<u8>) -> Option<()> {
    if is_shortest(token) {
        out.extend_from_slice(token);
        return Some(());
    }
    let value = parse_number(std::str::from_utf8(token).ok()?);
    (value.is_finite() && value != 0.0).then(|| print_number(out, value))
}

/// Whether a token is digits alone, without a leading zero.
fn is_plain(token: &[u8]) -> bool {
    token.iter().all(u8::is_ascii_digit)
}

/// Whether a token is what ECMAScript prints for its double: few digits, no exponent, no zero at the end of a fraction.
fn is_shortest(token: &[u8]) -> bool {
    if token.len() > EXACT_DIGITS {
        return false;
    }
    if is_plain(token) {
        return true;
    }
    // From 0.1 on: what is smaller may be printed with an exponent.
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
