//! Describes a time series: its events, the length of its buckets, and the field that divides it (rules SER-01 to SER-03).

use crate::contract::LIMITS;
use crate::field::Field;
use crate::store::query::{EventFilter, NO_BOUND};

/// The length of a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "said by their names")]
pub enum Bucket {
    Minute,
    Hour,
    Day,
}

impl Bucket {
    /// Returns the bucket of a word of the query, by default the hour.
    pub fn parse(word: Option<&str>) -> Self {
        match word {
            Some("minute") => Self::Minute,
            Some("day") => Self::Day,
            _ => Self::Hour,
        }
    }

    /// Returns the word.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Minute => "minute",
            Self::Hour => "hour",
            Self::Day => "day",
        }
    }

    /// Returns the milliseconds.
    pub(super) fn ms(self) -> i64 {
        match self {
            Self::Minute => 60_000,
            Self::Hour => 3_600_000,
            Self::Day => 86_400_000,
        }
    }

    /// Returns the seconds of the unit that bounds a series, and the most units of a series (rule SER-02).
    pub(super) fn units(self) -> (i64, i64) {
        match self {
            Self::Minute => (3600, LIMITS.series_buckets / 60),
            Self::Hour => (3600, LIMITS.series_buckets),
            Self::Day => (86_400, LIMITS.series_buckets),
        }
    }
}

/// The events of a series, and how they are divided.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "said by their names")]
pub struct SeriesFilter {
    pub events: EventFilter,
    pub bucket: Bucket,
    /// A field with a dictionary.
    pub by: Option<Field>,
    /// Whether durations are counted in classes (rule SER-06).
    pub with_durations: bool,
}

/// Returns whether the stored sums of hours suffice (rule SER-03). They are by hour, agent and one name.
pub fn has_sums(filter: &SeriesFilter) -> bool {
    let EventFilter { session_id, text, below, .. } = &filter.events;
    let is_whole = session_id.is_none() && text.is_none() && *below == NO_BOUND;
    let mut kinds = names_of(filter).map(|(kind, _)| *kind).chain(filter.by);
    let mut one = None;
    filter.bucket != Bucket::Minute
        && is_whole
        && !filter.with_durations
        && kinds.all(|kind| kind == Field::AgentType || *one.get_or_insert(kind) == kind)
}

/// Returns the filters that compare names.
pub(super) fn names_of(filter: &SeriesFilter) -> impl Iterator<Item = &(Field, String)> {
    filter.events.fields.iter()
}

/// Returns whether the events are calls, so that steps do not count (rule STA-02).
pub(super) fn is_of_calls(filter: &SeriesFilter) -> bool {
    filter.by == Some(Field::ToolName) || names_of(filter).any(|(kind, _)| *kind == Field::ToolName)
}
