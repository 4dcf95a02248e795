//! Repeated strings by number: every agent, tool, branch … stands once in the table `names`.
//!
//! The writer's own copy is bounded; what it forgets is looked up again. After a rollback it is emptied, since
//! it may know numbers that were never committed.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, params};

use crate::contract::queries;

/// The kinds of names (`vocabulary.json`, `name_kinds`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the filter of its name")]
pub enum NameKind {
    AgentType,
    EventType,
    ToolName,
    Status,
    Branch,
    Project,
    Model,
    Source,
}

impl NameKind {
    /// All kinds, in the order of the vocabulary.
    pub const ALL: [NameKind; 8] = [
        NameKind::AgentType,
        NameKind::EventType,
        NameKind::ToolName,
        NameKind::Status,
        NameKind::Branch,
        NameKind::Project,
        NameKind::Model,
        NameKind::Source,
    ];

    /// As the table and the filters call it.
    pub fn as_str(self) -> &'static str {
        match self {
            NameKind::AgentType => "agent_type",
            NameKind::EventType => "event_type",
            NameKind::ToolName => "tool_name",
            NameKind::Status => "status",
            NameKind::Branch => "branch",
            NameKind::Project => "project",
            NameKind::Model => "model",
            NameKind::Source => "source",
        }
    }
}

/// More names of one kind than this are not kept in memory at once.
const KEPT: usize = 8192;

/// The writer's names.
#[derive(Debug, Default)]
pub struct Names {
    known: [HashMap<Box<str>, i64>; NameKind::ALL.len()],
}

impl Names {
    /// The number of a name, which is made when it is new.
    pub fn id(&mut self, connection: &Connection, kind: NameKind, name: &str) -> rusqlite::Result<i64> {
        let known = &mut self.known[kind as usize];
        if let Some(id) = known.get(name) {
            return Ok(*id);
        }
        let id = match find_name(connection, kind, name)? {
            Some(id) => id,
            None => connection
                .prepare_cached(queries::INSERT_NAME)?
                .query_row(params![kind.as_str(), name], |row| row.get(0))?,
        };
        if known.len() >= KEPT {
            known.clear();
        }
        known.insert(name.into(), id);
        Ok(id)
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.known.iter_mut().for_each(HashMap::clear);
    }
}

/// The number of a name, if any event has it.
pub(super) fn find_name(
    connection: &Connection,
    kind: NameKind,
    name: &str,
) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached(queries::SELECT_NAME)?
        .query_row(params![kind.as_str(), name], |row| row.get(0))
        .optional()
}
