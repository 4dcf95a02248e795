//! The grammar of `contract/agents.json` as types (`contract/mapping.schema.json`).
//!
//! Invariant: an unknown word or a value of another type is an error. The rules of transcripts are no part of it, since
//! only the command line reads these.

use serde::de::IgnoredAny;

use crate::mapping::forms::{Given, Members, Name, Never, True, given};

/// A text or several.
pub(super) type Texts = Given<Name, Never>;

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
