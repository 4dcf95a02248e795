//! Describes a problem of an argument: its place and a message (rule RPC-03).

use std::fmt::Display;

use crate::contract::{LIMITS, VOCABULARY, fill};
use crate::rpc::schema::Type;

/// The first problem of a call's arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// A JSON Pointer into `params` (RFC 6901).
    pub path: String,
    /// A message of the vocabulary.
    pub message: String,
}

impl Problem {
    /// Creates a problem of the current value.
    pub fn new(message: &str) -> Self {
        Self { path: String::new(), message: message.to_owned() }
    }

    /// Creates the problem of a value that does not have this type.
    pub fn of_type(kind: &Type) -> Self {
        let messages = &VOCABULARY.rpc_messages;
        match kind {
            Type::Long => Self::new(messages.long),
            Type::Double => Self::new(messages.double),
            Type::Boolean => Self::new(messages.boolean),
            Type::Text => Self::new(messages.string),
            Type::Dictionary(_) | Type::Options(_) | Type::Any => Self::new(messages.dictionary),
            Type::Sequence(_) => {
                let limit = LIMITS.rpc_sequence_items.to_string();
                Self::new(&fill(messages.sequence, &[("limit", &limit)]))
            }
        }
    }

    /// Prefixes the path with the name or index in the enclosing container. Names come from the schema, so no
    /// character needs an escape in a pointer.
    #[must_use]
    pub fn under(self, name: impl Display) -> Self {
        Self { path: format!("/{name}{}", self.path), ..self }
    }
}
