//! Checks the types of options, which are the query parameters of a route (rule RPC-05).

use crate::contract::routes::{Parameter, ParameterKind};
use crate::contract::{RouteSpec, VOCABULARY};
use crate::event::SpanKind;
use crate::number::{parse_number, print_number};
use crate::rpc::problem::Problem;
use crate::rpc::schema::Type;
use crate::rpc::values::{Checked, scan_members};
use crate::scanner::Scanner;

/// The query parameters of a call by name, before validation.
pub type Options = Vec<(&'static str, String)>;

/// Returns the options of a call, in the order of the route's parameters.
pub(crate) fn read_options(
    scanner: &mut Scanner<'_>,
    route: &'static RouteSpec,
    depth: usize,
) -> Checked<Options> {
    let mut given = Vec::new();
    if !scan_members(scanner, depth, |key, value, _| given.push((key, value)))? {
        return Ok(Err(Problem::of_type(&Type::Options(route))));
    }
    let bytes = scanner.bytes;
    let mut options = Vec::new();
    for spec in route.parameters.iter().copied().map(Parameter::spec) {
        let last = given.iter().rev().find(|(key, _)| key.key_is(spec.name, bytes));
        let Some((_, value)) = last.filter(|(_, value)| !value.is_absent()) else { continue };
        let token = &bytes[value.start..value.end];
        let problem = |message: &str| Ok(Err(Problem::new(message).under(spec.name)));
        let text = match value.kind {
            SpanKind::String | SpanKind::EscapedString => match serde_json::from_slice::<String>(token) {
                Ok(text) => text,
                Err(_) => return problem(VOCABULARY.rpc_messages.string),
            },
            SpanKind::Number if spec.kind == ParameterKind::Integer => {
                let mut printed = Vec::new();
                print_number(&mut printed, parse_number(std::str::from_utf8(token).unwrap_or_default()));
                String::from_utf8(printed).unwrap_or_default()
            }
            _ => return problem(VOCABULARY.rpc_messages.option),
        };
        options.push((spec.name, text));
    }
    Ok(Ok(options))
}
