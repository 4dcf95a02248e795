//! Reads lists of prices, and computes the cost of events that report tokens but no cost (rules PRI-01 to PRI-04).
//!
//! Pure. A cost is whole nano-dollars, like a reported cost. Over 250 lines because one file has the grammar of a list
//! and its problems.

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use crate::contract::flags::MESSAGES;
use crate::contract::{LIMITS, PRICES};
use crate::event::{Span, SpanKind};
use crate::field::Field;
use crate::json::scan_object;
use crate::number::{nanos_from_usd, parse_integer, parse_number};
use crate::price_names::{is_mode, modes_of, spellings_of};
use crate::text::{decode_token, trim_text};
use crate::timestamp::parse_timestamp;

/// The prices of a mode, in the order in which their products are added.
const KINDS: [&str; 5] = ["input", "output", "cache_read", "cache_write", "cache_write_1h"];
/// Members that say where a list comes from, and have no effect.
const NOTES: [&str; 3] = ["about", "source", "licence"];
/// Number of tokens that a price applies to.
const TOKENS: f64 = 1e6;

/// US dollars per million tokens, in the order of `KINDS`.
type Rates = [Option<f64>; KINDS.len()];
/// Counts of tokens, in the order of `KINDS`. Those of `cache_write` are the writes that last five minutes.
pub type Counts = [i64; KINDS.len()];

/// The prices of one mode of a model.
#[derive(Debug, Clone, Default)]
pub struct Tariff {
    rates: Rates,
    /// Those of prompts above a number of tokens; the largest number first.
    above: Vec<(i64, Rates)>,
}

/// The prices of a model.
#[derive(Debug, Default)]
struct Price {
    usual: Arc<Tariff>,
    modes: Vec<(String, Arc<Tariff>)>,
}

/// A list of prices.
#[derive(Debug, Default)]
pub struct PriceList {
    /// The day when its prices were read, `YYYY-MM-DD`.
    pub date: String,
    /// Number of its names.
    pub models: usize,
    by_name: HashMap<String, Price>,
    /// Prefixes, the longest first.
    by_beginning: Vec<(String, Price)>,
}

/// The prices of a server.
#[derive(Debug)]
pub struct Prices {
    /// The list of `--prices`.
    pub file: Option<PriceList>,
    /// The list inside of the program.
    pub built_in: PriceList,
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
    Note,
    Name,
    Size,
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
            PriceFault::Note => MESSAGES.prices_note,
            PriceFault::Name => MESSAGES.prices_name,
            PriceFault::Size => MESSAGES.prices_size,
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

/// Returns the list inside of the program.
pub fn built_in_prices() -> PriceList {
    parse_prices(PRICES).unwrap_or_else(|problem| panic!("contract/prices/models.json: {problem:?}"))
}

/// Parses the text of a file of prices; returns its first problem otherwise (rules PRI-01 to PRI-03).
pub fn parse_prices(text: &str) -> Result<PriceList, PriceProblem> {
    let (mut date, mut models) = (None, None);
    each_member(text, "", |name, value, path| {
        match name {
            "date" => date = Some(date_of(value, path)?),
            "models" => models = Some(models_of(value, path)?),
            _ if !NOTES.contains(&name) => return problem(PriceFault::Unknown, path),
            _ if !value.starts_with('"') => return problem(PriceFault::Note, path),
            _ => {}
        }
        Ok(())
    })?;
    let Some(date) = date else { return problem(PriceFault::Absent, "/date") };
    let Some(models) = models else { return problem(PriceFault::Absent, "/models") };
    let mut list = PriceList { date, models: models.len(), ..PriceList::default() };
    for (name, price) in models {
        match name.strip_suffix('*') {
            Some(beginning) => list.by_beginning.push((beginning.to_owned(), price)),
            None => drop(list.by_name.insert(name, price)),
        }
    }
    list.by_beginning.sort_by_key(|(beginning, _)| std::cmp::Reverse(beginning.len()));
    Ok(list)
}

/// Returns the prices that apply to a model in a service tier (rules PRI-02 and PRI-08).
pub fn tariff_of(prices: &Prices, model: &str, service_tier: Option<&str>) -> Option<Arc<Tariff>> {
    let price = price_of(prices, model)?;
    let modes = service_tier.map_or(Some([].as_slice()), modes_of)?;
    if modes.is_empty() {
        return Some(Arc::clone(&price.usual));
    }
    let found = modes.iter().find_map(|mode| price.modes.iter().find(|(name, _)| name == mode))?;
    Some(Arc::clone(&found.1))
}

/// Returns the cost of tokens in nano-dollars; `None` when the prices do not cover them (rule PRI-04).
pub fn computed_nanos(tariff: &Tariff, counts: Counts) -> Option<i64> {
    let [input, _, cache_read, cache_write, cache_write_1h] = counts;
    let prompt = input.saturating_add(cache_read).saturating_add(cache_write).saturating_add(cache_write_1h);
    let above = tariff.above.iter().find(|(size, _)| prompt > *size);
    let rates = above.map_or(&tariff.rates, |(_, rates)| rates);
    let (mut has_tokens, mut sum) = (false, 0.0);
    for (count, price) in counts.into_iter().zip(rates) {
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

/// Returns the price of a model: that of its first spelling with one. In each, the file counts before the built-in list,
/// and a name before a prefix (rule PRI-02).
fn price_of<'a>(prices: &'a Prices, model: &str) -> Option<&'a Price> {
    spellings_of(model).find_map(|name| {
        let in_file = prices.file.as_ref().and_then(|list| price_in_list(list, &name));
        in_file.or_else(|| price_in_list(&prices.built_in, &name))
    })
}

fn price_in_list<'a>(list: &'a PriceList, name: &str) -> Option<&'a Price> {
    list.by_name.get(name).or_else(|| {
        list.by_beginning.iter().find(|(beginning, _)| name.starts_with(beginning)).map(|(_, price)| price)
    })
}

