//! Reads a file of prices, and computes the cost of events that report tokens but no cost (rules PRI-01 to PRI-04).
//!
//! Pure. A cost is whole nano-dollars, like a reported cost.

use hashbrown::{HashMap, HashSet};

use crate::contract::LIMITS;
use crate::contract::flags::MESSAGES;
use crate::event::{Span, SpanKind};
use crate::field::Field;
use crate::json::scan_object;
use crate::number::{nanos_from_usd, parse_number};
use crate::text::{decode_token, trim_text};
use crate::timestamp::parse_timestamp;

/// The members of a price, in the order in which their products are added.
const KINDS: [&str; 4] = ["input", "output", "cache_read", "cache_write"];
/// Number of tokens that a price applies to.
const TOKENS: f64 = 1e6;

/// US dollars per million tokens, in the order of `KINDS`.
type Price = [Option<f64>; KINDS.len()];

/// A file of prices.
#[derive(Debug, Default)]
pub struct Prices {
    /// The day when the server read them, `YYYY-MM-DD`.
    pub date: String,
    /// Number of names in the file.
    pub models: usize,
    by_name: HashMap<String, Price>,
    /// Prefixes, the longest first.
    by_beginning: Vec<(String, Price)>,
}

/// Problems of a file of prices (rule PRI-03).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "config.json has the message of each")]
pub enum PriceFault {
    Json,
    Object,
    Unknown,
    Twice,
    Date,
    Name,
    Text,
    Number,
    Absent,
}

impl PriceFault {
    /// Returns its message.
    pub fn message(self) -> &'static str {
        match self {
            PriceFault::Json => MESSAGES.prices_json,
            PriceFault::Object => MESSAGES.prices_object,
            PriceFault::Unknown => MESSAGES.prices_unknown,
            PriceFault::Twice => MESSAGES.prices_twice,
            PriceFault::Date => MESSAGES.prices_date,
            PriceFault::Name => MESSAGES.prices_name,
            PriceFault::Text => MESSAGES.prices_text,
            PriceFault::Number => MESSAGES.prices_number,
            PriceFault::Absent => MESSAGES.prices_absent,
        }
    }
}

/// The first problem of a file of prices.
#[derive(Debug, PartialEq, Eq)]
pub struct PriceProblem {
    /// The kind of the problem.
    pub fault: PriceFault,
    /// Its place: a JSON Pointer (RFC 6901).
    pub path: String,
}

/// Parses the text of a file of prices; returns its first problem otherwise (rules PRI-01 to PRI-03).
pub fn parse_prices(text: &str) -> Result<Prices, PriceProblem> {
    let (mut date, mut models) = (None, None);
    each_member(text, "", |name, value, path| {
        match name {
            "date" => date = Some(date_of(value, path)?),
            "models" => models = Some(models_of(value, path)?),
            _ => return problem(PriceFault::Unknown, path),
        }
        Ok(())
    })?;
    let Some(date) = date else { return problem(PriceFault::Absent, "/date") };
    let Some(models) = models else { return problem(PriceFault::Absent, "/models") };
    let mut prices = Prices { date, models: models.len(), ..Prices::default() };
    for (name, price) in models {
        match name.strip_suffix('*') {
            Some(beginning) => prices.by_beginning.push((beginning.to_owned(), price)),
            None => drop(prices.by_name.insert(name, price)),
        }
    }
    prices.by_beginning.sort_by_key(|(beginning, _)| std::cmp::Reverse(beginning.len()));
    Ok(prices)
}

/// Returns the cost of tokens in nano-dollars, given their counts in the order of `KINDS`; `None` when the prices do
/// not cover them (rule PRI-04).
pub fn computed_nanos(prices: &Prices, model: &str, counts: [i64; KINDS.len()]) -> Option<i64> {
    let price = price_of(prices, model)?;
    let (mut has_tokens, mut sum) = (false, 0.0);
    for (count, price) in counts.into_iter().zip(price) {
        if count > 0 {
            has_tokens = true;
            #[expect(clippy::cast_precision_loss, reason = "counts are at most 2^53-1")]
            let cost = count as f64 * (*price)?;
            sum += cost;
        }
    }
    let usd = sum / TOKENS;
    (has_tokens && usd <= LIMITS.max_cost_usd).then(|| nanos_from_usd(usd))
}

