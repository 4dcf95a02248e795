//! Inserts the row of an event, and binds only the values that it has.
//!
//! SQLite takes an instruction of its own for each bound value, and most events lack most fields. So each set of absent
//! fields has its own statement, with their values as literals. The sets are as many as the clients choose, and the
//! statements are bounded. Further sets use the statement that binds every value.

use std::collections::HashMap;

use rusqlite::{CachedStatement, Connection, ToSql};

use crate::field::{Absent, Field, FieldKind};
use crate::queries;

/// Largest number of statements. One takes about 12 KB.
pub const MOST_STATEMENTS: usize = 64;

/// The values of a row that are no fields.
#[derive(Debug, Clone, Copy)]
#[expect(missing_docs, reason = "each is the column of its name")]
pub struct RowValues {
    pub id: i64,
    pub created_at: i64,
    pub history: bool,
    pub payload_truncated: bool,
    pub metadata_bytes: Option<i64>,
    pub computed_cost_nanos: Option<i64>,
    pub late: bool,
    pub time_shift: i64,
}

/// Absent values as bits: first those of columns without a field, then those of fields.
type AbsentSet = u64;

const COMPLETE: AbsentSet = 0;
const HISTORY: AbsentSet = 1;
const COMPUTED_COST: AbsentSet = 1 << 1;
const LATE: AbsentSet = 1 << 2;
const TIME_SHIFT: AbsentSet = 1 << 3;
const METADATA_BYTES: AbsentSet = 1 << 4;
const FIELDS_AT: usize = 5;

/// The texts of the statements by their sets of absent values.
#[derive(Debug)]
pub struct EventInsert {
    texts: HashMap<AbsentSet, String>,
    /// The fields that an event may lack.
    optional: Vec<Field>,
}

impl Default for EventInsert {
    fn default() -> Self {
        let optional = Field::ALL.into_iter().filter(|field| literal_of(*field).is_some());
        Self { texts: HashMap::new(), optional: optional.collect() }
    }
}

/// The statements that a group of events has used.
pub struct GroupInserts<'c> {
    connection: &'c Connection,
    statements: Vec<(AbsentSet, CachedStatement<'c>)>,
    /// The statement for metadata that does not stand in its row.
    text: Option<CachedStatement<'c>>,
}

impl<'c> GroupInserts<'c> {
    /// Starts a group without statements.
    pub fn new(connection: &'c Connection) -> Self {
        Self { connection, statements: Vec::new(), text: None }
    }

    /// Inserts the metadata of a row next to it.
    pub fn text(&mut self, id: i64, metadata: &str) -> rusqlite::Result<()> {
        let insert = match &mut self.text {
            Some(insert) => insert,
            None => self.text.insert(self.connection.prepare_cached(queries::INSERT_EVENT_TEXT)?),
        };
        insert.raw_bind_parameter(1, id)?;
        insert.raw_bind_parameter(2, metadata)?;
        insert.raw_execute().map(drop)
    }
}

impl EventInsert {
    /// Inserts a row. `is_absent` returns whether the event lacks a field, and `bind` binds the value of another one to a
    /// parameter of the statement.
    pub fn run(
        &mut self,
        group: &mut GroupInserts<'_>,
        row: &RowValues,
        is_absent: impl Fn(Field) -> bool,
        bind: impl Fn(&mut CachedStatement<'_>, usize, Field) -> rusqlite::Result<()>,
    ) -> rusqlite::Result<()> {
        let mut absent = COMPLETE;
        for (is_absent, bit) in [
            (!row.history, HISTORY),
            (row.metadata_bytes.is_none(), METADATA_BYTES),
            (row.computed_cost_nanos.is_none(), COMPUTED_COST),
            (!row.late, LATE),
            (row.time_shift == 0, TIME_SHIFT),
        ] {
            absent |= if is_absent { bit } else { 0 };
        }
        for field in &self.optional {
            if is_absent(*field) {
                absent |= bit_of(*field);
            }
        }
        let (absent, insert) = self.statement(group, absent)?;
        let mut at = 0;
        let mut own =
            |insert: &mut CachedStatement<'_>, bit: AbsentSet, value: &dyn ToSql| -> rusqlite::Result<()> {
                if absent & bit == 0 {
                    at += 1;
                    insert.raw_bind_parameter(at, value)?;
                }
                Ok(())
            };
        own(insert, COMPLETE, &row.id)?;
        own(insert, COMPLETE, &row.created_at)?;
        own(insert, HISTORY, &row.history)?;
        own(insert, COMPLETE, &row.payload_truncated)?;
        own(insert, METADATA_BYTES, &row.metadata_bytes)?;
        own(insert, COMPUTED_COST, &row.computed_cost_nanos)?;
        own(insert, LATE, &row.late)?;
        own(insert, TIME_SHIFT, &row.time_shift)?;
        for field in Field::ALL {
            if absent & bit_of(field) == 0 {
                at += 1;
                bind(insert, at, field)?;
            }
        }
        insert.raw_execute().map(drop)
    }

