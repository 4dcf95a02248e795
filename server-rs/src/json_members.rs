//! Reads some members of a JSON object as `JSON.parse` does, which the other server uses.
//!
//! The last of equal keys counts, and the other members may hold anything that is JSON, nested at any depth. Only the
//! named members take memory.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::number::parse_integer;

/// Returns the named members of the object; `None` for an absent one.
pub(crate) fn read_members<'de, D: Deserializer<'de>, const N: usize>(
    json: D,
    names: [&str; N],
) -> Result<[Option<&'de RawValue>; N], D::Error> {
    struct Members<'n, const N: usize>([&'n str; N]);

    impl<'de, const N: usize> Visitor<'de> for Members<'_, N> {
        type Value = [Option<&'de RawValue>; N];

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut members = [None; N];
            while let Some(key) = map.next_key::<&RawValue>()? {
                // A key that is no text, such as a lone surrogate, equals no name.
                let key: Option<Cow<'_, str>> = serde_json::from_str(key.get()).ok();
                match self.0.iter().position(|name| key.as_deref() == Some(*name)) {
                    Some(index) => members[index] = Some(map.next_value()?),
                    None => _ = map.next_value::<IgnoredAny>()?,
                }
            }
            Ok(members)
        }
    }

    json.deserialize_map(Members(names))
}

/// Returns the named members of a text that is one object.
pub(crate) fn members_of<'t, const N: usize>(
    text: &'t str,
    names: [&str; N],
) -> Option<[Option<&'t RawValue>; N]> {
    let mut json = serde_json::Deserializer::from_str(text);
    let members = read_members(&mut json, names).ok()?;
    json.end().is_ok().then_some(members)
}

/// Returns the value of a whole number from 0 to 2^53-1 in any spelling.
pub(crate) fn count_of(value: Option<&RawValue>) -> Option<u64> {
    parse_integer(value?.get()).and_then(|count| count.try_into().ok())
}

/// Returns the text of a string.
pub(crate) fn text_of(value: Option<&RawValue>) -> Option<String> {
    serde_json::from_str(value?.get()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_of_equal_keys_counts() {
        let [a, b, c] =
            members_of(r#" {"a":"x","b":[1 ],"\ud800":{},"\u0061":7} "#, ["a", "b", "c"]).expect("an object");
        assert_eq!((a.map(RawValue::get), b.map(RawValue::get)), (Some("7"), Some("[1 ]")));
        assert!(c.is_none());
    }

    #[test]
    fn other_members_may_be_nested_at_any_depth() {
        let deep = format!(r#"{{"x":{}{},"a":1}}"#, "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(members_of(&deep, ["a"]).map(|[a]| count_of(a)), Some(Some(1)));
        let deep = deep.replacen('x', "a", 1);
        assert_eq!(members_of(&deep, ["a"]).map(|[a]| count_of(a)), Some(Some(1)));
    }

    #[test]
    fn any_other_text_has_no_members() {
        for text in ["", "[]", "[1]", "null", "{} {}", "{}x", "{\"a\":}", "{\"a\":01}", "{\"x\":\"\n\"}", "{"]
        {
            assert!(members_of(text, ["a"]).is_none(), "{text}");
        }
    }

    #[test]
    fn counts_and_texts_have_their_type() {
        for (value, count, text) in [
            ("1", Some(1), None),
            ("-0", Some(0), None),
            ("1.0", Some(1), None),
            ("9007199254740991", Some(9_007_199_254_740_991), None),
            ("9007199254740992", None, None),
            ("18446744073709551616", None, None),
            ("1e400", None, None),
            ("-1", None, None),
            ("0.5", None, None),
            ("null", None, None),
            ("[1]", None, None),
            (r#""1""#, None, Some("1")),
            (r#""\u0041""#, None, Some("A")),
            (r#""\ud800""#, None, None),
        ] {
            let object = format!(r#"{{"a":{value}}}"#);
            let [a] = members_of(&object, ["a"]).expect(value);
            assert_eq!((count_of(a), text_of(a).as_deref()), (count, text), "{value}");
        }
        assert_eq!((count_of(None), text_of(None)), (None, None));
    }
}
