//! Counts durations in classes of bounded relative width, and takes percentiles of them (rule SER-06).

use std::collections::BTreeMap;

use crate::contract::LIMITS;

/// The number of durations of each class, by the first millisecond of the class.
pub type Durations = BTreeMap<u64, u64>;

/// Adds a list of whole milliseconds with commas between them.
pub fn add_durations(durations: &mut Durations, list: &str) {
    for ms in list.split(',').filter_map(|text| text.parse().ok()) {
        *durations.entry(class_of(ms)).or_default() += 1;
    }
}

/// Adds the counts of another histogram.
pub fn merge_durations(durations: &mut Durations, others: &Durations) {
    for (class, count) in others {
        *durations.entry(*class).or_default() += count;
    }
}

/// Returns the counts of all classes, the shortest durations first.
pub fn counts_of(durations: &Durations) -> Vec<(u64, u64)> {
    durations.iter().map(|(ms, count)| (*ms, *count)).collect()
}

/// Returns the class of the duration with the nearest rank; none without durations.
pub fn percentile_of(durations: &Durations, percent: u64) -> Option<u64> {
    let all: u64 = durations.values().sum();
    let rank = (all * percent).div_ceil(100);
    let mut below = 0;
    durations.iter().find_map(|(ms, count)| {
        below += count;
        (below >= rank).then_some(*ms)
    })
}

/// Returns the first millisecond of a class.
fn class_of(ms: u64) -> u64 {
    let mut width = 1;
    while ms / width >= 2 * LIMITS.duration_classes {
        width *= 2;
    }
    ms / width * width
}
