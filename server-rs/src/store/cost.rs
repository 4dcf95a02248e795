//! Tells how many rows a read may have to visit (rule GET-10).

use crate::store::query::EventFilter;

/// What a read costs at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cost {
    /// Rows by their key, one page without filters, or summaries.
    Bounded,
    /// Perhaps every event.
    Unbounded,
}

/// A page of all events takes the rows that come first; any other may look for its rows among all.
pub fn cost_of(filter: &EventFilter) -> Cost {
    let EventFilter { session_id, fields, since, until, .. } = filter;
    if session_id.is_none() && fields.is_empty() && since.is_none() && until.is_none() {
        Cost::Bounded
    } else {
        Cost::Unbounded
    }
}
