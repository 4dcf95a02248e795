//! Reads messages of OTLP, in JSON or Protobuf, where they lie in a body (rules OTL-02 and OTL-03).
//!
//! Invariant: the body was checked before, so what cannot be read here is absent. A message is read field by field; its
//! lists are walked item by item, and nothing is kept of them.

use std::borrow::Cow;

use crate::contract::LIMITS;
use crate::event::{Span, SpanKind};
use crate::formats::protobuf_check::{Walker, varint_of};
use crate::number::parse_number;
use crate::scanner::Scanner;
use crate::telemetry::otlp::{Kind, MOST_FIELDS, Message, OtlpField, message_at};
use crate::text::{decode_token, hex_value};

/// The most digits of an integer of 64 bits.
const MOST_DIGITS: usize = 20;

/// A list of the envelope is no array, or an item of it is no object.
#[derive(Debug, PartialEq, Eq)]
pub struct NotOtlp;

/// The bytes of a message.
#[derive(Debug, Clone, Copy)]
pub enum Form<'a> {
    /// The text of an object.
    Json(&'a str),
    /// The fields.
    Protobuf(&'a [u8]),
}

/// A message in a body.
#[derive(Debug, Clone, Copy)]
pub struct Node<'a> {
    /// Where it lies.
    pub form: Form<'a>,
    /// Which message it is.
    pub message: &'static Message,
}

/// One value of a field.
#[derive(Debug, Clone, Copy)]
enum Raw<'a> {
    Json(&'a str, SpanKind),
    Varint(u64),
    Fixed(u64),
    Bytes(&'a [u8]),
}

/// The fields of a message that are there; of one given twice the last. Lists of Protobuf are not among them.
pub struct Fields<'a> {
    node: Node<'a>,
    values: [Option<Raw<'a>>; MOST_FIELDS],
}

/// One field of a message that is there.
#[derive(Clone, Copy)]
pub struct Value<'a> {
    /// Which field it is.
    pub field: &'static OtlpField,
    raw: Raw<'a>,
}

impl<'a> Node<'a> {
    /// How many bytes it has as it was sent.
    pub fn size(&self) -> usize {
        match self.form {
            Form::Json(text) => text.len(),
            Form::Protobuf(bytes) => bytes.len(),
        }
    }

    /// Its fields.
    pub fn fields(self) -> Fields<'a> {
        let mut values = [None; MOST_FIELDS];
        match self.form {
            Form::Json(text) => visit_object(text, |name, value| {
                if let Some(place) = self.message.fields.iter().position(|field| field.name == name) {
                    let token = &text[value.start..value.end];
                    values[place] = (value.kind != SpanKind::Null).then_some(Raw::Json(token, value.kind));
                }
            }),
            Form::Protobuf(bytes) => {
                visit_fields(bytes, self.message, |place, raw| values[place] = Some(raw))
            }
        }
        Fields { node: self, values }
    }
}

impl<'a> Fields<'a> {
    /// Whether the message is in JSON.
    pub(super) fn is_json(&self) -> bool {
        matches!(self.node.form, Form::Json(_))
    }

