//! Collects the problems of a mapping, each with its place, while it is compiled.
//!
//! Invariant: the compiler reports every problem and continues, so that one run names them all.

use std::cell::RefCell;
use std::fmt::Display;

use thiserror::Error;

/// A file with a mapping that no event can come from.
#[derive(Debug, Error)]
#[error("{}", .problems.join("\n"))]
pub struct MappingError {
    /// The problems, each with its place.
    pub problems: Vec<String>,
}

/// A place in a file, and the list that its problems go to.
#[derive(Debug, Clone)]
pub(super) struct Place<'p> {
    at: String,
    problems: &'p RefCell<Vec<String>>,
}

impl<'p> Place<'p> {
    /// Returns the place of a whole file of an agent.
    pub(super) fn of_file(agent: &str, stem: &str, problems: &'p RefCell<Vec<String>>) -> Self {
        Self { at: format!("agents/{agent}/{stem}.json: "), problems }
    }

    /// Returns the place of a member or an item.
    pub(super) fn within(&self, name: impl Display) -> Self {
        let slash = if self.is_file() { "" } else { "/" };
        Self { at: format!("{}{slash}{name}", self.at), problems: self.problems }
    }

    pub(super) fn problem(&self, text: impl Display) {
        let colon = if self.is_file() { "" } else { ": " };
        self.problems.borrow_mut().push(format!("{}{colon}{text}", self.at));
    }

    /// Returns the word of a list that equals this one; without one the problem is reported.
    pub(super) fn word(&self, word: &str, words: &'static [&'static str]) -> Option<&'static str> {
        let known = words.iter().copied().find(|known| *known == word);
        if known.is_none() {
            self.problem(format_args!("\"{word}\" is none of {}", words.join(" ")));
        }
        known
    }

    fn is_file(&self) -> bool {
        self.at.ends_with(": ")
    }
}
