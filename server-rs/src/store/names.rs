//! Stores each repeated string once, in the table `names`; events hold its name id. Bounds the names, and the pairs of a
//! name and an agent, each of which has sums.
//!
//! The writer's cache is bounded; a dropped name is looked up again. A rollback empties the cache, since it may
//! hold ids that were never committed.

use hashbrown::{HashMap, HashSet};
use rusqlite::{Connection, OptionalExtension, params};

use crate::contract::{LIMITS, VOCABULARY};
use crate::field::{Field, FieldKind};
use crate::queries;
use crate::store::stats::{ALL_TIME, open_quarter};

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
    /// The pairs of a name and an agent that have sums, or get them with this group. Their number is bounded.
    pairs: HashSet<(i64, i64)>,
    /// The last pair, and the name that the event got.
    last_pair: ((i64, i64), i64),
    /// Number of pairs that have sums; `None` before the first new one.
    pair_count: Option<i64>,
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

    /// Returns the id of a name for an event of this agent. A kind with too many pairs of both gives a new pair the
    /// overflow name (rule EVT-15).
    pub fn id_of_agent(
        &mut self,
        connection: &Connection,
        kind: Field,
        name: &str,
        agent_type: i64,
    ) -> rusqlite::Result<i64> {
        let id = self.id(connection, kind, name)?;
        // A choice has few words, so the number of agents bounds its pairs.
        if kind == Field::AgentType || !matches!(kind.spec().kind, FieldKind::Text) {
            return Ok(id);
        }
        let names = &mut self.kinds[kind as usize];
        let pair = (id, agent_type);
        if names.last_pair.0 != pair {
            let is_known = names.pairs.contains(&pair) || names.admit_pair(connection, kind, pair)?;
            let used = if is_known { id } else { names.overflow_id(connection, kind)? };
            names.last_pair = (pair, used);
        }
        Ok(names.last_pair.1)
    }

    /// Drops all pairs: a deletion may have removed their sums.
    pub fn forget_pairs(&mut self) {
        for names in &mut self.kinds {
            names.pairs.clear();
            names.last_pair = Default::default();
            names.pair_count = None;
        }
    }

    /// Drops all names.
    pub fn clear(&mut self) {
        self.forget_pairs();
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
        let most = if kind == Field::AgentType { LIMITS.agent_types } else { LIMITS.names_per_kind };
        if count >= most {
            self.count = Some(count);
            return self.overflow_id(connection, kind);
        }
        self.insert(connection, kind, name)
    }

    /// Returns the id of the name that stands for all further ones.
    fn overflow_id(&mut self, connection: &Connection, kind: Field) -> rusqlite::Result<i64> {
        match find_name(connection, kind, VOCABULARY.overflow_name)? {
            Some(id) => Ok(id),
            None => self.insert(connection, kind, VOCABULARY.overflow_name),
        }
    }

    fn insert(&mut self, connection: &Connection, kind: Field, name: &str) -> rusqlite::Result<i64> {
        self.count = self.count.map(|count| count + 1);
        let mut insert = connection.prepare_cached(queries::INSERT_NAME)?;
        insert.query_row(params![kind.name(), name], |row| row.get(0))
    }

    /// Returns whether a pair has sums, or room for them.
    fn admit_pair(
        &mut self,
        connection: &Connection,
        kind: Field,
        pair: (i64, i64),
    ) -> rusqlite::Result<bool> {
        let open = open_quarter(connection)?;
        let mut has_pair = connection.prepare_cached(queries::SELECT_HAS_PAIR)?;
        if !has_pair.query_row([pair.0, pair.1, ALL_TIME, open], |row| row.get::<_, bool>(0))? {
            let count = match self.pair_count {
                Some(count) => count,
                None => {
                    let mut select = connection.prepare_cached(queries::SELECT_PAIR_COUNT)?;
                    select.query_row(params![kind.name(), ALL_TIME, open], |row| row.get(0))?
                }
            };
            let has_room = count < LIMITS.pairs_per_kind;
            self.pair_count = Some(count + i64::from(has_room));
            if !has_room {
                return Ok(false);
            }
        }
        self.pairs.insert(pair);
        Ok(true)
    }
}

/// Returns the id of a name, if any event has it.
pub(super) fn find_name(connection: &Connection, kind: Field, name: &str) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached(queries::SELECT_NAME)?
        .query_row(params![kind.name(), name], |row| row.get(0))
        .optional()
}
