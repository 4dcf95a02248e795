//! Finds values by their paths: keys joined by `/` (`contract/mapping.md`).
//!
//! Pure. A path goes into each object of an array, and then has several values.

use std::borrow::Cow;
use std::cell::RefCell;

use memchr::memchr;

use crate::event::{Span, SpanKind};
use crate::mapping::problems::Place;
use crate::number::{parse_number, print_number};
use crate::scanner::{Scan, Scanner};
use crate::text::decode_token;

/// What paths are read from.
pub trait Source<'a> {
    /// Whether a text of digits is a number.
    const HAS_DIGITS: bool;

    /// Returns the value of a first key, by its index among the keys of the mapping.
    fn get(&self, key: usize) -> Option<Found<'a>>;
}

/// The place of a value in a record.
#[derive(Debug, PartialEq, Eq)]
pub struct Path {
    /// The index of the first key among those of the mapping.
    pub key: usize,
    rest: Box<[Box<str>]>,
}

/// A value that is there.
#[derive(Debug, Clone, PartialEq)]
pub enum Found<'a> {
    /// A JSON text.
    Json(Json<'a>),
    /// A text that is well-formed.
    Text(Cow<'a, str>),
    /// A number.
    Number(f64),
    /// The exact result of a sum.
    Whole(i128),
    /// The values of a path through an array.
    List,
}

/// The JSON text of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Json<'a> {
    /// The text, valid and without space around it.
    pub text: &'a str,
    /// The kind of the value.
    pub kind: SpanKind,
    /// Whether a number is written as its text is: an integer may have 64 bits.
    pub is_printed: bool,
}

/// The first keys that a source supplies in addition to those of a record.
#[derive(Debug, Clone, Copy)]
pub(super) struct PathScope<'k> {
    /// Whether there are ids of a trace and of spans.
    pub(super) has_ids: bool,
    pub(super) has_parent: bool,
    /// The first keys of the mapping, each once.
    pub(super) keys: &'k RefCell<Vec<String>>,
}

/// The first keys of ids.
pub const IDS: [&str; 3] = ["$trace_id", "$span_id", "$parent_span_id"];
/// The first keys of attributes of the parent.
pub const PARENT_PREFIX: &str = "$parent/";

impl PathScope<'_> {
    fn key(self, name: String) -> usize {
        let mut keys = self.keys.borrow_mut();
        keys.iter().position(|known| *known == name).unwrap_or_else(|| {
            keys.push(name);
            keys.len() - 1
        })
    }
}

impl Path {
    /// Compiles the text of a path; a wrong one is a problem of its place.
    pub(super) fn compile(text: &str, place: &Place<'_>, scope: PathScope<'_>) -> Self {
        let keys: Vec<String> =
            text.split('/').map(|key| key.replace("~1", "/").replace("~0", "~")).collect();
        if text.match_indices('~').any(|(at, _)| !text[at + 1..].starts_with(['0', '1'])) {
            place.problem(format_args!("{text} has a ~ that is neither ~0 nor ~1"));
        }
        if keys.iter().any(String::is_empty) {
            place.problem(format_args!("{text} has an empty key"));
        }
        let (first, rest) = match keys.as_slice() {
            [first, second, rest @ ..] if scope.has_parent && first == "$parent" => {
                (format!("{PARENT_PREFIX}{second}"), rest)
            }
            [first, rest @ ..] => {
                if text.starts_with('$') && !(scope.has_ids && IDS.contains(&text)) {
                    place.problem(format_args!("{text} is no path here"));
                }
                (first.clone(), rest)
            }
            [] => (String::new(), &[] as &[String]),
        };
        Self { key: scope.key(first), rest: rest.iter().map(|key| key.as_str().into()).collect() }
    }

    /// Returns whether the path is one key.
    pub fn is_key(&self) -> bool {
        self.rest.is_empty()
    }

    /// Returns the value; a list if the path goes through an array.
    pub fn value<'a>(&self, source: &impl Source<'a>) -> Option<Found<'a>> {
        let first = source.get(self.key)?;
        if self.rest.is_empty() {
            return Some(first);
        }
        let (mut values, is_list) = self.members(&first);
        match values.pop() {
            Some(_) if is_list => Some(Found::List),
            last => last.map(Found::Json),
        }
    }

    /// Returns whether one of the values meets the condition.
    pub fn has<'a>(&self, source: &impl Source<'a>, mut meets: impl FnMut(&Found<'a>) -> bool) -> bool {
        let Some(first) = source.get(self.key) else { return false };
        if self.rest.is_empty() {
            return meets(&first);
        }
        self.members(&first).0.into_iter().any(|value| meets(&Found::Json(value)))
    }

    /// Returns the values inside of the first one, and whether an array is on the way.
    fn members<'a>(&self, first: &Found<'a>) -> (Vec<Json<'a>>, bool) {
        let mut values = Vec::new();
        let Found::Json(json) = first else { return (values, false) };
        let mut walk = Walk { text: json.text, values: &mut values };
        let walked = walk.value(&mut Scanner::new(json.text.as_bytes()), &self.rest);
        debug_assert!(walked.is_ok(), "a record was scanned as its body");
        (values, walked.unwrap_or(false))
    }
}

