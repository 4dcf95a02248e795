//! Names what is wrong with an argument: where it is, and a message (rule RPC-03).

use std::fmt::Display;

use crate::contract::{LIMITS, VOCABULARY, fill};
use crate::rpc::schema::Type;

/// The first thing that is wrong with the arguments of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// A JSON Pointer into `params` (RFC 6901).
    pub path: String,
    /// A message of the vocabulary.
    pub message: String,
}

impl Problem {
    /// A problem of the value that is being looked at.
    pub fn new(message: &str) -> Self {
        Self { path: String::new(), message: message.to_owned() }
    }

    /// A value of another type than this one.
    pub fn of_type(kind: &Type) -> Self {
        let messages = &VOCABULARY.rpc_messages;
        match kind {
            Type::Long => Self::new(&messages.long),
            Type::Double => Self::new(&messages.double),
            Type::Boolean => Self::new(&messages.boolean),
            Type::Text => Self::new(&messages.string),
            Type::Dictionary(_) | Type::Options(_) | Type::Any => Self::new(&messages.dictionary),
            Type::Sequence(_) => {
                let limit = LIMITS.rpc_sequence_items.to_string();
                Self::new(&fill(&messages.sequence, &[("limit", &limit)]))
            }
        }
    }

    /// The same, seen from the container that has it under this name or index. Names are those of the schema, so none
    /// has a character that a pointer would escape.
    #[must_use]
    pub fn under(self, name: impl Display) -> Self {
        Self { path: format!("/{name}{}", self.path), ..self }
    }
}
