//! Computes the values of fields: paths, sums, constants (`contract/mapping.md`).

use std::borrow::Cow;

use crate::event::{Event, FieldValue, Text};
use crate::field::{Field, FieldKind};
use crate::mapping::condition::Conditions;
use crate::mapping::field::{Valid, field_value, whole_of};
use crate::mapping::forms::{Given, Members};
use crate::mapping::path::{Found, Path, PathScope, Source};
use crate::mapping::problems::Place;
use crate::mapping::spec::{ComputedSpec, Constant, ValueSpec};

/// The source of a value.
#[derive(Debug)]
enum Value {
    Path(Path),
    /// The first that is there counts.
    First(Box<[Value]>),
    Sum {
        sum: Box<[Value]>,
        less: Box<[Value]>,
    },
    Text(String),
    Number(f64),
    /// A value with conditions, or a part of its text.
    Computed {
        conditions: Conditions,
        from: Box<Value>,
        takes_last_segment: bool,
    },
}

/// A value, and the field that it is for.
#[derive(Debug)]
pub struct FieldRule {
    /// The field.
    pub field: Field,
    value: Value,
    /// Replaces a value that is absent or invalid.
    default: Option<Value>,
}

/// Where the text of an event is put.
pub(crate) trait Texts {
    /// Stores a text, which may be borrowed from a record.
    fn put(&mut self, text: Cow<'_, str>) -> Text;
}

/// Compiles values by the names of fields.
pub(super) fn compile_fields(
    members: Members<ValueSpec>,
    place: &Place<'_>,
    scope: PathScope<'_>,
    known: impl Fn(&str) -> Option<Field>,
) -> Box<[FieldRule]> {
    let compiled = members.0.into_iter().filter_map(|(name, mut spec)| {
        let at = place.within(&name);
        let Some(field) = known(&name) else {
            at.problem("no mapping can give this field");
            return None;
        };
        // Only a whole value has a default.
        let default = if let Given::Object(computed) = &mut spec.0 { computed.default.take() } else { None };
        let default = default.map(|constant| constant_of(constant, &at.within("default"), field));
        Some(FieldRule { field, value: Value::compile(spec, &at, scope, field), default })
    });
    compiled.collect()
}

impl FieldRule {
    /// Returns whether an absent or invalid value is replaced.
    pub fn has_default(&self) -> bool {
        self.default.is_some()
    }

    /// Returns whether there is a value, even an invalid one.
    pub fn is_there<'a>(&'a self, source: &impl Source<'a>) -> bool {
        self.value.compute(source).is_some()
    }

    /// Returns the value; `None` if it is absent or invalid, and there is no default.
    pub fn value<'a, S: Source<'a>>(&'a self, source: &S) -> Option<Valid<'a>> {
        let valid = |value: &'a Value| field_value(self.field, value.compute(source)?, S::HAS_DIGITS);
        valid(&self.value).or_else(|| valid(self.default.as_ref()?))
    }
}

/// Puts the values of the rules. One that is absent or invalid leaves the value of an earlier rule.
pub(crate) fn put_fields<'a>(
    event: &mut Event,
    texts: &mut impl Texts,
    rules: &'a [FieldRule],
    source: &impl Source<'a>,
) {
    for rule in rules {
        if let Some(value) = rule.value(source) {
            put_value(event, texts, rule.field, value);
        }
    }
}

/// Gives a field a value that the event may have.
pub(crate) fn put_value(event: &mut Event, texts: &mut impl Texts, field: Field, value: Valid<'_>) {
    let value = match value {
        Valid::Text(text) => FieldValue::Text(texts.put(text)),
        Valid::Word(word) => FieldValue::Word(word),
        Valid::Number(number) => FieldValue::Number(number),
    };
    event.set(field, value);
}

impl Value {
    fn compile(spec: ValueSpec, place: &Place<'_>, scope: PathScope<'_>, field: Field) -> Self {
        match spec.0 {
            Given::Text(text) => {
                if text.is_empty() {
                    place.problem("is no text");
                }
                Value::Path(Path::compile(&text, place, scope))
            }
            Given::List(list) => {
                if list.is_empty() {
                    place.problem("is empty");
                }
                Value::First(Self::compile_list(list, place, scope, field))
            }
            Given::Object(computed) => Self::compile_computed(*computed, place, scope, field),
        }
    }

