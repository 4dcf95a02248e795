//! Stores each repeated string once, in the table `names`; events hold its name id.
//!
//! The writer's cache is bounded; a dropped name is looked up again. A rollback empties the cache, since it may hold
//! ids that were never committed.

use hashbrown::HashMap;
use rusqlite::{Connection, OptionalExtension, params};

use crate::contract::{LIMITS, VOCABULARY};
use crate::field::Field;
use crate::queries;

/// Largest number of cached names of one kind.
const KEPT: usize = 8192;

/// The writer's cache of names. A kind is a field whose column holds a name id.
#[derive(Debug)]
pub struct Names {
    kinds: [NamesOfKind; Field::COUNT],
}

/// The cached names of one kind, and the last one: most events of a request share most of their names.
#[derive(Debug, Default)]
struct NamesOfKind {
    known: HashMap<Box<str>, i64>,
    last: String,
    last_id: i64,
    /// Number of names in the table; `None` before the first new one.
    count: Option<i64>,
}

impl Default for Names {
    fn default() -> Self {
        Self { kinds: std::array::from_fn(|_| NamesOfKind::default()) }
    }
}

impl Names {
    /// Returns the id of a name; inserts the name if it is new. A kind with too many names gives a new one the overflow
    /// name (rule EVT-15).
    pub fn id(&mut self, connection: &Connection, kind: Field, name: &str) -> rusqlite::Result<i64> {
        let names = &mut self.kinds[kind as usize];
        // An empty text is not a name, so the initial empty value never matches.
        if names.last == name && !name.is_empty() {
            return Ok(names.last_id);
        }
        let id = match names.known.get(name) {
            Some(id) => *id,
            None => {
                let id = names.find_or_insert(connection, kind, name)?;
                if names.known.len() >= KEPT {
                    names.known.clear();
                }
                names.known.insert(name.into(), id);
                id
            }
        };
        name.clone_into(&mut names.last);
        names.last_id = id;
        Ok(id)
    }

    /// Drops all names.
    pub fn clear(&mut self) {
        for names in &mut self.kinds {
            names.known.clear();
            names.last.clear();
            names.count = None;
        }
    }
}

impl NamesOfKind {
    fn find_or_insert(&mut self, connection: &Connection, kind: Field, name: &str) -> rusqlite::Result<i64> {
        if let Some(id) = find_name(connection, kind, name)? {
            return Ok(id);
        }
        let count = match self.count {
            Some(count) => count,
            None => {
                let mut select = connection.prepare_cached(queries::SELECT_NAME_COUNT)?;
                select.query_row([kind.name()], |row| row.get(0))?
            }
        };
        let mut name = name;
        if count >= LIMITS.names_per_kind {
            self.count = Some(count);
            name = &VOCABULARY.overflow_name;
            if let Some(id) = find_name(connection, kind, name)? {
                return Ok(id);
            }
        }
        self.count = Some(count + 1);
        let mut insert = connection.prepare_cached(queries::INSERT_NAME)?;
        insert.query_row(params![kind.name(), name], |row| row.get(0))
    }
}

/// Returns the id of a name, if any event has it.
pub(super) fn find_name(connection: &Connection, kind: Field, name: &str) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached(queries::SELECT_NAME)?
        .query_row(params![kind.name(), name], |row| row.get(0))
        .optional()
}
