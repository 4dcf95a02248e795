//! The grammar of `contract/agents.json` as types (`contract/mapping.schema.json`).
//!
//! Invariant: an unknown word or a value of another type is an error. The rules of transcripts are no part of it, since
//! only the command line reads these.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

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

/// A text or several.
pub(super) type Texts = Given<Name, Never>;

/// No value at all.
#[derive(Debug, Clone, serde::Deserialize)]
pub(super) enum Never {}

/// The value `true`.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(try_from = "bool")]
pub(super) struct True;

#[derive(Debug, Clone, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AgentSpec {
    #[serde(rename = "label")]
    pub(super) _label: Name,
    pub(super) agent_type: Name,
    #[serde(default, deserialize_with = "given")]
    pub(super) hooks: Option<HookSpec>,
    #[serde(default, deserialize_with = "given")]
    pub(super) telemetry: Option<TelemetrySpec>,
    #[serde(rename = "transcripts")]
    pub(super) _transcripts: Option<IgnoredAny>,
}

#[derive(Debug, Clone, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HookSpec {
    #[serde(rename = "source")]
    pub(super) _source: HookSource,
    pub(super) name: NameSpec,
    pub(super) summary: Vec<Name>,
    pub(super) fields: Members<ValueSpec>,
    pub(super) records: Members<EntrySpec>,
}

#[derive(Debug, Clone, serde::Deserialize)]
pub(super) enum HookSource {
    #[serde(rename = "hook")]
    Hook,
}

#[derive(Debug, Clone, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TelemetrySpec {
    #[serde(rename = "source")]
    pub(super) _source: TelemetrySource,
    pub(super) known_by: KnownBy,
    pub(super) name: NameSpec,
    pub(super) id: Vec<Name>,
    pub(super) omit: Vec<Name>,
    pub(super) fields: Members<ValueSpec>,
    pub(super) logs: Members<EntrySpec>,
    pub(super) spans: Members<EntrySpec>,
}

#[derive(Debug, Clone, serde::Deserialize)]
pub(super) enum TelemetrySource {
    #[serde(rename = "otel")]
    Otel,
}

#[derive(Debug, Clone, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KnownBy {
    #[serde(default, deserialize_with = "given")]
    pub(super) scopes: Option<Vec<Name>>,
    #[serde(default, deserialize_with = "given")]
    pub(super) services: Option<Vec<Name>>,
    #[serde(default, deserialize_with = "given")]
    pub(super) attribute_prefix: Option<Name>,
}

#[derive(Debug, Clone, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NameSpec {
    pub(super) from: Vec<Name>,
    #[serde(default, deserialize_with = "given")]
    pub(super) prefix: Option<Name>,
}

/// The rules of a name: `noise`, one rule, several, or the name that has them.
pub(super) type EntrySpec = Given<RuleSpec, RuleSpec>;

#[derive(Debug, Clone, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RuleSpec {
    /// The name whose rules are meant; then it has no other member.
    #[serde(rename = "as", default, deserialize_with = "given")]
    pub(super) other: Option<Name>,
    #[serde(rename = "match", default)]
    pub(super) conditions: Members<Texts>,
    #[serde(default)]
    pub(super) unless: Members<Texts>,
    #[serde(default, deserialize_with = "given")]
    pub(super) event_type: Option<Name>,
    #[serde(default)]
    pub(super) fields: Members<ValueSpec>,
    #[serde(default, deserialize_with = "given")]
    pub(super) same: Option<SameSpec>,
    #[serde(default, deserialize_with = "given")]
    pub(super) state: Option<Given<StateSpec, StateSpec>>,
}

#[derive(Debug, Clone, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SameSpec {
    pub(super) kind: Name,
    pub(super) from: Texts,
}

#[derive(Debug, Clone, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StateSpec {
    #[serde(rename = "match", default)]
    pub(super) conditions: Members<Texts>,
    #[serde(default)]
    pub(super) unless: Members<Texts>,
    #[serde(default, deserialize_with = "given")]
    pub(super) ends: Option<Ends>,
    #[serde(default, deserialize_with = "given")]
    pub(super) begins: Option<Name>,
    #[serde(default, deserialize_with = "given")]
    pub(super) reminds: Option<True>,
}

#[derive(Debug, Clone, Copy, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Ends {
    Agent,
    Session,
}

/// A path, a list of values, or a computed value.
#[derive(Debug, Clone, serde::Deserialize)]
pub(super) struct ValueSpec(pub(super) Given<ValueSpec, Box<ComputedSpec>>);

#[derive(Debug, Clone, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ComputedSpec {
    #[serde(default, deserialize_with = "given")]
    pub(super) from: Option<ValueSpec>,
    #[serde(default, deserialize_with = "given")]
    pub(super) sum: Option<Vec<ValueSpec>>,
    #[serde(default, deserialize_with = "given")]
    pub(super) less: Option<Vec<ValueSpec>>,
    #[serde(default, deserialize_with = "given")]
    pub(super) constant: Option<Constant>,
    #[serde(default, deserialize_with = "given")]
    pub(super) take: Option<Take>,
    #[serde(default, deserialize_with = "given")]
    pub(super) default: Option<Constant>,
    #[serde(rename = "match", default)]
    pub(super) conditions: Members<Texts>,
    #[serde(default)]
    pub(super) unless: Members<Texts>,
}

#[derive(Debug, Clone, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Take {
    LastSegment,
}

#[derive(Debug, Clone, serde::Deserialize)]
#[serde(untagged)]
pub(super) enum Constant {
    Text(String),
    Number(f64),
}

/// Reads the value of a member that may be missing but not `null`.
fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

impl RuleSpec {
    /// Returns the name whose rules are meant; the members next to it mean nothing.
    pub(super) fn meant(&self) -> Option<(&Name, bool)> {
        let Self { other, conditions, unless, event_type, fields, same, state } = self;
        let is_alone = [conditions, unless].iter().all(|members| members.0.is_empty())
            && fields.0.is_empty()
            && event_type.is_none()
            && same.is_none()
            && state.is_none();
        Some((other.as_ref()?, is_alone))
    }
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
