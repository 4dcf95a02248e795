//! Writes the values of attributes as JSON text (rule OTL-04).
//!
//! Pure. Text is escaped as `JSON.stringify` does, so that both encodings of a value yield the same text. Invariant:
//! the check of a body bounds the nesting depth, so the writer may recurse.

use std::collections::HashMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::number::print_number;
use crate::telemetry::json_values::{read_attributes, read_value};
use crate::telemetry::message::{Fields, Form, Node};
use crate::telemetry::otlp::Kind;
use crate::telemetry::value::Value;
use crate::text::push_json;

/// The JSON texts of values by key, in order.
#[derive(Debug, Default)]
pub struct Attributes {
    items: Vec<(String, String)>,
    places: HashMap<String, usize>,
}

impl Attributes {
    /// Reads the attributes of a message's list whose keys and JSON texts are `wanted`.
    pub fn read(fields: &Fields<'_>, list: &str, mut wanted: impl FnMut(&str, &str) -> bool) -> Self {
        if fields.is_json() {
            let list = fields.get(list).and_then(Value::json_list);
            return list.map_or_else(Self::default, |list| read_attributes(list, wanted));
        }
        let mut attributes = Self::default();
        fields.items(list, |item| {
            let Some(fields) = item.map(Node::fields) else { return };
            let (Some(key), Some(value)) = (fields.text("key"), fields.node("value")) else { return };
            if let Some(json) = value_json(value)
                && wanted(&key, &json)
            {
                attributes.set(&key, json);
            }
        });
        attributes
    }

    /// Sets the value of a key, at the position of an earlier one.
    pub fn set(&mut self, key: &str, json: String) {
        match self.places.get(key) {
            Some(place) => self.items[*place].1 = json,
            None => {
                self.places.insert(key.to_owned(), self.items.len());
                self.items.push((key.to_owned(), json));
            }
        }
    }

    /// Returns the JSON text of a value.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.places.get(key).map(|place| &*self.items[*place].1)
    }

    /// Returns all keys and values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.items.iter().map(|(key, json)| (&**key, &**json))
    }

    /// Returns the JSON text of an object with these members.
    pub fn json(&self) -> String {
        let mut json = String::from("{");
        for (key, value) in self.iter() {
            push_member(&mut json, key, value);
        }
        json.push('}');
        json
    }
}

/// Returns the JSON text of a string.
pub fn text_json(text: &str) -> String {
    let mut json = String::with_capacity(text.len() + 2);
    push_json(&mut json, text);
    json
}

/// Appends a member to an object without its closing brace.
pub(super) fn push_member(object: &mut String, key: &str, value: &str) {
    if !object.ends_with('{') {
        object.push(',');
    }
    push_json(object, key);
    object.push(':');
    object.push_str(value);
}

/// Returns the contents of a JSON string.
pub fn string_of(json: &str) -> Option<String> {
    json.starts_with('"').then(|| serde_json::from_str(json).ok()).flatten()
}

/// Returns the JSON text of an `AnyValue`: that of its first present value.
pub fn value_json(node: Node<'_>) -> Option<String> {
    match node.form {
        Form::Json(text) => read_value(text, node.message),
        Form::Protobuf(_) => node.fields().present().find_map(|value| match value.field.kind {
            Kind::Message(_) => list_json(value.node()?),
            _ => scalar_json(value),
        }),
    }
}

/// Returns the JSON text of a scalar value.
pub(super) fn scalar_json(value: Value<'_>) -> Option<String> {
    match value.field.kind {
        Kind::Text => Some(text_json(&value.text()?)),
        Kind::Bool => Some(value.bool()?.to_string()),
        Kind::Int64 => Some(value.integer()?.to_string()),
        Kind::Double => Some(double_json(value.double()?)),
        // In JSON the value is already base64.
        Kind::Bytes => match value.bytes() {
            Some(bytes) => Some(text_json(&STANDARD.encode(bytes))),
            None => Some(text_json(&value.text()?)),
        },
        Kind::Fixed64 | Kind::Enum | Kind::Id(_) | Kind::Message(_) => None,
    }
}

fn double_json(value: f64) -> String {
    let mut text = Vec::new();
    if value.is_finite() {
        print_number(&mut text, value);
    } else {
        text.extend_from_slice(b"null");
    }
    String::from_utf8(text).unwrap_or_default()
}

