//! Checks the arguments of a call against the types of its method, and writes them as results (rules RPC-03 and RPC-04).
//!
//! One pass does both, without a tree of values: members of a dictionary are found first and then checked in the order
//! of the schema. Invariant: the grammar of JSON is checked to the last byte, also behind a problem.

use crate::contract::{LIMITS, ParameterKind, ROUTES, RouteSpec, VOCABULARY};
use crate::event::{Span, SpanKind};
use crate::number::{parse_number, print_number};
use crate::rpc::problem::Problem;
use crate::rpc::quick::quick_value;
use crate::rpc::schema::{Method, Type};
use crate::scanner::{Scan, Scanner};

/// The query parameters that a call gives, by their names.
pub type Options = Vec<(&'static str, String)>;

/// One argument, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Argument {
    /// Not given, or null where it is optional.
    Absent,
    /// As JSON text: members of the schema in its order, numbers as ECMAScript prints them.
    Json(Vec<u8>),
    /// Options as texts; their values are not checked yet.
    Options(Options),
}

/// What checking gives: JSON that is none ends the scan, and a problem does not.
pub(crate) type Checked<T> = Scan<Result<T, Problem>>;

/// Checks the value of `params` at this place, which lies in `depth` containers. `keeps_minus_zero` prints -0 as it is,
/// which MessagePack can say and JSON of ECMAScript cannot.
pub(crate) fn read_arguments(
    scanner: &mut Scanner<'_>,
    method: &Method,
    depth: usize,
    keeps_minus_zero: bool,
) -> Checked<Vec<Argument>> {
    if scanner.peek() != Some(b'[') {
        scanner.skip_value(depth)?;
        return Ok(Err(Problem::new(&VOCABULARY.rpc_messages.params)));
    }
    let checker = Checker { keeps_minus_zero };
    let mut arguments = Vec::with_capacity(method.parameters.len());
    let mut problem = None;
    let mut count = 0;
    scanner.elements(depth + 1, |scanner| {
        let parameter = method.parameters.get(count);
        match parameter.filter(|_| problem.is_none()) {
            None => {
                scanner.skip_value(depth + 1)?;
                let unexpected = || Problem::new(&VOCABULARY.rpc_messages.unexpected).under(count);
                problem = problem.take().or_else(|| Some(unexpected()));
            }
            Some(parameter) if parameter.is_optional && scanner.peek() == Some(b'n') => {
                scanner.skip_value(depth + 1)?;
                arguments.push(Argument::Absent);
            }
            Some(parameter) => match checker.argument(scanner, &parameter.kind, depth + 1)? {
                Ok(argument) => arguments.push(argument),
                Err(found) => problem = Some(found.under(count)),
            },
        }
        count += 1;
        Ok(())
    })?;
    Ok(match problem {
        Some(problem) => Err(problem),
        None => complete(method, arguments),
    })
}

/// The arguments with those that were not given.
pub(crate) fn complete(method: &Method, mut arguments: Vec<Argument>) -> Result<Vec<Argument>, Problem> {
    for (index, parameter) in method.parameters.iter().enumerate().skip(arguments.len()) {
        if !parameter.is_optional {
            return Err(Problem::new(&VOCABULARY.rpc_messages.missing).under(index));
        }
        arguments.push(Argument::Absent);
    }
    Ok(arguments)
}

struct Checker {
    keeps_minus_zero: bool,
}

impl Checker {
    fn argument(&self, scanner: &mut Scanner<'_>, kind: &Type, depth: usize) -> Checked<Argument> {
        if let Type::Options(route) = kind {
            return Ok(read_options(scanner, route, depth)?.map(Argument::Options));
        }
        let mut out = Vec::new();
        Ok(self.value(scanner, kind, depth, &mut out)?.map(|()| Argument::Json(out)))
    }

    /// The value at this place, which lies in `depth` containers.
    fn value(&self, scanner: &mut Scanner<'_>, kind: &Type, depth: usize, out: &mut Vec<u8>) -> Checked<()> {
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
        // The array itself comes before its items.
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
                return Ok(Err(Problem::new(&VOCABULARY.rpc_messages.missing).under(name)));
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

/// Calls `visit` with every member of the object at this place; whether it is one.
fn scan_members<'a>(
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

/// The options of a call, in the order of the route's parameters (rule RPC-05).
fn read_options(scanner: &mut Scanner<'_>, route: &'static RouteSpec, depth: usize) -> Checked<Options> {
    let mut given = Vec::new();
    if !scan_members(scanner, depth, |key, value, _| given.push((key, value)))? {
        return Ok(Err(Problem::of_type(&Type::Options(route))));
    }
    let bytes = scanner.bytes;
    let mut options = Vec::new();
    for spec in route.parameters.iter().filter_map(|key| ROUTES.parameters.get(key)) {
        let last = given.iter().rev().find(|(key, _)| key.key_is(&spec.name, bytes));
        let Some((_, value)) = last.filter(|(_, value)| !value.is_absent()) else { continue };
        let token = &bytes[value.start..value.end];
        let problem = |message: &str| Ok(Err(Problem::new(message).under(&spec.name)));
        let text = match value.kind {
            SpanKind::String | SpanKind::EscapedString => match serde_json::from_slice::<String>(token) {
                Ok(text) => text,
                Err(_) => return problem(&VOCABULARY.rpc_messages.string),
            },
            SpanKind::Number if spec.kind == ParameterKind::Integer => {
                let mut printed = Vec::new();
                print_number(&mut printed, parse_number(std::str::from_utf8(token).unwrap_or_default()));
                String::from_utf8(printed).unwrap_or_default()
            }
            _ => return problem(&VOCABULARY.rpc_messages.option),
        };
        options.push((spec.name.as_str(), text));
    }
    Ok(Ok(options))
}

/// Appends a whole number of 32 bits, however it was spelled; whether it is one.
fn write_long(value: f64, out: &mut Vec<u8>) -> bool {
    let is_long = value.fract() == 0.0 && value >= f64::from(i32::MIN) && value <= f64::from(i32::MAX);
    if is_long {
        // Without the sign of -0.
        print_number(out, value);
    }
    is_long
}

/// Appends a finite number; whether it is one.
fn write_double(value: f64, keeps_minus_zero: bool, out: &mut Vec<u8>) -> bool {
    if keeps_minus_zero && value == 0.0 && value.is_sign_negative() {
        out.extend_from_slice(b"-0");
    } else if value.is_finite() {
        print_number(out, value);
    }
    value.is_finite()
}

/// Appends a text that has escapes as `JSON.stringify` does; whether it is well-formed.
fn write_text(token: &[u8], out: &mut Vec<u8>) -> bool {
    let text = serde_json::from_slice::<String>(token);
    // Writing a string to memory cannot fail.
    text.is_ok_and(|text| serde_json::to_writer(out, &text).is_ok())
}
