//! Reads attribute values in JSON as JSON text, in one pass at any nesting depth (rule OTL-04).
//!
//! Invariant: the body was scanned before, so an unreadable value is absent.

use crate::event::SpanKind;
use crate::scanner::{Scan, Scanner};
use crate::telemetry::otlp::{Kind, MOST_FIELDS, Message, message_at, message_of};
use crate::telemetry::value::Value;
use crate::telemetry::values::{Attributes, scalar_json};
use crate::text::decode_token;

/// The list of an array or of a map.
const VALUES: &str = "values";

/// Returns the JSON text of a value of this message type.
pub(super) fn read_value(text: &str, message: &'static Message) -> Option<String> {
    any_value(&mut Scanner::new(text.as_bytes()), text, message).ok().flatten()
}

/// Returns the attributes of a list that are `wanted`.
pub(super) fn read_attributes(text: &str, wanted: impl FnMut(&str, &str) -> bool) -> Attributes {
    key_values(&mut Scanner::new(text.as_bytes()), text, wanted).unwrap_or_default()
}

fn any_value(scanner: &mut Scanner<'_>, text: &str, message: &'static Message) -> Scan<Option<String>> {
    let mut values: [Option<String>; MOST_FIELDS] = Default::default();
    each_member(scanner, text, |scanner, name| {
        let Some(place) = message.fields.iter().position(|field| field.name == name) else {
            return scanner.skip_value(1).map(|_| ());
        };
        let field = &message.fields[place];
        values[place] = match field.kind {
            Kind::Message(of) => list(scanner, text, message_at(of))?,
            _ => {
                let span = scanner.skip_value(1)?;
                scalar_json(Value::of_json(field, &text[span.start..span.end], span.kind))
            }
        };
        Ok(())
    })?;
    Ok(values.into_iter().flatten().next())
}

/// Returns an array, or a map as an object; `None` for any other value and for an array with an absent element.
fn list(scanner: &mut Scanner<'_>, text: &str, message: &'static Message) -> Scan<Option<String>> {
    let item = message.fields.iter().find_map(|field| match field.kind {
        Kind::Message(of) if field.name == VALUES => Some(message_at(of)),
        _ => None,
    });
    let is_map = item.is_some_and(|item| item.name == "KeyValue");
    let mut json = Some(if is_map { "{}" } else { "[]" }.to_owned());
    let is_object = each_member(scanner, text, |scanner, name| {
        let (VALUES, Some(item)) = (name, item) else {
            return scanner.skip_value(1).map(|_| ());
        };
        json = if is_map {
            Some(key_values(scanner, text, |_, _| true)?.json())
        } else {
            let mut elements = Some(Vec::new());
            each_item(scanner, |scanner| {
                let element = any_value(scanner, text, item)?;
                elements = elements.take().zip(element).map(|(mut elements, element)| {
                    elements.push(element);
                    elements
                });
                Ok(())
            })?;
            elements.map(|elements| format!("[{}]", elements.join(",")))
        };
        Ok(())
    })?;
    Ok(json.filter(|_| is_object))
}

fn key_values(
    scanner: &mut Scanner<'_>,
    text: &str,
    mut wanted: impl FnMut(&str, &str) -> bool,
) -> Scan<Attributes> {
    let mut attributes = Attributes::default();
    let Some(message) = message_of("AnyValue") else { return Ok(attributes) };
    each_item(scanner, |scanner| {
        let (mut key, mut value) = (None, None);
        each_member(scanner, text, |scanner, name| {
            match name {
                "key" => {
                    let span = scanner.skip_value(1)?;
                    let is_text = matches!(span.kind, SpanKind::String | SpanKind::EscapedString);
                    let is_escaped = span.kind == SpanKind::EscapedString;
                    let token = &text[span.start..span.end];
                    key = is_text.then(|| decode_token(token, is_escaped).ok()).flatten();
                }
                "value" => value = any_value(scanner, text, message)?,
                _ => drop(scanner.skip_value(1)?),
            }
            Ok(())
        })?;
        if let (Some(key), Some(json)) = (key.filter(|key| !key.is_empty()), value)
            && wanted(&key, &json)
        {
            attributes.set(&key, json);
        }
        Ok(())
    })?;
    Ok(attributes)
}

/// Calls `member` with the name of each member, at its value; returns whether the value is an object.
fn each_member<'a>(
    scanner: &mut Scanner<'a>,
    text: &str,
    mut member: impl FnMut(&mut Scanner<'a>, &str) -> Scan<()>,
) -> Scan<bool> {
    if scanner.peek() != Some(b'{') {
        scanner.skip_value(1)?;
        return Ok(false);
    }
    scanner.members(1, |scanner, key| {
        let token = &text[key.start..key.end];
        match decode_token(token, key.kind == SpanKind::EscapedString) {
            Ok(name) => member(scanner, &name),
            Err(_) => scanner.skip_value(1).map(|_| ()),
        }
    })?;
    Ok(true)
}

/// Calls `item` at each item of an array; any other value has no items.
fn each_item<'a>(scanner: &mut Scanner<'a>, item: impl FnMut(&mut Scanner<'a>) -> Scan<()>) -> Scan<()> {
    if scanner.peek() == Some(b'[') { scanner.elements(1, item) } else { scanner.skip_value(1).map(|_| ()) }
}
