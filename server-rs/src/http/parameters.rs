//! Parses the query string into the typed parameters of a route (rule GET-07).

use std::collections::BTreeMap;

use http::Method;
use miniserde::json::Value;

use crate::contract::{
    LIMITS, ParameterKind, ParameterSpec, ROUTES, RouteSpec, VOCABULARY, fill, integer_of, text_of,
};
use crate::error::{ErrorCode, Failure};
use crate::text::percent_decode;
use crate::timestamp::parse_timestamp;
use crate::topics::{Topic, parse_topics};

/// A route's parameters: given values, and defaults for the others.
#[derive(Debug, Default)]
pub struct Parameters {
    texts: BTreeMap<&'static str, String>,
    numbers: BTreeMap<&'static str, i64>,
    topics: Vec<Topic>,
    is_export: bool,
}

impl Parameters {
    /// Parses a query string for a method of a route; the failure names the first invalid parameter.
    /// `is_export` means that the answer has several pages, so its `limit` may be larger (rule FMT-09).
    pub fn parse(
        route: &'static RouteSpec,
        method: &Method,
        query: Option<&str>,
        is_export: bool,
    ) -> Result<Self, Failure> {
        let pairs: Vec<(&str, &str)> = query
            .unwrap_or_default()
            .split('&')
            .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
            .collect();
        let own = route.own_parameters.as_ref().and_then(|own| own.get(method.as_str()));
        if let Some(own) = own {
            refuse_unknown(own, &pairs)?;
        }
        Self::collect(own.unwrap_or(&route.parameters), is_export, |spec| {
            let mut given = pairs.iter().filter(|(name, _)| *name == spec.name).map(|(_, value)| *value);
            let messages = &VOCABULARY.parameter_messages;
            match (given.next(), given.next()) {
                (None, _) => Ok(None),
                (Some(_), Some(_)) => Err(invalid(&spec.name, messages.twice)),
                (Some(raw), None) => {
                    let text = percent_decode(raw, true);
                    Ok(Some(text.ok_or_else(|| invalid(&spec.name, messages.encoding))?))
                }
            }
        })
    }

    /// Reads the options of a typed call, which are decoded and unique (rule RPC-05).
    pub fn of_options(route: &'static RouteSpec, options: &[(&str, String)]) -> Result<Self, Failure> {
        Self::collect(&route.parameters, false, |spec| {
            Ok(options.iter().find(|(name, _)| *name == spec.name).map(|(_, text)| text.clone()))
        })
    }

    fn collect(
        keys: &'static [String],
        is_export: bool,
        given: impl Fn(&'static ParameterSpec) -> Result<Option<String>, Failure>,
    ) -> Result<Self, Failure> {
        let mut parameters = Self { is_export, ..Self::default() };
        for spec in keys.iter().filter_map(|key| ROUTES.parameters.get(key)) {
            match (given(spec)?, &spec.default) {
                (Some(text), _) if text.is_empty() => {
                    return Err(invalid(&spec.name, VOCABULARY.parameter_messages.empty));
                }
                (Some(text), _) => parameters.set(spec, text)?,
                (None, Some(Value::String(text))) => parameters.set(spec, text.clone())?,
                (None, Some(default)) => {
                    let number = integer_of(default).ok_or(Failure::new(ErrorCode::Internal))?;
                    parameters.numbers.insert(&spec.name, i64::try_from(number).unwrap_or(i64::MAX));
                }
                (None, None) if spec.required == Some(true) => {
                    return Err(invalid(&spec.name, VOCABULARY.parameter_messages.missing));
                }
                (None, None) => {}
            }
        }
        parameters.relations(keys)?;
        Ok(parameters)
    }

    /// Sets a value that is decoded and not empty.
    fn set(&mut self, spec: &'static ParameterSpec, text: String) -> Result<(), Failure> {
        let messages = &VOCABULARY.parameter_messages;
        match spec.kind {
            ParameterKind::Text if text.contains('\0') => Err(invalid(&spec.name, messages.well_formed)),
            ParameterKind::Text if spec.bytes.is_some_and(|limit| text.len() > limit) => {
                let limit = spec.bytes.unwrap_or_default().to_string();
                Err(invalid(&spec.name, &fill(messages.bytes, &[("limit", &*limit)])))
            }
            ParameterKind::Text => {
                self.texts.insert(&spec.name, text);
                Ok(())
            }
            ParameterKind::Choice => {
                let values = choices(spec);
                if !values.contains(&text.as_str()) {
                    let message = fill(messages.one_of, &[("values", &values.join(", "))]);
                    return Err(invalid(&spec.name, &message));
                }
                self.texts.insert(&spec.name, text);
                Ok(())
            }
            ParameterKind::Timestamp => {
                let ms = parse_timestamp(&text).ok_or_else(|| invalid(&spec.name, messages.timestamp))?;
                self.numbers.insert(&spec.name, ms);
                Ok(())
            }
            ParameterKind::Integer => {
                let most = maximum_of(spec, self.is_export);
                let value = read_integer(spec, most, &text).ok_or_else(|| invalid_integer(spec, most))?;
                self.numbers.insert(&spec.name, value);
                Ok(())
            }
            ParameterKind::Topics => {
                self.topics = parse_topics(&text).ok_or_else(|| invalid_topics(spec))?;
                Ok(())
            }
        }
    }

    /// Checks `before` with `after`, then `order` with the cursor, then required parameters.
    fn relations(&self, keys: &'static [String]) -> Result<(), Failure> {
        let messages = &VOCABULARY.parameter_messages;
        let (after, before) = (self.numbers.contains_key("after"), self.numbers.contains_key("before"));
        if after && before {
            return Err(invalid("before", &fill(messages.exclusive, &[("other", "after")])));
        }
        match self.texts.get("order").map(String::as_str) {
            Some("asc") if before => return Err(invalid("order", messages.order)),
            Some("desc") if after => return Err(invalid("order", messages.order)),
            _ => {}
        }
        let given = |name: &str| self.texts.contains_key(name) || self.numbers.contains_key(name);
        let specs = keys.iter().filter_map(|key| ROUTES.parameters.get(key));
        for spec in specs.filter(|spec| given(&spec.name)) {
            if let Some(other) = spec.needs.as_deref().filter(|other| !given(other)) {
                return Err(invalid(&spec.name, &fill(messages.needs, &[("other", other)])));
            }
        }
        Ok(())
    }

    /// Returns a given text.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.texts.get(name).map(String::as_str)
    }