/// Returns the price of a model: by its name, else by its longest prefix (rule PRI-02).
fn price_of<'a>(prices: &'a Prices, model: &str) -> Option<&'a Price> {
    prices.by_name.get(model).or_else(|| {
        prices.by_beginning.iter().find(|(beginning, _)| model.starts_with(beginning)).map(|(_, price)| price)
    })
}

fn date_of(value: &str, path: &str) -> Result<String, PriceProblem> {
    // A value without quotes is not a date.
    let text = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or_default();
    let is_date = text.len() == "YYYY-MM-DD".len() && parse_timestamp(&format!("{text}T00:00:00Z")).is_some();
    if is_date { Ok(text.to_owned()) } else { problem(PriceFault::Date, path) }
}

fn models_of(value: &str, path: &str) -> Result<Vec<(String, Price)>, PriceProblem> {
    let mut models = Vec::new();
    each_member(value, path, |name, value, path| {
        if !is_name(name) {
            return problem(PriceFault::Name, path);
        }
        models.push((name.to_owned(), price_in(value, path)?));
        Ok(())
    })?;
    Ok(models)
}

fn price_in(value: &str, path: &str) -> Result<Price, PriceProblem> {
    let mut price = Price::default();
    each_member(value, path, |name, value, path| {
        let Some(kind) = KINDS.iter().position(|kind| *kind == name) else {
            return problem(PriceFault::Unknown, path);
        };
        // The text of a value that is not a number does not parse.
        let number = parse_number(value);
        if !(0.0..=LIMITS.max_cost_usd).contains(&number) {
            return problem(PriceFault::Number, path);
        }
        price[kind] = Some(number);
        Ok(())
    })?;
    Ok(price)
}

/// Returns whether a name is a model's name, or a prefix followed by `*`.
fn is_name(name: &str) -> bool {
    let stem = name.strip_suffix('*').unwrap_or(name);
    let model = if stem.len() < name.len() { &format!("{stem}x") } else { stem };
    let is_model = !model.is_empty() && trim_text(model) == model;
    is_model && stem.len() <= Field::Model.spec().max_bytes && !stem.contains('*')
}

/// Visits the members of an object with their names, values and places, until one has a problem.
fn each_member(
    object: &str,
    path: &str,
    mut visit: impl FnMut(&str, &str, &str) -> Result<(), PriceProblem>,
) -> Result<(), PriceProblem> {
    let mut members: Vec<(Span, Span)> = Vec::new();
    match scan_object(object, |key, value| members.push((key, value))) {
        Ok(Some(_)) => {}
        Ok(None) => return problem(PriceFault::Object, path),
        Err(_) => return problem(PriceFault::Json, path),
    }
    let mut known = HashSet::new();
    for (key, value) in members {
        let token = &object[key.start..key.end];
        let Ok(name) = decode_token(token, key.kind == SpanKind::EscapedString) else {
            return problem(PriceFault::Text, path);
        };
        let place = format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"));
        if known.contains(&name) {
            return problem(PriceFault::Twice, &place);
        }
        visit(&name, &object[value.start..value.end], &place)?;
        known.insert(name);
    }
    Ok(())
}

