//! Tests whether a rule or a value applies: `match` and `unless` of `contract/mapping.md`. Pure.

use crate::mapping::forms::Members;
use crate::mapping::path::{Found, Path, PathScope, Source};
use crate::mapping::problems::Place;
use crate::mapping::spec::Texts;

#[derive(Debug)]
struct Condition {
    path: Path,
    /// The texts that hold; `None` for any.
    texts: Option<Box<[String]>>,
}

/// The conditions of a rule or of a value.
#[derive(Debug)]
pub struct Conditions {
    matched: Box<[Condition]>,
    unless: Box<[Condition]>,
}

const ANY: &str = "*";

impl Conditions {
    /// Compiles the members `match` and `unless`.
    pub(super) fn compile(
        matched: Members<Texts>,
        unless: Members<Texts>,
        place: &Place<'_>,
        scope: PathScope<'_>,
    ) -> Self {
        let list = |name: &str, members: Members<Texts>| {
            let at = place.within(name);
            let compiled = members.0.into_iter().map(|(path, texts)| {
                let at = at.within(&path);
                let texts = texts_of(texts, &at);
                Condition {
                    path: Path::compile(&path, &at, scope),
                    texts: (!texts.iter().any(|text| text == ANY)).then_some(texts),
                }
            });
            compiled.collect()
        };
        Self { matched: list("match", matched), unless: list("unless", unless) }
    }

    /// Returns whether the conditions hold.
    pub fn apply<'a>(&self, source: &impl Source<'a>) -> bool {
        self.matched.iter().all(|one| one.holds(source)) && !self.unless.iter().any(|one| one.holds(source))
    }

    /// Returns whether there is no condition.
    pub fn is_always(&self) -> bool {
        self.matched.is_empty() && self.unless.is_empty()
    }
}

impl Condition {
    fn holds<'a>(&self, source: &impl Source<'a>) -> bool {
        self.path.has(source, |value| self.is_met(value))
    }

    fn is_met(&self, value: &Found<'_>) -> bool {
        let Some(texts) = &self.texts else { return true };
        value.condition_text().is_some_and(|text| texts.iter().any(|one| *one == *text))
    }
}

/// Returns a text or the texts of a list.
pub(super) fn texts_of(texts: Texts, place: &Place<'_>) -> Box<[String]> {
    match texts {
        Texts::Text(text) => {
            if text.is_empty() {
                place.problem("is no text");
            }
            Box::new([text])
        }
        Texts::List(list) => list.into_iter().map(|text| text.0).collect(),
        Texts::Object(never) => match never {},
    }
}
