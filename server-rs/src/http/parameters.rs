//! Parses the query string into the typed parameters of a route (rule GET-07).

use std::collections::BTreeMap;

use http::Method;

use crate::contract::routes::{Parameter, ParameterDefault, ParameterKind, ParameterSpec};
use crate::contract::{LIMITS, RouteSpec, VOCABULARY, fill};
use crate::error::{ErrorCode, Failure};
use crate::render::Place;
use crate::store::time_search::TimeCursor;
use crate::text::percent_decode;
use crate::timestamp::parse_timestamp;
use crate::topics::{Topic, parse_topics};
use crate::zones::find_zone;

/// A route's parameters: given values, and defaults for the others.
#[derive(Debug, Default)]
pub struct Parameters {
    texts: BTreeMap<Parameter, String>,
    numbers: BTreeMap<Parameter, i64>,
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
        let own = route.own_parameters.iter().find(|(one, _)| method == one).map(|(_, own)| *own);
        if let Some(own) = own {
            refuse_unknown(own, &pairs)?;
        }
        Self::collect(own.unwrap_or(route.parameters), is_export, |spec| {
            let mut given = pairs.iter().filter(|(name, _)| *name == spec.name).map(|(_, value)| *value);
            let messages = &VOCABULARY.parameter_messages;
            match (given.next(), given.next()) {
                (None, _) => Ok(None),
                (Some(_), Some(_)) => Err(invalid(spec.name, messages.twice)),
                (Some(raw), None) => {
                    let text = percent_decode(raw, true);
                    Ok(Some(text.ok_or_else(|| invalid(spec.name, messages.encoding))?))
                }
            }
        })
    }

    /// Reads the options of a typed call, which are decoded and unique (rule RPC-05).
    pub fn of_options(route: &'static RouteSpec, options: &[(&str, String)]) -> Result<Self, Failure> {
        Self::collect(route.parameters, false, |spec| {
            Ok(options.iter().find(|(name, _)| *name == spec.name).map(|(_, text)| text.clone()))
        })
    }

    fn collect(
        parameters: &'static [Parameter],
        is_export: bool,
        given: impl Fn(&'static ParameterSpec) -> Result<Option<String>, Failure>,
    ) -> Result<Self, Failure> {
        let mut found = Self { is_export, ..Self::default() };
        for spec in parameters.iter().copied().map(Parameter::spec) {
            match (given(spec)?, spec.default) {
                (Some(text), _) if text.is_empty() => {
                    return Err(invalid(spec.name, VOCABULARY.parameter_messages.empty));
                }
                (Some(text), _) => found.set(spec, text)?,
                (None, Some(ParameterDefault::Text(text))) => found.set(spec, text.to_owned())?,
                (None, Some(ParameterDefault::Number(number))) => {
                    found.numbers.insert(spec.parameter, number);
                }
                (None, None) if spec.required => {
                    return Err(invalid(spec.name, VOCABULARY.parameter_messages.missing));
                }
                (None, None) => {}
            }
        }
        found.relations(parameters)?;
        Ok(found)
    }

    /// Sets a value that is decoded and not empty.
    fn set(&mut self, spec: &'static ParameterSpec, text: String) -> Result<(), Failure> {
        let messages = &VOCABULARY.parameter_messages;
        match spec.kind {
            ParameterKind::Text if text.contains('\0') => Err(invalid(spec.name, messages.well_formed)),
            ParameterKind::Text if spec.bytes.is_some_and(|limit| text.len() > limit) => {
                let limit = spec.bytes.unwrap_or_default().to_string();
                Err(invalid(spec.name, &fill(messages.bytes, &[("limit", &*limit)])))
            }
            ParameterKind::Text => {
                self.texts.insert(spec.parameter, text);
                Ok(())
            }
            ParameterKind::Cursor | ParameterKind::TimeCursor => {
                let is_cursor = match spec.kind {
                    ParameterKind::Cursor => Place::parse(&text).is_some(),
                    _ => TimeCursor::parse(&text).is_some(),
                };
                if !is_cursor {
                    return Err(invalid(spec.name, messages.cursor));
                }
                self.texts.insert(spec.parameter, text);
                Ok(())
            }
            ParameterKind::Zone => {
                find_zone(&text).ok_or_else(|| invalid(spec.name, messages.zone))?;
                self.texts.insert(spec.parameter, text);
                Ok(())
            }
            ParameterKind::Choice => {
                if !spec.values.contains(&text.as_str()) {
                    let message = fill(messages.one_of, &[("values", &spec.values.join(", "))]);
                    return Err(invalid(spec.name, &message));
                }
                self.texts.insert(spec.parameter, text);
                Ok(())
            }
            ParameterKind::Timestamp => {
                let ms = parse_timestamp(&text).ok_or_else(|| invalid(spec.name, messages.timestamp))?;
                self.numbers.insert(spec.parameter, ms);
                Ok(())
            }
            ParameterKind::Integer => {
                // A page by time is no export, whatever the format is (rule GET-15).
                let most = maximum_of(spec, self.is_export && !self.given(Parameter::OrderBy));
                let value = read_integer(spec, most, &text).ok_or_else(|| invalid_integer(spec, most))?;
                self.numbers.insert(spec.parameter, value);
                Ok(())
            }
            ParameterKind::Topics => {
                self.topics = parse_topics(&text).ok_or_else(|| invalid_topics(spec))?;
                Ok(())
            }
        }
    }

    /// Checks excluded parameters, then `order` with the cursor, then required parameters.
    fn relations(&self, parameters: &'static [Parameter]) -> Result<(), Failure> {
        let messages = &VOCABULARY.parameter_messages;
        let (after, before) = (self.given(Parameter::After), self.given(Parameter::Before));
        let given = || parameters.iter().filter(|one| self.given(**one)).copied().map(Parameter::spec);
        for spec in given() {
            if let Some(other) = spec.excludes.iter().find(|other| self.given(**other)) {
                let message = fill(messages.exclusive, &[("other", other.spec().name)]);
                return Err(invalid(spec.name, &message));
            }
        }
        match self.text(Parameter::Order) {
            Some("asc") if before => return Err(invalid("order", messages.order)),
            Some("desc") if after => return Err(invalid("order", messages.order)),
            _ => {}
        }
        for spec in given() {
            if let Some(other) = spec.needs.filter(|other| !self.given(*other)) {
                let message = fill(messages.needs, &[("other", other.spec().name)]);
                return Err(invalid(spec.name, &message));
            }
        }
        Ok(())
    }

    fn given(&self, parameter: Parameter) -> bool {
        self.texts.contains_key(&parameter) || self.numbers.contains_key(&parameter)
    }

    /// Returns a given text.
    pub fn text(&self, parameter: Parameter) -> Option<&str> {
        self.texts.get(&parameter).map(String::as_str)
    }

    /// Returns a given number or time (Unix milliseconds), or its default.
    pub fn number(&self, parameter: Parameter) -> Option<i64> {
        self.numbers.get(&parameter).copied()
    }

    /// Returns the given topics, or the default topics.
    pub fn topics(&self) -> &[Topic] {
        &self.topics
    }

    /// Returns the page size, which has a default.
    pub fn limit(&self, parameter: Parameter) -> u64 {
        self.number(parameter).and_then(|limit| u64::try_from(limit).ok()).unwrap_or_default()
    }
}