    fn compile_list(
        list: Vec<ValueSpec>,
        place: &Place<'_>,
        scope: PathScope<'_>,
        field: Field,
    ) -> Box<[Self]> {
        let compiled = list.into_iter().enumerate();
        compiled.map(|(at, spec)| Self::compile(spec, &place.within(at), scope, field)).collect()
    }

    fn compile_computed(spec: ComputedSpec, place: &Place<'_>, scope: PathScope<'_>, field: Field) -> Self {
        let ComputedSpec { from, sum, less, constant, take, default, conditions, unless } = spec;
        let is_text = matches!(field.spec().kind, FieldKind::Text);
        if default.is_some() {
            place.problem("default means nothing");
        }
        if take.is_some() && (from.is_none() || !is_text) {
            place.problem("take needs from, and a field of text");
        }
        if less.is_some() && sum.is_none() {
            place.problem("less needs sum");
        }
        let from = match (from, sum, constant) {
            (Some(from), None, None) => Self::compile(from, &place.within("from"), scope, field),
            (None, Some(sum), None) => {
                let at = place.within("sum");
                if !matches!(field.spec().kind, FieldKind::Integer) {
                    at.problem(format_args!("{} is no integer", field.name()));
                }
                if sum.is_empty() {
                    at.problem("is empty");
                }
                let less = less.unwrap_or_default();
                Value::Sum {
                    sum: Self::compile_list(sum, &at, scope, field),
                    less: Self::compile_list(less, &place.within("less"), scope, field),
                }
            }
            (None, None, Some(constant)) => constant_of(constant, &place.within("constant"), field),
            _ => {
                place.problem("needs one of from sum constant");
                Value::First(Box::new([]))
            }
        };
        let conditions = Conditions::compile(conditions, unless, place, scope);
        if conditions.is_always() && take.is_none() {
            return from;
        }
        Value::Computed { conditions, from: Box::new(from), takes_last_segment: take.is_some() }
    }

    /// Returns a value if it is there. It may break the rule of its field.
    fn compute<'a, S: Source<'a>>(&'a self, source: &S) -> Option<Found<'a>> {
        match self {
            Value::Path(path) => path.value(source),
            Value::First(values) => values.iter().find_map(|value| value.compute(source)),
            Value::Text(text) => Some(Found::Text(Cow::Borrowed(text))),
            Value::Number(number) => Some(Found::Number(*number)),
            Value::Computed { conditions, from, takes_last_segment } => {
                let value = if conditions.apply(source) { from.compute(source)? } else { return None };
                if *takes_last_segment {
                    value.text().map(last_segment).map(Found::Text)
                } else {
                    Some(value)
                }
            }
            Value::Sum { sum, less } => {
                let whole = |value: Found<'a>| whole_of(value, S::HAS_DIGITS).map(i128::from);
                let (first, others) = sum.split_first()?;
                let base = first.compute(source)?;
                let Some(base_value) = whole(base.clone()) else { return Some(base) };
                let total = |values: &'a [Value]| -> i128 {
                    values.iter().filter_map(|value| whole(value.compute(source)?)).sum()
                };
                Some(Found::Whole((base_value + total(others) - total(less)).max(0)))
            }
        }
    }
}

fn constant_of(constant: Constant, place: &Place<'_>, field: Field) -> Value {
    let (value, is_valid) = match constant {
        Constant::Text(text) => {
            let is_same = |valid: Valid<'_>| match valid {
                Valid::Text(valid) => valid == text,
                Valid::Word(word) => word == text,
                Valid::Number(_) => false,
            };
            let valid = field_value(field, Found::Text(Cow::Borrowed(&text)), false);
            let is_valid = valid.is_some_and(is_same);
            (Value::Text(text), is_valid)
        }
        Constant::Number(number) => {
            (Value::Number(number), field_value(field, Found::Number(number), false).is_some())
        }
    };
    if !is_valid {
        let shown = match &value {
            Value::Text(text) => format!("\"{text}\""),
            Value::Number(number) => number.to_string(),
            _ => String::new(),
        };
        place.problem(format_args!("{shown} is no value of {}", field.name()));
    }
    value
}

/// Returns the text after the last `/` or `\`, ignoring such characters at the end.
pub fn last_segment(path: Cow<'_, str>) -> Cow<'_, str> {
    fn segment(path: &str) -> &str {
        let path = path.trim_end_matches(['/', '\\']);
        path.rsplit(['/', '\\']).next().unwrap_or(path)
    }
    match path {
        Cow::Borrowed(path) => Cow::Borrowed(segment(path)),
        Cow::Owned(path) => Cow::Owned(segment(&path).to_owned()),
    }
}
