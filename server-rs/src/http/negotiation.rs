//! Selects the format of an answer by `Accept`, and that of a body by `Content-Type` (rules HTT-13 and BOD-02).

use http::Method;
use http::header::{ACCEPT, CONTENT_TYPE, HeaderMap};

use crate::contract::RouteSpec;
use crate::error::{ErrorCode, Failure};
use crate::formats::Format;
use crate::http::head::is_token;

/// Media type of routes whose answers have their own media type, so that they ignore `Accept`.
const ANY: &str = "*/*";

/// The form of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    /// Its format; JSON where the route has no choice.
    pub format: Format,
    /// The selected media type, of the format or an alias.
    pub media_type: &'static str,
}

impl Answer {
    /// The form of an answer in JSON.
    pub const JSON: Self = Self { format: Format::Json, media_type: "application/json" };

    /// Returns the value of `Content-Type`.
    pub fn content_type(&self) -> String {
        format!("{}{}", self.media_type, self.format.spec().answer_suffix)
    }
}

/// Returns whether `Accept` selects among the formats of the route.
pub(crate) fn has_choice(method: &Method, route: &RouteSpec) -> bool {
    let has_get = || route.methods.contains(&"GET");
    route.formats.is_some() && (matches!(*method, Method::GET | Method::HEAD) || !has_get())
}

/// Returns the media type of the greatest weight, the first of equal ones (RFC 9110, section 12.5.1).
pub(crate) fn choose_answer(
    method: &Method,
    headers: &HeaderMap,
    route: &'static RouteSpec,
) -> Result<Answer, Failure> {
    if route.produces == ANY {
        return Ok(Answer { format: Format::Json, media_type: ANY });
    }
    let mut choices = match route.formats {
        Some(names) if has_choice(method, route) => choices_of(names),
        _ => vec![Answer { format: Format::Json, media_type: route.produces }],
    };
    let mut values = headers.get_all(ACCEPT).iter().peekable();
    if values.peek().is_none() {
        return Ok(choices.swap_remove(0));
    }
    let values: Vec<_> = values.map(|value| String::from_utf8_lossy(value.as_bytes())).collect();
    let ranges: Vec<Range<'_>> = values.iter().flat_map(|value| value.split(',')).map(Range::of).collect();
    let weights = choices.iter().map(|choice| weight_of(choice.media_type, &ranges));
    // Of equal weights `max_by_key` returns the last, so the order is reversed.
    let best = weights.enumerate().rev().max_by_key(|(_, weight)| *weight).filter(|(_, weight)| *weight > 0);
    match best {
        Some((index, _)) => Ok(choices.swap_remove(index)),
        None => {
            let supported: Vec<&str> = choices.iter().map(|choice| choice.media_type).collect();
            Err(Failure::new(ErrorCode::NotAcceptable).with("supported", supported))
        }
    }
}

/// Returns the format of a body.
pub(crate) fn content_format(headers: &HeaderMap, route: &'static RouteSpec) -> Result<Format, Failure> {
    Ok(content_choice(headers, route)?.format)
}

/// Returns the format of a body and its media type, for an answer in the same form (rule OTL-01).
pub(crate) fn content_choice(headers: &HeaderMap, route: &'static RouteSpec) -> Result<Answer, Failure> {
    let reads = || choices_of(route.reads.unwrap_or_default());
    let mut values = headers.get_all(CONTENT_TYPE).iter();
    let given = values.next().filter(|_| values.next().is_none()).and_then(|value| value.to_str().ok());
    given.and_then(|given| choice_of(given, &reads())).ok_or_else(|| {
        let supported: Vec<&str> = reads().iter().map(|choice| choice.media_type).collect();
        Failure::new(ErrorCode::UnsupportedMediaType).with("supported", supported)
    })
}

