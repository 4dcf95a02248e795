//! The names of records: `name` of `contract/mapping.md`. Pure.

use std::borrow::Cow;

use crate::mapping::path::{Path, PathScope};
use crate::mapping::problems::Place;
use crate::mapping::spec::NameSpec;

/// The paths of a record's name.
#[derive(Debug)]
pub struct NameRule {
    /// The first text counts.
    pub from: Vec<Path>,
    /// Removed from the name.
    pub prefix: String,
}

impl NameRule {
    pub(super) fn compile(spec: &NameSpec, place: &Place<'_>, scope: PathScope<'_>) -> Self {
        let place = place.within("name").within("from");
        let from = spec.from.iter().enumerate();
        Self {
            from: from.map(|(at, name)| Path::compile(&name.0, &place.within(at), scope)).collect(),
            prefix: spec.prefix.as_ref().map(|prefix| prefix.0.clone()).unwrap_or_default(),
        }
    }

    /// Returns a name without the prefix.
    pub fn short<'a>(&self, name: &'a str) -> &'a str {
        name.strip_prefix(&*self.prefix).unwrap_or(name)
    }

    /// Returns a name with the prefix: the `source_event` of its events.
    pub fn full<'a>(&self, name: Cow<'a, str>) -> Cow<'a, str> {
        if name.starts_with(&*self.prefix) { name } else { Cow::Owned(format!("{}{name}", self.prefix)) }
    }
}
