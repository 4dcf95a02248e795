//! Holds the mappings of agents (`contract/mapping.md`).
//!
//! Pure. Invariant: a mapping with an unknown word, a cycle or an impossible value stops the start.

/// Tests whether a rule or a value applies.
pub mod condition;
/// Compiles the mappings of agents.
pub mod compile;
/// Ids of events that are reported more than once.
pub mod event_id;
/// The values that fields may have.
pub mod field;
/// Finds values by their paths.
pub mod path;
/// The problems of a mapping, with their places.
pub mod problems;
/// Which records rules apply to, and the events that they make.
pub mod rule;
/// The grammar of a file of mappings.
mod spec;
/// Computes the values of fields.
pub mod value;

use std::sync::LazyLock;

use crate::contract::AGENTS_FILE;
use compile::{Agent, compile_agents};

/// The agents in the order in which records are matched.
pub static AGENTS: LazyLock<Vec<Agent>> =
    LazyLock::new(|| compile_agents(AGENTS_FILE).unwrap_or_else(|error| panic!("{error}")));