fn choice_of(content_type: &str, choices: &[Answer]) -> Option<Answer> {
    let (essence, rest) = content_type.split_at(content_type.find(';').unwrap_or(content_type.len()));
    let essence = essence.trim_matches(BLANK);
    let choice = choices.iter().find(|choice| choice.media_type.eq_ignore_ascii_case(essence))?;
    let known = choice.format.spec().parameter.as_ref();
    let is_other = |(name, value): &(&str, String)| {
        known.is_some_and(|known| {
            name.eq_ignore_ascii_case(&known.name) && !value.eq_ignore_ascii_case(&known.value)
        })
    };
    (!parameters_of(rest)?.iter().any(is_other)).then_some(*choice)
}

/// The white space that HTTP allows around a part.
const BLANK: [char; 2] = [' ', '\t'];

/// Returns the parameters of a media type, without quotes; `None` when they are malformed (RFC 9110, section 5.6.6).
fn parameters_of(text: &str) -> Option<Vec<(&str, String)>> {
    let mut parameters = Vec::new();
    let mut rest = text.trim_start_matches(BLANK);
    while !rest.is_empty() {
        rest = rest.strip_prefix(';')?.trim_start_matches(BLANK);
        if rest.is_empty() || rest.starts_with(';') {
            continue;
        }
        let (name, after) = split_token(rest)?;
        let after = after.strip_prefix('=')?;
        let value;
        (value, rest) = match after.strip_prefix('"') {
            Some(quoted) => split_quoted(quoted)?,
            None => split_token(after).map(|(token, rest)| (token.to_owned(), rest))?,
        };
        parameters.push((name, value));
        rest = rest.trim_start_matches(BLANK);
    }
    Some(parameters)
}

fn split_token(text: &str) -> Option<(&str, &str)> {
    let length = text.bytes().position(|byte| !is_token(byte)).unwrap_or(text.len());
    (length > 0).then(|| text.split_at(length))
}

/// Splits the text of a quoted string from what follows its closing quote (RFC 9110, section 5.6.4).
fn split_quoted(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut chars = text.chars();
    loop {
        match chars.next()? {
            '"' => return Some((value, chars.as_str())),
            '\\' => value.push(chars.next()?),
            other => value.push(other),
        }
    }
}

/// Returns every media type of these formats.
fn choices_of(names: &'static [&'static str]) -> Vec<Answer> {
    let formats = names.iter().filter_map(|name| Format::from_name(name));
    let of =
        |format: Format| format.spec().media_types.iter().map(move |one| Answer { format, media_type: one });
    formats.flat_map(of).collect()
}

/// A media range with its weight in thousandths (RFC 9110, section 12.5.1).
struct Range<'a> {
    media: &'a str,
    weight: u16,
}

impl<'a> Range<'a> {
    fn of(item: &'a str) -> Self {
        let mut parts = item.split(';').map(|part| part.trim_matches([' ', '\t']));
        let media = parts.next().unwrap_or_default();
        let is_weight = |(name, _): &(&str, &str)| name.eq_ignore_ascii_case("q");
        let weight = parts.filter_map(|part| part.split_once('=')).find(is_weight);
        Self { media, weight: weight.and_then(|(_, value)| parse_weight(value)).unwrap_or(1000) }
    }
}

/// Parses a weight into thousandths (RFC 9110, section 12.4.2); `None` when it is malformed.
fn parse_weight(text: &str) -> Option<u16> {
    let (whole, digits) = text.split_once('.').unwrap_or((text, ""));
    if !matches!(whole, "0" | "1") || digits.len() > 3 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let weight: u16 = format!("{whole}{digits:0<3}").parse().ok()?;
    (weight <= 1000).then_some(weight)
}