    /// Returns the statement for a set of absent values, and the set whose values it has as literals.
    fn statement<'g, 'c>(
        &mut self,
        group: &'g mut GroupInserts<'c>,
        absent: AbsentSet,
    ) -> rusqlite::Result<(AbsentSet, &'g mut CachedStatement<'c>)> {
        let at = match group.statements.iter().position(|(known, _)| *known == absent) {
            Some(at) => at,
            None => {
                let is_known = self.texts.contains_key(&absent) || self.texts.len() < MOST_STATEMENTS;
                let absent = if is_known { absent } else { COMPLETE };
                let text = self.texts.entry(absent).or_insert_with(|| text_of(absent));
                group.statements.push((absent, group.connection.prepare_cached(text)?));
                group.statements.len() - 1
            }
        };
        let (absent, statement) = &mut group.statements[at];
        Ok((*absent, statement))
    }
}

/// Returns the text of the statement with these absent values as literals.
fn text_of(absent: AbsentSet) -> String {
    let mut text = String::with_capacity(queries::INSERT_EVENT.len());
    let mut parts = queries::INSERT_EVENT.split(':');
    text.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let end = part.find(|one: char| !one.is_ascii_alphanumeric() && one != '_').unwrap_or(part.len());
        let (column, rest) = part.split_at(end);
        match literal(column).filter(|(bit, _)| absent & bit != 0) {
            Some((_, literal)) => text.push_str(literal),
            None => {
                text.push(':');
                text.push_str(column);
            }
        }
        text.push_str(rest);
    }
    text
}

/// Returns the bit and the literal of a column that may be absent.
fn literal(column: &str) -> Option<(AbsentSet, &'static str)> {
    match column {
        "history" => Some((HISTORY, "0")),
        "metadata_bytes" => Some((METADATA_BYTES, "NULL")),
        "computed_cost_nanos" => Some((COMPUTED_COST, "NULL")),
        "late" => Some((LATE, "0")),
        "time_shift" => Some((TIME_SHIFT, "0")),
        _ => {
            let field = Field::ALL.into_iter().find(|field| field.spec().column == column)?;
            Some((bit_of(field), literal_of(field)?))
        }
    }
}

/// Returns the literal of a field that an event may lack.
fn literal_of(field: Field) -> Option<&'static str> {
    let spec = field.spec();
    match (spec.kind, spec.absent) {
        _ if spec.is_required => None,
        (FieldKind::Choice(_) | FieldKind::Json, _) => None,
        (_, Absent::Null) => Some("NULL"),
        (_, Absent::Number(0)) => Some("0"),
        _ => None,
    }
}

fn bit_of(field: Field) -> AbsentSet {
    1 << (FIELDS_AT + field as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::SCHEMA_SQL;

    #[test]
    fn parameters_have_the_order_of_the_columns_without_fields_and_then_of_the_fields() -> rusqlite::Result<()>
    {
        let connection = Connection::open_in_memory()?;
        connection.execute_batch(SCHEMA_SQL)?;
        let own = [
            "id",
            "created_at",
            "history",
            "payload_truncated",
            "metadata_bytes",
            "computed_cost_nanos",
            "late",
            "time_shift",
        ];
        let columns: Vec<&str> = own.into_iter().chain(Field::ALL.map(|field| field.spec().column)).collect();
        let all = columns.iter().filter_map(|column| literal(column)).fold(0, |set, (bit, _)| set | bit);
        for absent in [COMPLETE, all, HISTORY | LATE, bit_of(Field::TokensIn) | bit_of(Field::Host)] {
            let statement = connection.prepare(&text_of(absent))?;
            let bound =
                columns.iter().filter(|column| literal(column).is_none_or(|(bit, _)| absent & bit == 0));
            let mut count = 0;
            for (at, column) in bound.enumerate() {
                assert_eq!(statement.parameter_index(&format!(":{column}"))?, Some(at + 1), "{column}");
                count += 1;
            }
            assert_eq!(statement.parameter_count(), count);
        }
        Ok(())
    }

    #[test]
    fn more_sets_than_statements_use_the_complete_one() -> rusqlite::Result<()> {
        let connection = Connection::open_in_memory()?;
        connection.execute_batch(SCHEMA_SQL)?;
        let mut insert = EventInsert::default();
        for set in 0..2 * MOST_STATEMENTS as u64 {
            let mut group = GroupInserts::new(&connection);
            let absent = set << (FIELDS_AT + Field::DurationMs as usize) & !bit_of(Field::Source);
            let (used, _) = insert.statement(&mut group, absent)?;
            assert!(used == absent || used == COMPLETE);
        }
        assert!(insert.texts.len() <= MOST_STATEMENTS + 1);
        Ok(())
    }
}
