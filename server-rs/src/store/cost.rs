//! Classifies reads by the number of rows that they may visit (rule GET-10).

use crate::store::query::EventFilter;

/// Upper bound of a read's cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cost {
    /// Rows by their key, one page without filters, or summaries.
    Bounded,
    /// Possibly every event.
    Unbounded,
}

/// Returns the cost of a page: an unfiltered page takes the first rows, any other page may search all rows.
pub fn cost_of(filter: &EventFilter) -> Cost {
    let EventFilter { session_id, fields, since, until, .. } = filter;
    if session_id.is_none() && fields.is_empty() && since.is_none() && until.is_none() {
        Cost::Bounded
    } else {
        Cost::Unbounded
    }
}
