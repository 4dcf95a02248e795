//! Classifies reads by the number of rows that they may visit (rule GET-10).

use crate::store::query::EventFilter;

/// Upper bound of a read's cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cost {
    /// Rows by their key, one page without filters, or summaries.
    Bounded,
    /// Possibly every event.
    Unbounded,
    /// Possibly every event, with a search for a text.
    Search,
}

/// Returns the cost of a page: an unfiltered page takes the first rows, any other page may search all rows.
pub fn cost_of(filter: &EventFilter) -> Cost {
    match filter.text {
        Some(_) => Cost::Search,
        None if is_empty(filter) => Cost::Bounded,
        None => Cost::Unbounded,
    }
}

/// Returns whether every event between the bounds matches.
pub fn is_empty(filter: &EventFilter) -> bool {
    let EventFilter { session_id, fields, text, since, until, late, .. } = filter;
    session_id.is_none()
        && fields.is_empty()
        && text.is_none()
        && since.is_none()
        && until.is_none()
        && late.is_none()
}