    /// The value of a field.
    pub fn get(&self, name: &str) -> Option<Value<'a>> {
        self.present().find(|value| value.field.name == name)
    }

    /// The values that are there, in the order of the table.
    pub fn present(&self) -> impl Iterator<Item = Value<'a>> {
        let fields = self.node.message.fields.iter().zip(self.values);
        fields.filter_map(|(field, raw)| Some(Value { field, raw: raw? }))
    }

    /// The items of a list of the envelope.
    pub fn each(
        &self,
        name: &str,
        mut visit: impl FnMut(Node<'a>) -> Result<(), NotOtlp>,
    ) -> Result<(), NotOtlp> {
        let is_array = |raw: Raw<'_>| matches!(raw, Raw::Json(_, SpanKind::Array) | Raw::Bytes(_));
        if self.get(name).is_some_and(|value| !is_array(value.raw)) {
            return Err(NotOtlp);
        }
        let mut outcome = Ok(());
        self.items(name, |item| {
            if outcome.is_ok() {
                outcome = item.ok_or(NotOtlp).and_then(&mut visit);
            }
        });
        outcome
    }

    /// The items of a list; `None` for one that is no message.
    pub fn items(&self, name: &str, mut visit: impl FnMut(Option<Node<'a>>)) {
        let Some((place, field)) =
            self.node.message.fields.iter().enumerate().find(|(_, field)| field.name == name)
        else {
            return;
        };
        let Kind::Message(of) = field.kind else { return };
        let message = message_at(of);
        match (self.node.form, self.values[place]) {
            (Form::Json(_), Some(Raw::Json(text, SpanKind::Array))) => visit_array(text, |item| {
                let form = Form::Json(&text[item.start..item.end]);
                visit((item.kind == SpanKind::Object).then_some(Node { form, message }));
            }),
            (Form::Json(_), _) => {}
            (Form::Protobuf(bytes), _) => visit_fields(bytes, self.node.message, |at, raw| {
                if let (true, Raw::Bytes(bytes)) = (at == place, raw) {
                    visit(Some(Node { form: Form::Protobuf(bytes), message }));
                }
            }),
        }
    }

    /// The message that a field holds.
    pub fn node(&self, name: &str) -> Option<Node<'a>> {
        self.get(name)?.node()
    }

    /// A text that is well-formed and not empty.
    pub fn text(&self, name: &str) -> Option<Cow<'a, str>> {
        self.get(name)?.text().filter(|text| !text.is_empty())
    }

    /// An unsigned number that is not 0: a time, as a number the whole value of its double.
    pub fn time(&self, name: &str) -> Option<u64> {
        let time = match self.get(name)?.raw {
            Raw::Fixed(time) => time,
            Raw::Json(text, SpanKind::Number) => time_of(parse_number(text))?,
            Raw::Json(text, kind) => u64::try_from(whole(text, kind)?).ok()?,
            Raw::Varint(_) | Raw::Bytes(_) => return None,
        };
        (time > 0).then_some(time)
    }

    /// The number of a word.
    pub fn code(&self, name: &str) -> Option<u64> {
        match self.get(name)?.raw {
            Raw::Varint(code) => Some(code),
            Raw::Json(text, SpanKind::Number) => u64::try_from(whole(text, SpanKind::Number)?).ok(),
            Raw::Json(..) | Raw::Fixed(_) | Raw::Bytes(_) => None,
        }
    }

    /// An id in lower-case hexadecimal; `None` for one of another length, and for one of zeros.
    pub fn id(&self, name: &str) -> Option<String> {
        let value = self.get(name)?;
        let Kind::Id(length) = value.field.kind else { return None };
        let id = match value.raw {
            Raw::Bytes(bytes) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
            _ => value.text()?.to_ascii_lowercase(),
        };
        let is_id = id.len() == 2 * length && id.bytes().all(|digit| hex_value(digit).is_some());
        (is_id && id.bytes().any(|digit| digit != b'0')).then_some(id)
    }
}

impl<'a> Value<'a> {
    /// A value in JSON.
    pub(super) fn of_json(field: &'static OtlpField, text: &'a str, kind: SpanKind) -> Self {
        Self { field, raw: Raw::Json(text, kind) }
    }

    /// The text of a list in JSON.
    pub(super) fn json_list(self) -> Option<&'a str> {
        if let Raw::Json(text, SpanKind::Array) = self.raw { Some(text) } else { None }
    }

    /// The message.
    pub fn node(self) -> Option<Node<'a>> {
        let Kind::Message(place) = self.field.kind else { return None };
        let form = match self.raw {
            Raw::Json(text, SpanKind::Object) => Form::Json(text),
            Raw::Bytes(bytes) => Form::Protobuf(bytes),
            Raw::Json(..) | Raw::Varint(_) | Raw::Fixed(_) => return None,
        };
        Some(Node { form, message: message_at(place) })
    }

    /// A text that is well-formed.
    pub fn text(self) -> Option<Cow<'a, str>> {
        match self.raw {
            Raw::Json(token, SpanKind::String) => decode_token(token, false).ok(),
            Raw::Json(token, SpanKind::EscapedString) => decode_token(token, true).ok(),
            Raw::Bytes(bytes) => {
                std::str::from_utf8(bytes).ok().filter(|text| !text.contains('\0')).map(Cow::Borrowed)
            }
            Raw::Json(..) | Raw::Varint(_) | Raw::Fixed(_) => None,
        }
    }

    /// The bytes of a value of Protobuf.
    pub fn bytes(self) -> Option<&'a [u8]> {
        if let Raw::Bytes(bytes) = self.raw { Some(bytes) } else { None }
    }

    /// A truth value.
    pub fn bool(self) -> Option<bool> {
        match self.raw {
            Raw::Json(text, SpanKind::Bool) => Some(text == "true"),
            Raw::Varint(value) => Some(value != 0),
            Raw::Json(..) | Raw::Fixed(_) | Raw::Bytes(_) => None,
        }
    }

    /// A signed number of 64 bits.
    pub fn integer(self) -> Option<i64> {
        match self.raw {
            Raw::Varint(value) => Some(value.cast_signed()),
            Raw::Json(text, kind) => i64::try_from(whole(text, kind)?).ok(),
            Raw::Fixed(_) | Raw::Bytes(_) => None,
        }
    }

    /// A double, which need not be finite.
    pub fn double(self) -> Option<f64> {
        match self.raw {
            Raw::Fixed(bits) => Some(f64::from_bits(bits)),
            Raw::Json(text, SpanKind::Number) => Some(parse_number(text)),
            Raw::Json(..) => matches!(&*self.text()?, "NaN" | "Infinity" | "-Infinity").then_some(f64::NAN),
            Raw::Varint(_) | Raw::Bytes(_) => None,
        }
    }
}

