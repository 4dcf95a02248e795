//! Checks values against types, and prints them (rules RPC-03 and RPC-04).
//!
//! One pass does both, without a tree of values. It finds the members of a dictionary first, then checks them in the
//! order of the schema. Invariant: the JSON grammar is checked to the last byte, also after a problem.

use crate::contract::{LIMITS, VOCABULARY};
use crate::event::{Span, SpanKind};
use crate::number::{parse_number, print_number};
use crate::rpc::problem::Problem;
use crate::rpc::quick::quick_value;
use crate::rpc::schema::Type;
use crate::scanner::{Scan, Scanner};

/// The result of checking: invalid JSON ends the scan, a problem does not.
pub(crate) type Checked<T> = Scan<Result<T, Problem>>;

/// Checks the values of one call.
pub(crate) struct Checker {
    /// Prints -0 unchanged, which MessagePack can express and ECMAScript's JSON cannot.
    pub(crate) keeps_minus_zero: bool,
}

impl Checker {
    /// Appends the value at this position, at nesting depth `depth`.
    pub(crate) fn value(
        &self,
        scanner: &mut Scanner<'_>,
        kind: &Type,
        depth: usize,
        out: &mut Vec<u8>,
    ) -> Checked<()> {
        let (start, length) = (scanner.at(), out.len());
        if quick_value(scanner, kind, out).is_some() {
            return Ok(Ok(()));
        }
        scanner.rewind(start);
        out.truncate(length);
        match kind {
            Type::Sequence(item) => self.sequence(scanner, item, kind, depth, out),
            Type::Dictionary(members) => self.dictionary(scanner, members, kind, depth, out),
            Type::Long | Type::Double | Type::Boolean | Type::Text | Type::Any | Type::Options(_) => {
                let span = scanner.skip_value(depth)?;
                Ok(self.scalar(&scanner.bytes[span.start..span.end], span, kind, out))
            }
        }
    }

    fn scalar(&self, token: &[u8], span: Span, kind: &Type, out: &mut Vec<u8>) -> Result<(), Problem> {
        let number = || parse_number(std::str::from_utf8(token).unwrap_or_default());
        let is_taken = match (kind, span.kind) {
            (Type::Long, SpanKind::Number) => write_long(number(), out),
            (Type::Double, SpanKind::Number) => write_double(number(), self.keeps_minus_zero, out),
            (Type::Text, SpanKind::EscapedString) => write_text(token, out),
            (Type::Any, _) | (Type::Boolean, SpanKind::Bool) | (Type::Text, SpanKind::String) => {
                out.extend_from_slice(token);
                true
            }
            _ => false,
        };
        if is_taken { Ok(()) } else { Err(Problem::of_type(kind)) }
    }

    fn sequence(
        &self,
        scanner: &mut Scanner<'_>,
        item: &Type,
        kind: &Type,
        depth: usize,
        out: &mut Vec<u8>,
    ) -> Checked<()> {
        if scanner.peek() != Some(b'[') {
            scanner.skip_value(depth)?;
            return Ok(Err(Problem::of_type(kind)));
        }
        let mut checked = Ok(());
        let mut count = 0;
        out.push(b'[');
        scanner.elements(depth + 1, |scanner| {
            if checked.is_ok() && count < LIMITS.rpc_sequence_items {
                if count > 0 {
                    out.push(b',');
                }
                checked = self.value(scanner, item, depth + 1, out)?.map_err(|problem| problem.under(count));
            } else {
                scanner.skip_value(depth + 1)?;
            }
            count += 1;
            Ok(())
        })?;
        out.push(b']');
        // The array's own problem comes before those of its items.
        Ok(if count > LIMITS.rpc_sequence_items { Err(Problem::of_type(kind)) } else { checked })
    }

    fn dictionary(
        &self,
        scanner: &mut Scanner<'_>,
        members: &[(String, Type)],
        kind: &Type,
        depth: usize,
        out: &mut Vec<u8>,
    ) -> Checked<()> {
        let mut given = vec![Span::ABSENT; members.len()];
        let is_object = scan_members(scanner, depth, |key, value, bytes| {
            if let Some(at) = members.iter().position(|(name, _)| key.key_is(name, bytes)) {
                given[at] = value;
            }
        })?;
        if !is_object {
            return Ok(Err(Problem::of_type(kind)));
        }
        for (index, ((name, kind), span)) in members.iter().zip(given).enumerate() {
            if span.kind == SpanKind::Absent {
                return Ok(Err(Problem::new(VOCABULARY.rpc_messages.missing).under(name)));
            }
            out.push(if index == 0 { b'{' } else { b',' });
            out.push(b'"');
            out.extend_from_slice(name.as_bytes());
            out.extend_from_slice(b"\":");
            let mut value = Scanner::starting_at(scanner.bytes, span.start);
            if let Err(problem) = self.value(&mut value, kind, depth + 1, out)? {
                return Ok(Err(problem.under(name)));
            }
        }
        out.push(b'}');
        Ok(Ok(()))
    }
}

/// Calls `visit` with every member of the object at this position; returns whether the value is an object.
pub(crate) fn scan_members<'a>(
    scanner: &mut Scanner<'a>,
    depth: usize,
    mut visit: impl FnMut(Span, Span, &'a [u8]),
) -> Scan<bool> {
    if scanner.peek() != Some(b'{') {
        scanner.skip_value(depth)?;
        return Ok(false);
    }
    scanner.members(depth + 1, |scanner, key| {
        let value = scanner.skip_value(depth + 1)?;
        visit(key, value, scanner.bytes);
        Ok(())
    })?;
    Ok(true)
}

/// Appends a whole number of 32 bits in any spelling; returns whether it is one.
fn write_long(value: f64, out: &mut Vec<u8>) -> bool {
    let is_long = value.fract() == 0.0 && value >= f64::from(i32::MIN) && value <= f64::from(i32::MAX);
    if is_long {
        // This drops the sign of -0.
        print_number(out, value);
    }
    is_long
}

/// Appends a finite number; returns whether it is one.
fn write_double(value: f64, keeps_minus_zero: bool, out: &mut Vec<u8>) -> bool {
    if keeps_minus_zero && value == 0.0 && value.is_sign_negative() {
        out.extend_from_slice(b"-0");
    } else if value.is_finite() {
        print_number(out, value);
    }
    value.is_finite()
}

/// Appends a text with escapes as `JSON.stringify` does; returns whether it is well-formed.
fn write_text(token: &[u8], out: &mut Vec<u8>) -> bool {
    let text = serde_json::from_slice::<String>(token);
    // Writing a string to memory cannot fail.
    text.is_ok_and(|text| serde_json::to_writer(out, &text).is_ok())
}