fn date_of(value: &str, path: &str) -> Result<String, PriceProblem> {
    // A value without quotes is not a date.
    let text = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or_default();
    let is_date = text.len() == "YYYY-MM-DD".len() && parse_timestamp(&format!("{text}T00:00:00Z")).is_some();
    if is_date { Ok(text.to_owned()) } else { problem(PriceFault::Date, path) }
}

/// Returns the models with their names in lower case.
fn models_of(value: &str, path: &str) -> Result<Vec<(String, Price)>, PriceProblem> {
    let (mut models, mut known) = (Vec::new(), HashSet::new());
    each_member(value, path, |name, value, path| {
        if !is_name(name) {
            return problem(PriceFault::Name, path);
        }
        let name = name.to_ascii_lowercase();
        if !known.insert(name.clone()) {
            return problem(PriceFault::Twice, path);
        }
        models.push((name, price_in(value, path)?));
        Ok(())
    })?;
    Ok(models)
}

fn price_in(value: &str, path: &str) -> Result<Price, PriceProblem> {
    let (mut factors, mut modes) = (Vec::new(), Vec::new());
    let usual = tariff_in(value, path, |name, value, path| {
        if name != "modes" {
            return problem(PriceFault::Unknown, path);
        }
        each_member(value, path, |name, value, path| {
            if !is_mode(name) {
                return problem(PriceFault::Unknown, path);
            }
            if value.starts_with('{') {
                let tariff = tariff_in(value, path, |_, _, path| problem(PriceFault::Unknown, path))?;
                modes.push((name.to_owned(), Arc::new(tariff)));
            } else {
                factors.push((name.to_owned(), number_of(value, path)?));
            }
            Ok(())
        })
    })?;
    modes.extend(factors.into_iter().map(|(name, factor)| (name, Arc::new(multiplied(&usual, factor)))));
    Ok(Price { usual: Arc::new(usual), modes })
}

/// Parses the prices of a mode; `other` visits further members.
fn tariff_in(
    value: &str,
    path: &str,
    mut other: impl FnMut(&str, &str, &str) -> Result<(), PriceProblem>,
) -> Result<Tariff, PriceProblem> {
    let mut tariff = Tariff::default();
    each_member(value, path, |name, value, path| {
        if name != "above" {
            return put_rate(&mut tariff.rates, name, value, path)
                .unwrap_or_else(|| other(name, value, path));
        }
        each_member(value, path, |name, value, path| {
            let is_plain = name.bytes().all(|byte| byte.is_ascii_digit()) && !name.starts_with('0');
            let Some(size) = parse_integer(name).filter(|_| is_plain) else {
                return problem(PriceFault::Size, path);
            };
            let mut rates = Rates::default();
            each_member(value, path, |name, value, path| {
                put_rate(&mut rates, name, value, path).unwrap_or_else(|| problem(PriceFault::Unknown, path))
            })?;
            tariff.above.push((size, rates));
            Ok(())
        })
    })?;
    tariff.above.sort_by_key(|(size, _)| std::cmp::Reverse(*size));
    Ok(tariff)
}