/// A whole number in JSON: a number of at most 2^53-1, or a text of digits.
fn whole(token: &str, kind: SpanKind) -> Option<i128> {
    if kind == SpanKind::Number {
        let value = parse_number(token);
        #[expect(clippy::cast_precision_loss, reason = "2^53-1 is a double")]
        let is_exact = value.fract() == 0.0 && value.abs() <= LIMITS.max_integer as f64;
        #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and below 2^53")]
        return is_exact.then_some(value as i128);
    }
    if !matches!(kind, SpanKind::String | SpanKind::EscapedString) {
        return None;
    }
    let text = decode_token(token, kind == SpanKind::EscapedString).ok()?;
    let digits = text.strip_prefix('-').unwrap_or(&text);
    let is_plain =
        (1..=MOST_DIGITS).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_digit());
    is_plain.then(|| text.parse().ok()).flatten()
}

/// The time that a double is; `None` for one with a fraction, and for one that 64 bits do not hold.
fn time_of(value: f64) -> Option<u64> {
    const END: f64 = 18_446_744_073_709_551_616.0;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked to be whole, not negative and below 2^64"
    )]
    (value.fract() == 0.0 && (0.0..END).contains(&value)).then_some(value as u64)
}

/// Calls `visit` with the name and the value of every member of an object.
fn visit_object(object: &str, mut visit: impl FnMut(&str, Span)) {
    let mut scanner = Scanner::new(object.as_bytes());
    let scanned = scanner.members(1, |scanner, key| {
        let name = decode_token(&object[key.start..key.end], key.kind == SpanKind::EscapedString);
        let value = scanner.skip_value(1)?;
        if let Ok(name) = name {
            visit(&name, value);
        }
        Ok(())
    });
    debug_assert!(scanned.is_ok(), "an object was scanned with its body");
}

/// Calls `visit` with every element of an array.
fn visit_array(array: &str, mut visit: impl FnMut(Span)) {
    let mut scanner = Scanner::new(array.as_bytes());
    let scanned = scanner.elements(1, |scanner| {
        visit(scanner.skip_value(1)?);
        Ok(())
    });
    debug_assert!(scanned.is_ok(), "an array was scanned with its body");
}

/// Calls `visit` with the place and the value of every known field.
fn visit_fields<'a>(bytes: &'a [u8], message: &'static Message, mut visit: impl FnMut(usize, Raw<'a>)) {
    let mut walker = Walker::new(bytes);
    while !walker.is_done() {
        let mut found = None;
        let value = walker.field(|number| {
            found = message.fields.iter().position(|field| field.number == number);
            found.map(|place| message.fields[place].kind.wire_form())
        });
        // The check has passed, so there is no fault.
        let Ok(value) = value else { return };
        if let (Some(place), Some((_, bytes))) = (found, value) {
            let raw = match message.fields[place].kind {
                Kind::Int64 | Kind::Bool | Kind::Enum => Raw::Varint(varint_of(bytes)),
                Kind::Fixed64 | Kind::Double => {
                    Raw::Fixed(u64::from_le_bytes(bytes.try_into().unwrap_or_default()))
                }
                Kind::Text | Kind::Bytes | Kind::Id(_) | Kind::Message(_) => Raw::Bytes(bytes),
            };
            visit(place, raw);
        }
    }
}