/// Collects the values inside of a JSON text in one pass.
struct Walk<'a, 'v> {
    text: &'a str,
    values: &'v mut Vec<Json<'a>>,
}

impl Walk<'_, '_> {
    /// Passes a value; returns whether an array is on the way.
    fn value(&mut self, scanner: &mut Scanner<'_>, keys: &[Box<str>]) -> Scan<bool> {
        let (Some((key, rest)), Some(opening @ (b'{' | b'['))) = (keys.split_first(), scanner.peek()) else {
            let span = scanner.skip_value(1)?;
            if keys.is_empty() && span.kind != SpanKind::Null {
                let text = &self.text[span.start..span.end];
                self.values.push(Json { text, kind: span.kind, is_printed: false });
            }
            return Ok(false);
        };
        if opening == b'[' {
            scanner.elements(1, |scanner| self.value(scanner, keys).map(drop))?;
            return Ok(true);
        }
        let (known, mut is_list) = (self.values.len(), false);
        scanner.members(1, |scanner, name| {
            if !self.is_key(name, key) {
                return scanner.skip_value(1).map(drop);
            }
            // Of equal keys the last counts.
            self.values.truncate(known);
            is_list = self.value(scanner, rest)?;
            Ok(())
        })?;
        Ok(is_list)
    }

    fn is_key(&self, name: Span, key: &str) -> bool {
        let token = &self.text[name.start..name.end];
        decode_token(token, name.kind == SpanKind::EscapedString).is_ok_and(|name| name == key)
    }
}

impl<'a> Json<'a> {
    /// Returns a JSON text that a server has written.
    pub fn printed(text: &'a str) -> Self {
        let kind = match text.as_bytes().first() {
            Some(b'"') if memchr(b'\\', text.as_bytes()).is_some() => SpanKind::EscapedString,
            Some(b'"') => SpanKind::String,
            Some(b'{') => SpanKind::Object,
            Some(b'[') => SpanKind::Array,
            Some(b't' | b'f') => SpanKind::Bool,
            Some(b'n') => SpanKind::Null,
            _ => SpanKind::Number,
        };
        Self { text, kind, is_printed: true }
    }

    /// Returns the contents of a string that is well-formed.
    fn string(self) -> Option<Cow<'a, str>> {
        match self.kind {
            SpanKind::String => decode_token(self.text, false).ok(),
            SpanKind::EscapedString => decode_token(self.text, true).ok(),
            _ => None,
        }
    }
}

impl<'a> Found<'a> {
    /// Returns whether it is a text, which may be ill-formed.
    pub fn is_text(&self) -> bool {
        match self {
            Found::Json(json) => matches!(json.kind, SpanKind::String | SpanKind::EscapedString),
            Found::Text(_) => true,
            Found::Number(_) | Found::Whole(_) | Found::List => false,
        }
    }

    /// Returns a text that is well-formed.
    pub fn text(self) -> Option<Cow<'a, str>> {
        match self {
            Found::Json(json) => json.string(),
            Found::Text(text) => Some(text),
            Found::Number(_) | Found::Whole(_) | Found::List => None,
        }
    }

    /// Returns the text that conditions compare: a text itself, the JSON of any other scalar.
    pub fn condition_text(&self) -> Option<Cow<'_, str>> {
        let json = match self {
            Found::Json(json) => json,
            Found::Text(text) => return Some(Cow::Borrowed(text)),
            Found::Number(_) | Found::Whole(_) | Found::List => return None,
        };
        match json.kind {
            SpanKind::Number if json.is_printed => Some(Cow::Borrowed(json.text)),
            SpanKind::Number => {
                let mut text = Vec::new();
                print_number(&mut text, parse_number(json.text));
                String::from_utf8(text).ok().map(Cow::Owned)
            }
            SpanKind::Bool | SpanKind::Null => Some(Cow::Borrowed(json.text)),
            _ => json.string(),
        }
    }
}