/// Refuses parameters that are not in the method's own list. Such a method deletes or changes something, so
/// the server must not ignore a misspelt name.
fn refuse_unknown(own: &'static [Parameter], pairs: &[(&str, &str)]) -> Result<(), Failure> {
    let is_known = |name: &str| own.iter().any(|one| one.spec().name == name);
    let unknown = pairs.iter().find(|(name, _)| !name.is_empty() && !is_known(name));
    unknown.map_or(Ok(()), |(name, _)| Err(invalid(name, VOCABULARY.parameter_messages.unknown)))
}

/// Parses a cursor, also for the header that may hold one (rule STR-03).
pub(crate) fn parse_cursor(name: &str, text: &str) -> Result<i64, Failure> {
    let spec = Parameter::After.spec();
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
    invalid(spec.name, &fill(VOCABULARY.parameter_messages.integer, &values))
}

fn invalid_topics(spec: &ParameterSpec) -> Failure {
    let (limit, topics) = (LIMITS.stream_topics.to_string(), VOCABULARY.topics.join(", "));
    let values = [("limit", &*limit), ("values", &*topics), ("prefix", VOCABULARY.session_topic_prefix)];
    invalid(spec.name, &fill(VOCABULARY.parameter_messages.topics, &values))
}

/// Returns the failure of an invalid parameter, or of a header with the same meaning.
pub(crate) fn invalid(parameter: &str, message: &str) -> Failure {
    Failure::new(ErrorCode::InvalidParameter).with("parameter", parameter).with("message", message)
}