/// Returns the weight of the most specific matching range, the first of equally specific ones; 0 when none matches.
fn weight_of(media_type: &str, ranges: &[Range<'_>]) -> u16 {
    let whole_type = format!("{}/*", media_type.split('/').next().unwrap_or_default());
    let matching = |known: &str| ranges.iter().find(|range| range.media.eq_ignore_ascii_case(known));
    [media_type, &whole_type, "*/*"].into_iter().find_map(matching).map_or(0, |range| range.weight)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::ROUTES;

    fn choose(path: &str, method: &Method, accept: &str) -> Result<&'static str, Failure> {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, accept.parse().expect("a value"));
        let route = ROUTES.iter().find(|route| route.path == path).expect("a route");
        choose_answer(method, &headers, route).map(|answer| answer.media_type)
    }

    #[test]
    fn the_greatest_weight_wins_and_the_first_of_equal_ones() {
        let cases = [
            ("*/*", "application/json"),
            ("application/*", "application/json"),
            ("application/x-msgpack", "application/x-msgpack"),
            ("APPLICATION/X-NDJSON", "application/x-ndjson"),
            ("application/json;q=0.5, application/protobuf;q=0.6", "application/protobuf"),
            ("application/protobuf, application/json", "application/json"),
            ("*/*;q=0.1, application/json;q=0", "application/x-ndjson"),
            ("*/*, application/json;q=0.999", "application/x-ndjson"),
            ("application/json;q=2, */*", "application/json"),
            ("application/json;v=1;q=0.0001, application/x-ndjson;q=0.9", "application/json"),
        ];
        for (accept, expected) in cases {
            assert_eq!(choose("/api/events", &Method::GET, accept), Ok(expected), "{accept}");
        }
    }

    #[test]
    fn a_post_is_answered_only_in_json() {
        assert_eq!(choose("/api/events", &Method::POST, "*/*"), Ok("application/json"));
        let refused = choose("/api/events", &Method::POST, "application/protobuf").expect_err("refused");
        assert_eq!(refused.members["supported"], serde_json::json!(["application/json"]));
        for accept in ["text/html", "", "application/json;q=0, application/json"] {
            assert!(choose("/api/events", &Method::GET, accept).is_err(), "{accept}");
        }
    }

    #[test]
    fn weights_have_at_most_three_digits() {
        let cases =
            [("0", Some(0)), ("0.", Some(0)), ("0.5", Some(500)), ("1.000", Some(1000)), ("1", Some(1000))];
        for (text, weight) in cases {
            assert_eq!(parse_weight(text), weight, "{text}");
        }
        for text in ["", ".5", "0.0000", "1.001", "2", "00", "-0", " 0", "0.x"] {
            assert_eq!(parse_weight(text), None, "{text}");
        }
    }

    #[test]
    fn a_content_type_may_have_parameters() {
        let route = ROUTES.iter().find(|route| route.path == "/api/events/batch").expect("a route");
        let format = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_TYPE, value.parse().expect("a value"));
            content_format(&headers, route).ok()
        };
        let json = |parameters: &str| format(&format!("application/json{parameters}"));
        for parameters in [
            "; Charset=\"UTF-8\"",
            ";",
            " ;\t; ;charset=utf-8 ; ",
            "; charset=\"utf\\-8\"",
            "; v=1",
            "; v=\"a;b\\\"c\"; charset=utf-8",
        ] {
            assert_eq!(json(parameters), Some(Format::Json), "{parameters}");
        }
        assert_eq!(format("Application/X-NDJSON"), Some(Format::Ndjson));
        assert_eq!(format("application/x-protobuf;encoding=binary"), Some(Format::Protobuf));
        assert_eq!(format("application/msgpack;charset=utf-8"), Some(Format::Msgpack));
        for parameters in [
            "; charset",
            "; charset=",
            "; =utf-8",
            "; charset =utf-8",
            "; charset=\"utf-8",
            "; charset=\"utf-8\"x",
            "; v=\"\\",
            "; v=a b",
            "; charset=utf-8; charset=utf-16",
            "x; v=1",
        ] {
            assert_eq!(json(parameters), None, "{parameters}");
        }
        assert_eq!(format("application/vnd.apache.arrow.stream"), None);
    }
}
