//! Reads OTLP messages within a body, in JSON or Protobuf (rules OTL-02 and OTL-03).
//!
//! Invariant: the body was checked before, so an unreadable value is absent. The reader goes field by field through a
//! message and item by item through its lists, and keeps nothing of the lists.

use std::borrow::Cow;

use crate::event::{Span, SpanKind};
use crate::formats::protobuf_check::{Walker, varint_of};
use crate::scanner::Scanner;
use crate::telemetry::otlp::{Kind, MOST_FIELDS, Message, message_at};
use crate::telemetry::value::{Raw, Value};
use crate::text::decode_token;

/// A list of the envelope is not an array, or an item of it is not an object.
#[derive(Debug, PartialEq, Eq)]
pub struct NotOtlp;

/// The bytes of a message.
#[derive(Debug, Clone, Copy)]
pub enum Form<'a> {
    /// The text of an object.
    Json(&'a str),
    /// The encoded fields.
    Protobuf(&'a [u8]),
}

/// A message within a body.
#[derive(Debug, Clone, Copy)]
pub struct Node<'a> {
    /// Its bytes.
    pub form: Form<'a>,
    /// Its type.
    pub message: &'static Message,
}

/// The present fields of a message, the last of equal ones. Protobuf lists are not included.
pub struct Fields<'a> {
    node: Node<'a>,
    values: [Option<Raw<'a>>; MOST_FIELDS],
}

impl<'a> Node<'a> {
    /// Returns its encoded size in bytes.
    pub fn size(&self) -> usize {
        match self.form {
            Form::Json(text) => text.len(),
            Form::Protobuf(bytes) => bytes.len(),
        }
    }

    /// Returns its fields.
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
    /// Returns whether the message is in JSON.
    pub(super) fn is_json(&self) -> bool {
        matches!(self.node.form, Form::Json(_))
    }

    /// Returns the value of a field.
    pub fn get(&self, name: &str) -> Option<Value<'a>> {
        self.present().find(|value| value.field.name == name)
    }

    /// Returns the present values, in the order of the table.
    pub fn present(&self) -> impl Iterator<Item = Value<'a>> {
        let fields = self.node.message.fields.iter().zip(self.values);
        fields.filter_map(|(field, raw)| Some(Value { field, raw: raw? }))
    }

    /// Visits the items of a list of the envelope; fails when the list or an item has another type.
    pub fn each(
        &self,
        name: &str,
        mut visit: impl FnMut(Node<'a>) -> Result<(), NotOtlp>,
    ) -> Result<(), NotOtlp> {
        if self.is_json() && self.get(name).is_some_and(|value| value.json_list().is_none()) {
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

    /// Visits the items of a list; `None` for an item that is not a message.
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

    /// Returns the message of a field.
    pub fn node(&self, name: &str) -> Option<Node<'a>> {
        self.get(name)?.node()
    }

    /// Returns a text that is well-formed and not empty.
    pub fn text(&self, name: &str) -> Option<Cow<'a, str>> {
        self.get(name)?.text().filter(|text| !text.is_empty())
    }

    /// Returns a time.
    pub fn time(&self, name: &str) -> Option<u64> {
        self.get(name)?.time()
    }

    /// Returns an id.
    pub fn id(&self, name: &str) -> Option<String> {
        self.get(name)?.id()
    }
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

/// Calls `visit` with the position and the value of every known field.
fn visit_fields<'a>(bytes: &'a [u8], message: &'static Message, mut visit: impl FnMut(usize, Raw<'a>)) {
    let mut walker = Walker::new(bytes);
    while !walker.is_done() {
        let mut found = None;
        let value = walker.field(|number| {
            found = message.fields.iter().position(|field| field.number == number);
            found.map(|place| message.fields[place].kind.wire_form())
        });
        // The body has passed the check, so this cannot fail.
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
