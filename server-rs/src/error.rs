//! Makes an error answer: a stable code, and the members that go with it.
//!
//! `contract/errors` has the status, public text and `Retry-After` of each code. This module knows nothing of HTTP
//! types; `http/reply` turns a failure into an answer.

use serde_json::{Map, Value};

pub use crate::contract::errors::ErrorCode;

/// A code, further members of the answer, and whether the connection closes.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// The stable code.
    pub code: ErrorCode,
    /// Members of the answer after `error` and `code`, in their order.
    pub members: Map<String, Value>,
    /// Whether the connection closes after this answer.
    pub close: bool,
}

impl Failure {
    /// Creates a failure with only a code.
    pub fn new(code: ErrorCode) -> Self {
        Self { code, members: Map::new(), close: false }
    }

    /// Adds a member.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.members.insert(name.to_owned(), value.into());
        self
    }

    /// Makes the connection close after the answer.
    #[must_use]
    pub fn closing(mut self) -> Self {
        self.close = true;
        self
    }
}

impl From<ErrorCode> for Failure {
    fn from(code: ErrorCode) -> Self {
        Self::new(code)
    }
}
