//! Counts values by the upper bounds of a family of `metrics.json`, without a lock.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::contract::metrics::Family;

/// Nanoseconds of a second: histograms of time count in nanoseconds.
pub(crate) const NANOS: f64 = 1e9;

/// Counts of values by their upper bounds.
#[derive(Debug)]
pub struct Histogram {
    /// Values per unit of the family.
    scale: f64,
    bounds: Vec<u64>,
    /// Number of values of each bucket alone; the last bucket has no bound.
    counts: Vec<AtomicU64>,
    sum: AtomicU64,
}

impl Histogram {
    /// Creates an empty histogram with the buckets of this family.
    pub fn new(family: Family, scale: f64) -> Self {
        let bounds: Vec<u64> =
            family.spec().buckets.iter().map(|bound| (bound * scale).round() as u64).collect();
        Self {
            scale,
            counts: (0..=bounds.len()).map(|_| AtomicU64::new(0)).collect(),
            bounds,
            sum: AtomicU64::new(0),
        }
    }

    /// Counts a value.
    pub fn observe(&self, value: u64) {
        self.counts[self.bounds.partition_point(|bound| *bound < value)].fetch_add(1, Ordering::Relaxed);
        self.sum.fetch_add(value, Ordering::Relaxed);
    }

    /// Counts a time.
    pub fn observe_time(&self, time: Duration) {
        self.observe(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
    }

    /// Returns whether it counted no value.
    pub fn is_empty(&self) -> bool {
        self.counts.iter().all(|count| count.load(Ordering::Relaxed) == 0)
    }

    /// Returns the number of values up to each bound, then of all values.
    pub fn cumulative(&self) -> Vec<u64> {
        let mut total = 0;
        let counts = self.counts.iter().map(|count| {
            total += count.load(Ordering::Relaxed);
            total
        });
        counts.collect()
    }

    /// Returns the sum of all values in the unit of the family.
    pub fn sum(&self) -> f64 {
        self.sum.load(Ordering::Relaxed) as f64 / self.scale
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histogram_counts_a_value_at_its_bound() {
        let histogram = Histogram::new(Family::IngestGroupEvents, 1.0);
        for value in [1, 2, 3, 20_000] {
            histogram.observe(value);
        }
        let cumulative = histogram.cumulative();
        assert_eq!(cumulative[..3], [1, 2, 3]);
        assert_eq!(cumulative.last(), Some(&4));
        assert!((histogram.sum() - 20_006.0).abs() < f64::EPSILON);
    }
}