/// Puts a price in its place; returns `None` for a member that is none.
fn put_rate(rates: &mut Rates, name: &str, value: &str, path: &str) -> Option<Result<(), PriceProblem>> {
    let kind = KINDS.iter().position(|kind| *kind == name)?;
    Some(number_of(value, path).map(|number| rates[kind] = Some(number)))
}

fn number_of(value: &str, path: &str) -> Result<f64, PriceProblem> {
    // The text of a value that is not a number does not parse.
    let number = parse_number(value);
    if (0.0..=LIMITS.max_cost_usd).contains(&number) { Ok(number) } else { problem(PriceFault::Number, path) }
}

fn multiplied(tariff: &Tariff, factor: f64) -> Tariff {
    let times = |rates: &Rates| rates.map(|rate| rate.map(|rate| rate * factor));
    let above = tariff.above.iter().map(|(size, rates)| (*size, times(rates))).collect();
    Tariff { rates: times(&tariff.rates), above }
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

    /// Returns the prices of a file alone.
    fn of_file(text: &str) -> Prices {
        Prices { file: Some(parse_prices(text).expect("valid")), built_in: PriceList::default() }
    }

    fn cost(prices: &Prices, model: &str, tier: Option<&str>, counts: Counts) -> Option<i64> {
        tariff_of(prices, model, tier).and_then(|tariff| computed_nanos(&tariff, counts))
    }

    #[test]
    fn the_price_of_a_model_is_that_of_its_name_or_longest_prefix() {
        let prices = of_file(MADE_UP);
        let file = prices.file.as_ref().expect("given");
        assert_eq!((file.date.as_str(), file.models), ("2026-02-28", 4));
        for (model, counts, nanos) in [
            ("made-up-2", [1000, 10, 8, 0, 0], Some(1_351_000)),
            ("Made-Up-2", [1000, 10, 8, 0, 0], Some(1_351_000)),
            ("made-up-2-mini", [1000, 0, 0, 0, 0], Some(100_000)),
            ("made-up-2-mini[1m]", [1000, 0, 0, 0, 0], Some(300_000)),
            ("made-up-2-mini-1", [1000, 0, 0, 0, 0], Some(300_000)),
            ("made-up-2-mini", [1000, 1, 0, 0, 0], None),
            ("made-up-2", [1000, 10, 8, 1, 0], None),
            ("made-up-2", [1000, 10, 8, 0, 1], None),
            ("made-up-2", [0, 0, 0, 0, 0], None),
            ("made-up", [1000, 0, 0, 0, 0], None),
            ("free", [1, 0, 0, 0, 0], Some(0)),
            ("openai/free-2026-01-31", [1, 0, 0, 0, 0], Some(0)),
            // The largest count below a million dollars, then one token more.
            ("made-up-2-mini-1", [3_333_333_333_333, 0, 0, 0, 0], Some(999_999_999_999_900)),
            ("made-up-2-mini-1", [3_333_333_333_334, 0, 0, 0, 0], None),
        ] {
            assert_eq!(cost(&prices, model, None, counts), nanos, "{model} {counts:?}");
        }
    }

    #[test]
    fn a_mode_and_a_prompt_above_a_size_have_prices_of_their_own() {
        let prices = of_file(
            r#"{"date":"2026-02-28","models":{"a":{
                "above": {"100": {"input": 2, "cache_read": 1}, "1000": {"input": 3}},
                "modes": {"batch": 0.5, "priority": {"input": 8, "above": {"100": {"input": 9}}}},
                "input": 1, "output": 4
            }}}"#,
        );
        for (tier, counts, nanos) in [
            (None, [100, 1, 0, 0, 0], Some(104_000)),
            (Some("default"), [100, 0, 0, 0, 0], Some(100_000)),
            // The prompt is all input, also that from a cache.
            (None, [100, 0, 1, 0, 0], Some(201_000)),
            (None, [101, 1, 0, 0, 0], None),
            (None, [1000, 0, 0, 0, 0], Some(2_000_000)),
            (None, [1001, 0, 0, 0, 0], Some(3_003_000)),
            (Some("batch"), [100, 1, 0, 0, 0], Some(52_000)),
            (Some("batch"), [101, 0, 0, 0, 0], Some(101_000)),
            (Some("fast"), [100, 0, 0, 0, 0], Some(800_000)),
            (Some("Priority"), [101, 0, 0, 0, 0], Some(909_000)),
            (Some("priority"), [1, 1, 0, 0, 0], None),
            (Some("flex"), [1, 0, 0, 0, 0], None),
            (Some("scale"), [1, 0, 0, 0, 0], None),
        ] {
            assert_eq!(cost(&prices, "a", tier, counts), nanos, "{tier:?} {counts:?}");
        }
    }

    #[test]
    fn a_file_replaces_single_models_of_the_built_in_list() {
        let file = r#"{"date":"2026-02-28","models":{"claude-opus-5":{"input":1},"gpt-5*":{}}}"#;
        let prices = Prices { built_in: built_in_prices(), ..of_file(file) };
        for (model, nanos) in [
            ("claude-opus-5", Some(1000)),
            ("openrouter/anthropic/claude-opus-5[1m]", Some(1000)),
            // A region has prices of its own.
            ("us.anthropic.claude-opus-5", Some(5500)),
            ("claude-haiku-4-5", Some(1000)),
            ("gpt-5.1", None),
            ("no-such-model", None),
        ] {
            assert_eq!(cost(&prices, model, None, [1, 0, 0, 0, 0]), nanos, "{model}");
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
            (of(r#"{"a":{},"A":{}}"#), PriceFault::Twice, "/models/A"),
            (of(r#"{"a":{"above":1}}"#), PriceFault::Object, "/models/a/above"),
            (of(r#"{"a":{"above":{"0200":{}}}}"#), PriceFault::Size, "/models/a/above/0200"),
            (of(r#"{"a":{"above":{"":{}}}}"#), PriceFault::Size, "/models/a/above/"),
            (
                of(r#"{"a":{"above":{"9007199254740992":{}}}}"#),
                PriceFault::Size,
                "/models/a/above/9007199254740992",
            ),
            (of(r#"{"a":{"above":{"1":{"modes":{}}}}}"#), PriceFault::Unknown, "/models/a/above/1/modes"),
            (of(r#"{"a":{"modes":{"standard":1}}}"#), PriceFault::Unknown, "/models/a/modes/standard"),
            (of(r#"{"a":{"modes":{"batch":null}}}"#), PriceFault::Number, "/models/a/modes/batch"),
            (
                of(r#"{"a":{"modes":{"batch":{"modes":{}}}}}"#),
                PriceFault::Unknown,
                "/models/a/modes/batch/modes",
            ),
            (String::from(r#"{"source":1}"#), PriceFault::Note, "/source"),
        ] {
            let expected = PriceProblem { fault, path: path.to_owned() };
            assert_eq!(parse_prices(&text).expect_err(&text), expected, "{text}");
        }
    }

    /// Decorations at the end that no price depends on.
    const ENDS: [&str; 4] = ["[1m]", ":thinking", "@default", "[1M]"];
    /// Prefixes of other providers, for plain names.
    const BEGINNINGS: [&str; 6] =
        ["openrouter/openai/", "azure/", "vertex_ai/", "anthropic/", "bedrock/", "us.anthropic."];

    #[test]
    fn every_listed_name_is_found_with_each_decoration() {
        let prices = Prices { file: None, built_in: built_in_prices() };
        let names: Vec<&String> = prices.built_in.by_name.keys().collect();
        assert!(names.len() > 500);
        let of = |name: &str| tariff_of(&prices, name, None).expect("found");
        for name in names {
            let tariff = of(name);
            for end in ENDS {
                assert!(Arc::ptr_eq(&tariff, &of(&format!("{name}{end}"))), "{name}{end}");
            }
            assert!(Arc::ptr_eq(&tariff, &of(&name.to_ascii_uppercase())), "{name}");
            for beginning in BEGINNINGS {
                if name.contains(['/', '.']) && !name.starts_with("gpt-") {
                    continue;
                }
                let decorated = format!("{beginning}{name}");
                // A listed name has prices of its own, and so has each of its spellings.
                let is_listed = |name: &String| prices.built_in.by_name.contains_key(name);
                let listed = spellings_of(&decorated).find(is_listed).unwrap_or_default();
                let is_of_name = spellings_of(name).any(|one| listed.ends_with(&one));
                assert!(is_of_name, "{decorated}: {listed}");
                assert!(Arc::ptr_eq(&of(&listed), &of(&decorated)), "{decorated}");
            }
        }
    }

    #[test]
    fn a_prefix_may_end_in_white_space_and_may_be_empty() {
        let prices = of_file(r#"{"date":"2026-02-28","models":{"a *":{"input":1},"*":{"input":2}}}"#);
        assert_eq!(cost(&prices, "a b", None, [1, 0, 0, 0, 0]), Some(1000));
        assert_eq!(cost(&prices, "b", None, [1, 0, 0, 0, 0]), Some(2000));
    }
}
