//! Checks the arguments of a call against the types of its method (rules RPC-03 and RPC-04).
//!
//! Invariant: the JSON grammar is checked to the last byte, also after a problem.

use crate::contract::{TUNING, VOCABULARY};
use crate::rpc::options::{Options, read_options};
use crate::rpc::problem::Problem;
use crate::rpc::room::room_for;
use crate::rpc::schema::{Method, Type};
use crate::rpc::values::{Checked, Checker};
use crate::scanner::Scanner;

/// One argument, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Argument {
    /// Not given, or null for an optional parameter.
    Absent,
    /// JSON text: members in the order of the schema, numbers as ECMAScript prints them.
    Json(Vec<u8>),
    /// The options of a route.
    Options(Options),
}

/// Checks the value of `params` at this position, at nesting depth `depth`. `keeps_minus_zero` prints -0 unchanged,
/// which MessagePack can express and ECMAScript's JSON cannot.
pub(crate) fn read_arguments(
    scanner: &mut Scanner<'_>,
    method: &Method,
    depth: usize,
    keeps_minus_zero: bool,
) -> Checked<Vec<Argument>> {
    if scanner.peek() != Some(b'[') {
        scanner.skip_value(depth)?;
        return Ok(Err(Problem::new(VOCABULARY.rpc_messages.params)));
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
                let unexpected = || Problem::new(VOCABULARY.rpc_messages.unexpected).under(count);
                problem = problem.take().or_else(|| Some(unexpected()));
            }
            Some(parameter) if parameter.is_optional && scanner.peek() == Some(b'n') => {
                scanner.skip_value(depth + 1)?;
                arguments.push(Argument::Absent);
            }
            Some(parameter) => match read_argument(&checker, scanner, &parameter.kind, depth + 1)? {
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

/// Adds the arguments that were not given.
pub(crate) fn complete(method: &Method, mut arguments: Vec<Argument>) -> Result<Vec<Argument>, Problem> {
    for (index, parameter) in method.parameters.iter().enumerate().skip(arguments.len()) {
        if !parameter.is_optional {
            return Err(Problem::new(VOCABULARY.rpc_messages.missing).under(index));
        }
        arguments.push(Argument::Absent);
    }
    Ok(arguments)
}

fn read_argument(
    checker: &Checker,
    scanner: &mut Scanner<'_>,
    kind: &Type,
    depth: usize,
) -> Checked<Argument> {
    if let Type::Options(route) = kind {
        return Ok(read_options(scanner, route, depth)?.map(Argument::Options));
    }
    // A result is at most slightly longer than the rest of the body.
    let left = scanner.bytes.len() - scanner.at();
    let mut out = Vec::with_capacity(if left > TUNING.large_body_bytes { room_for(left) } else { 0 });
    Ok(checker.value(scanner, kind, depth, &mut out)?.map(|()| Argument::Json(out)))
}
