//! Describes a time series: its events, the length of its buckets, and the field that divides it (rules SER-01 to SER-03).

use crate::contract::LIMITS;
use crate::field::Field;
use crate::store::query::{EventFilter, NO_BOUND};
use crate::store::stats::QUARTER_MS;
use crate::zones::{Period, Zone, bucket_end, bucket_start};

/// The length of a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bucket {
    /// A minute.
    Minute,
    /// A local hour, day, week or month.
    Local(Period),
}

impl Bucket {
    /// Returns the bucket of a word of the query, by default the hour.
    pub fn parse(word: Option<&str>) -> Self {
        match word {
            Some("minute") => Self::Minute,
            Some("day") => Self::Local(Period::Day),
            Some("week") => Self::Local(Period::Week),
            Some("month") => Self::Local(Period::Month),
            _ => Self::Local(Period::Hour),
        }
    }

    /// Returns the word.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Minute => "minute",
            Self::Local(Period::Hour) => "hour",
            Self::Local(Period::Day) => "day",
            Self::Local(Period::Week) => "week",
            Self::Local(Period::Month) => "month",
        }
    }

    /// Returns the beginning of the bucket of a time, both in Unix milliseconds.
    pub(super) fn start(self, zone: &Zone, ms: i64) -> i64 {
        match self {
            Self::Minute => ms.div_euclid(MINUTE_MS) * MINUTE_MS,
            Self::Local(bucket) => bucket_start(zone, bucket, ms),
        }
    }

    /// Returns the end of the bucket of a time, exclusive, both in Unix milliseconds.
    pub(super) fn end(self, zone: &Zone, ms: i64) -> i64 {
        match self {
            Self::Minute => self.start(zone, ms) + MINUTE_MS,
            Self::Local(bucket) => bucket_end(zone, bucket, ms),
        }
    }

    /// Returns the milliseconds of the parts that rows are summed up by. Each part is in one bucket.
    pub(super) fn part_ms(self) -> i64 {
        match self {
            Self::Minute => MINUTE_MS,
            Self::Local(_) => QUARTER_MS,
        }
    }

    /// Returns the unit that bounds a series, and the most units of a series (rule SER-02).
    pub(super) fn units(self) -> (Self, i64) {
        match self {
            Self::Minute => (Self::Local(Period::Hour), LIMITS.series_buckets / 60),
            Self::Local(_) => (self, LIMITS.series_buckets),
        }
    }
}

const MINUTE_MS: i64 = 60_000;

/// The events of a series, and how they are divided.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "said by their names")]
pub struct SeriesFilter {
    pub events: EventFilter,
    pub bucket: Bucket,
    /// The zone of the buckets.
    pub zone: Zone,
    /// A field with a dictionary.
    pub by: Option<Field>,
    /// Whether durations are counted in classes (rule SER-06).
    pub with_durations: bool,
}

/// Returns whether the stored sums suffice (rule SER-03). They are by quarter of an hour, agent and one name.
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