    /// Returns a given number or time (Unix milliseconds), or its default.
    pub fn number(&self, name: &str) -> Option<i64> {
        self.numbers.get(name).copied()
    }

    /// Returns the given topics, or the default topics.
    pub fn topics(&self) -> &[Topic] {
        &self.topics
    }

    /// Returns the page size.
    pub fn limit(&self) -> u64 {
        self.number("limit").and_then(|limit| u64::try_from(limit).ok()).unwrap_or_default()
    }
}

/// Refuses parameters that are not in the method's own list. Such a method deletes or changes something, so
/// the server must not ignore a misspelt name.
fn refuse_unknown(own: &'static [String], pairs: &[(&str, &str)]) -> Result<(), Failure> {
    let names: Vec<&str> =
        own.iter().filter_map(|key| ROUTES.parameters.get(key)).map(|spec| &*spec.name).collect();
    let unknown = pairs.iter().find(|(name, _)| !name.is_empty() && !names.contains(name));
    unknown.map_or(Ok(()), |(name, _)| Err(invalid(name, VOCABULARY.parameter_messages.unknown)))
}

/// Parses a cursor, also for the header that may hold one (rule STR-03).
pub(crate) fn parse_cursor(name: &str, text: &str) -> Result<i64, Failure> {
    let spec = ROUTES.parameters.get("after").ok_or(Failure::new(ErrorCode::Internal))?;
    read_integer(spec, spec.maximum, text).ok_or_else(|| {
        let mut failure = invalid_integer(spec, spec.maximum);
        failure.members.insert("parameter".to_owned(), name.into());
        failure
    })
}

fn maximum_of(spec: &ParameterSpec, is_export: bool) -> Option<u64> {
    spec.export_maximum.filter(|_| is_export).or(spec.maximum)
}

fn read_integer(spec: &ParameterSpec, maximum: Option<u64>, text: &str) -> Option<i64> {
    // One spelling per number: no sign, no leading zero.
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    let value: u64 = if plain { text.parse().ok()? } else { return None };
    let in_bounds =
        spec.minimum.is_none_or(|least| value >= least) && maximum.is_none_or(|most| value <= most);
    i64::try_from(value).ok().filter(|_| in_bounds)
}

fn invalid_integer(spec: &ParameterSpec, maximum: Option<u64>) -> Failure {
    let bound = |value: Option<u64>| value.unwrap_or_default().to_string();
    let values = [("minimum", &*bound(spec.minimum)), ("maximum", &*bound(maximum))];
    invalid(&spec.name, &fill(VOCABULARY.parameter_messages.integer, &values))
}

fn invalid_topics(spec: &ParameterSpec) -> Failure {
    let (limit, topics) = (LIMITS.stream_topics.to_string(), VOCABULARY.topics.join(", "));
    let values = [("limit", &*limit), ("values", &*topics), ("prefix", VOCABULARY.session_topic_prefix)];
    invalid(&spec.name, &fill(VOCABULARY.parameter_messages.topics, &values))
}

fn choices(spec: &ParameterSpec) -> Vec<&str> {
    let of_vocabulary = |list: &str| match list {
        "event_types" => VOCABULARY.event_types,
        "statuses" => VOCABULARY.statuses,
        "sources" => VOCABULARY.sources,
        "session_statuses" => VOCABULARY.session_statuses,
        _ => &[],
    };
    match &spec.values {
        Some(Value::Array(values)) => values.iter().filter_map(text_of).collect(),
        Some(Value::String(list)) => of_vocabulary(list).to_vec(),
        _ => Vec::new(),
    }
}

/// Returns the failure of an invalid parameter, or of a header with the same meaning.
pub(crate) fn invalid(parameter: &str, message: &str) -> Failure {
    Failure::new(ErrorCode::InvalidParameter).with("parameter", parameter).with("message", message)
}
