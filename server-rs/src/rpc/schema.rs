//! Reads the methods and types of typed calls from `rpc.json` (rules RPC-03 to RPC-06).

use std::sync::LazyLock;

use serde_json::{Map, Value};

use crate::contract::{ROUTES, RPC, RouteSpec, parse};

/// The type of a value.
#[derive(Debug)]
pub enum Type {
    /// A whole number of 32 bits.
    Long,
    /// A finite number.
    Double,
    /// `true` or `false`.
    Boolean,
    /// Well-formed text.
    Text,
    /// Any value.
    Any,
    /// An array.
    Sequence(Box<Type>),
    /// An object with these members, in this order.
    Dictionary(Vec<(String, Type)>),
    /// The query parameters of a route.
    Options(&'static RouteSpec),
}

/// One parameter of a method.
#[derive(Debug)]
#[expect(missing_docs, reason = "said above")]
pub struct Parameter {
    pub kind: Type,
    pub is_optional: bool,
}

/// The service that runs a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Service {
    /// `events.ingest`
    Ingest,
    /// `events.query`
    Events,
    /// `stats.get`
    Stats,
    /// `sessions.list`
    Sessions,
    /// `snapshot.get`
    Snapshot,
    /// Every method of the group `echo`.
    Echo,
}

/// One method.
#[derive(Debug)]
pub struct Method {
    /// Its name in calls.
    pub name: String,
    /// The service that runs it.
    pub service: Service,
    /// Its parameters, in the order of the arguments.
    pub parameters: Vec<Parameter>,
    /// Whether it exists with `--bench` alone (rule RPC-06).
    pub is_bench: bool,
}

/// Every method.
pub static METHODS: LazyLock<Vec<Method>> = LazyLock::new(|| {
    let file: Value = parse("rpc.json", RPC);
    let dictionaries = &file["dictionaries"];
    let methods = file["methods"].as_object().into_iter().flatten();
    methods.map(|(name, spec)| method_of(name, spec, dictionaries)).collect()
});

/// Returns the method of this name, if any.
pub fn method_named(name: &str, has_bench: bool) -> Option<&'static Method> {
    METHODS.iter().find(|method| method.name == name).filter(|method| has_bench || !method.is_bench)
}

fn method_of(name: &str, spec: &Value, dictionaries: &Value) -> Method {
    let parameters = spec["params"].as_array().into_iter().flatten().map(|parameter| Parameter {
        kind: match parameter["parameters_of"].as_str() {
            Some(path) => Type::Options(route_of(path)),
            None => type_of(parameter["type"].as_str().unwrap_or_default(), dictionaries),
        },
        is_optional: parameter["optional"] == true,
    });
    Method {
        name: name.to_owned(),
        service: service_of(name),
        parameters: parameters.collect(),
        is_bench: spec["bench"] == true,
    }
}

fn service_of(name: &str) -> Service {
    match name {
        "events.ingest" => Service::Ingest,
        "events.query" => Service::Events,
        "stats.get" => Service::Stats,
        "sessions.list" => Service::Sessions,
        "snapshot.get" => Service::Snapshot,
        _ => Service::Echo,
    }
}

fn type_of(name: &str, dictionaries: &Value) -> Type {
    if let Some(item) = name.strip_prefix("sequence<").and_then(|rest| rest.strip_suffix('>')) {
        return Type::Sequence(Box::new(type_of(item, dictionaries)));
    }
    match name {
        "long" => Type::Long,
        "double" => Type::Double,
        "boolean" => Type::Boolean,
        "DOMString" => Type::Text,
        "any" => Type::Any,
        _ => {
            let members = dictionaries[name].as_object().expect("a test of this module reads every type");
            Type::Dictionary(members_of(members, dictionaries))
        }
    }
}

fn members_of(members: &Map<String, Value>, dictionaries: &Value) -> Vec<(String, Type)> {
    let member = |(name, kind): (&String, &Value)| {
        (name.clone(), type_of(kind.as_str().unwrap_or_default(), dictionaries))
    };
    members.iter().map(member).collect()
}

fn route_of(path: &str) -> &'static RouteSpec {
    ROUTES.iter().find(|route| route.path == path).expect("a test of this module reads every route")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_of_rpc_json_has_a_service() {
        let names: Vec<&str> = METHODS.iter().map(|method| method.name.as_str()).collect();
        assert_eq!(
            names[..5],
            ["events.ingest", "events.query", "stats.get", "sessions.list", "snapshot.get"]
        );
        for method in METHODS.iter() {
            let is_echo = method.name.starts_with("echo.");
            assert_eq!(
                (method.service == Service::Echo, method.is_bench),
                (is_echo, is_echo),
                "{}",
                method.name
            );
            assert_eq!(method_named(&method.name, false).is_none(), is_echo, "{}", method.name);
        }
    }

    #[test]
    fn members_keep_the_order_of_the_file() {
        let nested = method_named("echo.nestedDict", true).expect("a method");
        let Type::Dictionary(members) = &nested.parameters[0].kind else { panic!("a dictionary") };
        let names: Vec<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["topStr", "topD", "topB", "nested"]);
    }
}
