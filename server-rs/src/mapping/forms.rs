//! Types of values that have several forms (`contract/mapping.schema.json`).
//!
//! Invariant: a value of another form is an error with its place.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// The members of an object in their order.
#[derive(Debug, Clone)]
pub(super) struct Members<T>(pub(super) Vec<(String, T)>);

/// A text that is not empty.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Name(pub(super) String);

/// A text, a list or an object.
#[derive(Debug, Clone)]
pub(super) enum Given<L, O> {
    Text(String),
    List(Vec<L>),
    Object(O),
}

/// No value at all.
#[derive(Debug, Clone, serde::Deserialize)]
pub(super) enum Never {}

/// The value `true`.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(try_from = "bool")]
pub(super) struct True;

/// Reads the value of a member that may be missing but not `null`.
pub(super) fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

impl TryFrom<String> for Name {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        if text.is_empty() { Err("is no text") } else { Ok(Self(text)) }
    }
}

impl TryFrom<bool> for True {
    type Error = &'static str;

    fn try_from(value: bool) -> Result<Self, Self::Error> {
        if value { Ok(Self) } else { Err("is not true") }
    }
}

impl<T> Default for Members<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Members<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MembersVisitor<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for MembersVisitor<T> {
            type Value = Members<T>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(MembersVisitor(PhantomData))
    }
}

impl<'de, L: Deserialize<'de>, O: Deserialize<'de>> Deserialize<'de> for Given<L, O> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct GivenVisitor<L, O>(PhantomData<(L, O)>);

        impl<'de, L: Deserialize<'de>, O: Deserialize<'de>> Visitor<'de> for GivenVisitor<L, O> {
            type Value = Given<L, O>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a text, a list or an object")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Given::Text(text.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
                Deserialize::deserialize(SeqAccessDeserializer::new(list)).map(Given::List)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                Deserialize::deserialize(MapAccessDeserializer::new(map)).map(Given::Object)
            }
        }

        deserializer.deserialize_any(GivenVisitor(PhantomData))
    }
}

/// Returns the texts of a list.
pub(super) fn texts(names: Vec<Name>) -> Vec<String> {
    names.into_iter().map(|name| name.0).collect()
}