/// Returns a Protobuf array, or a map as an object.
fn list_json(node: Node<'_>) -> Option<String> {
    const LIST: &str = "values";
    if node.message.name == "KeyValueList" {
        return Some(Attributes::read(&node.fields(), LIST, |_, _| true).json());
    }
    let (mut json, mut is_whole) = (String::from("["), true);
    node.fields().items(LIST, |item| match item.and_then(value_json) {
        Some(element) => {
            json.push_str(if json.len() == 1 { "" } else { "," });
            json.push_str(&element);
        }
        None => is_whole = false,
    });
    json.push(']');
    is_whole.then_some(json)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::tests::bytes;
    use crate::telemetry::otlp::message_of;

    fn node(form: Form<'_>) -> Node<'_> {
        Node { form, message: message_of("AnyValue").expect("a message") }
    }

    #[test]
    fn a_value_is_the_same_in_both_encodings() {
        let cases = [
            (r#"{"stringValue":"a\u0041\/"}"#, "0a0361412f", Some(r#""aA/""#)),
            (r#"{"stringValue":""}"#, "0a00", Some(r#""""#)),
            (r#"{"boolValue":true}"#, "1001", Some("true")),
            (
                r#"{"intValue":"-9223372036854775808"}"#,
                "1880808080808080808001",
                Some("-9223372036854775808"),
            ),
            (r#"{"intValue":7.0}"#, "1807", Some("7")),
            (r#"{"doubleValue":0.5}"#, "21000000000000e03f", Some("0.5")),
            (r#"{"doubleValue":-0.0}"#, "210000000000000080", Some("0")),
            (r#"{"doubleValue":"N\u0061N"}"#, "21000000000000f87f", Some("null")),
            (
                r#"{"arrayValue":{"values":[{"intValue":1},{"boolValue":false}]}}"#,
                "2a080a0218010a021000",
                Some("[1,false]"),
            ),
            (r#"{"arrayValue":{}}"#, "2a00", Some("[]")),
            (r#"{"arrayValue":{"values":[{}]}}"#, "2a020a00", None),
            (
                r#"{"kvlistValue":{"values":[{"key":"a","value":{"intValue":1}},{"key":"b"},{"key":"a","value":{"intValue":2}}]}}"#,
                "32170a070a01611202 18010a030a01620a070a016112021802",
                Some(r#"{"a":2}"#),
            ),
            (r#"{"bytesValue":"AQI="}"#, "3a020102", Some(r#""AQI=""#)),
            (r#"{}"#, "", None),
            (r#"{"stringValue":"\u0000","intValue":1}"#, "0a01001801", Some("1")),
            (r#"{"intValue":1,"stringValue":"x"}"#, "18010a0178", Some(r#""x""#)),
        ];
        for (json, hex, expected) in cases {
            let body = bytes(hex);
            assert_eq!(value_json(node(Form::Protobuf(&body))).as_deref(), expected, "{hex}");
            assert_eq!(value_json(node(Form::Json(json))).as_deref(), expected, "{json}");
        }
    }

    #[test]
    fn values_of_another_type_are_absent() {
        for json in [
            r#"{"stringValue":7}"#,
            r#"{"stringValue":"\ud800"}"#,
            r#"{"stringValue":null}"#,
            r#"{"boolValue":"true"}"#,
            r#"{"intValue":"9223372036854775808"}"#,
            r#"{"intValue":"000000000000000000001"}"#,
            r#"{"intValue":9007199254740992}"#,
            r#"{"intValue":"+1"}"#,
            r#"{"intValue":1.5}"#,
            r#"{"doubleValue":"1"}"#,
            r#"{"arrayValue":[]}"#,
            r#"{"arrayValue":{"values":[{}]}}"#,
            r#"{"arrayValue":{"values":[7]}}"#,
        ] {
            assert_eq!(value_json(node(Form::Json(json))), None, "{json}");
        }
        assert_eq!(
            value_json(node(Form::Json(r#"{"kvlistValue":{"values":{}}}"#))).as_deref(),
            Some("{}"),
            "a list that is no array is empty"
        );
    }
}