fn problem<T>(fault: PriceFault, path: &str) -> Result<T, PriceProblem> {
    Err(PriceProblem { fault, path: path.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MADE_UP: &str = r#"{"date":"2026-02-28","models":{
        "made-up-2*": {"input": 1.25, "output": 10, "cache_read": 0.125},
        "made-up-2-mini*": {"input": 0.3},
        "made-up-2-mini": {"input": 0.1},
        "free": {"input": 0}
    }}"#;

    #[test]
    fn the_price_of_a_model_is_that_of_its_name_or_longest_prefix() {
        let prices = parse_prices(MADE_UP).expect("valid");
        assert_eq!((prices.date.as_str(), prices.models), ("2026-02-28", 4));
        for (model, counts, nanos) in [
            ("made-up-2", [1000, 10, 8, 0], Some(1_351_000)),
            ("made-up-2-mini", [1000, 0, 0, 0], Some(100_000)),
            ("made-up-2-mini-1", [1000, 0, 0, 0], Some(300_000)),
            ("made-up-2-mini", [1000, 1, 0, 0], None),
            ("made-up-2", [1000, 10, 8, 1], None),
            ("made-up-2", [0, 0, 0, 0], None),
            ("made-up", [1000, 0, 0, 0], None),
            ("free", [1, 0, 0, 0], Some(0)),
            // The largest count below a million dollars, then one token more.
            ("made-up-2-mini-1", [3_333_333_333_333, 0, 0, 0], Some(999_999_999_999_900)),
            ("made-up-2-mini-1", [3_333_333_333_334, 0, 0, 0], None),
        ] {
            assert_eq!(computed_nanos(&prices, model, counts), nanos, "{model} {counts:?}");
        }
    }

    #[test]
    fn the_first_problem_of_a_file_is_reported_with_its_place() {
        let of = |models: &str| format!(r#"{{"date":"2026-02-28","models":{models}}}"#);
        for (text, fault, path) in [
            (String::from("{"), PriceFault::Json, ""),
            (String::from("[]"), PriceFault::Object, ""),
            (String::from("{}"), PriceFault::Absent, "/date"),
            (String::from(r#"{"date":"2026-02-29"}"#), PriceFault::Date, "/date"),
            (String::from(r#"{"date":20260228}"#), PriceFault::Date, "/date"),
            (String::from(r#"{"date":"2026-02-28"}"#), PriceFault::Absent, "/models"),
            (String::from(r#"{"currency":"USD"}"#), PriceFault::Unknown, "/currency"),
            (of("[]"), PriceFault::Object, "/models"),
            (of(r#"{"a/b~":1}"#), PriceFault::Object, "/models/a~1b~0"),
            (of(r#"{"a":{},"\u0061":{}}"#), PriceFault::Twice, "/models/a"),
            (of(r#"{"a":{"input":1,"input":1}}"#), PriceFault::Twice, "/models/a/input"),
            (of(r#"{"a":{"inputs":1}}"#), PriceFault::Unknown, "/models/a/inputs"),
            (of(r#"{"\ud800":{}}"#), PriceFault::Text, "/models"),
            (of(r#"{"a*b":{}}"#), PriceFault::Name, "/models/a*b"),
            (of(r#"{"a**":{}}"#), PriceFault::Name, "/models/a**"),
            (of(r#"{"a ":{}}"#), PriceFault::Name, "/models/a "),
            (of(r#"{" *":{}}"#), PriceFault::Name, "/models/ *"),
            (of(r#"{"":{}}"#), PriceFault::Name, "/models/"),
            (of(r#"{"a":{"input":-1}}"#), PriceFault::Number, "/models/a/input"),
            (of(r#"{"a":{"input":1e400}}"#), PriceFault::Number, "/models/a/input"),
            (of(r#"{"a":{"input":"1"}}"#), PriceFault::Number, "/models/a/input"),
            (of(r#"{"a":{"input":null}}"#), PriceFault::Number, "/models/a/input"),
        ] {
            let expected = PriceProblem { fault, path: path.to_owned() };
            assert_eq!(parse_prices(&text).expect_err(&text), expected, "{text}");
        }
    }

    #[test]
    fn a_prefix_may_end_in_white_space_and_may_be_empty() {
        let text = r#"{"date":"2026-02-28","models":{"a *":{"input":1},"*":{"input":2}}}"#;
        let prices = parse_prices(text).expect("valid");
        assert_eq!(computed_nanos(&prices, "a b", [1, 0, 0, 0]), Some(1000));
        assert_eq!(computed_nanos(&prices, "b", [1, 0, 0, 0]), Some(2000));
    }
}
