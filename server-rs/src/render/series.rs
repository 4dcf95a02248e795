//! Renders a time series as JSON text (rules SER-01 and SER-06).

use super::durations::{Durations, counts_of, percentile_of};
use super::{Reached, integer, member, string};
use crate::figure::{Member, SERIES};
use crate::number::print_number;
use crate::timestamp::format_timestamp;

/// The sums of one name in one bucket, in the order of the answer's members. Costs are nano-dollars.
pub type Sums = [f64; SERIES.len()];

/// The sums of a name, one for each bucket; without a name those of all others.
#[derive(Debug)]
#[expect(missing_docs, reason = "explained above")]
pub struct Line {
    pub name: Option<String>,
    pub sums: Vec<Sums>,
    /// Durations of all buckets, when they are wanted (rule SER-06).
    pub durations: Option<Durations>,
}

/// A time series.
#[derive(Debug)]
pub struct Series {
    /// The word for the length of a bucket.
    pub bucket: &'static str,
    /// The name of the zone of the buckets.
    pub tz: String,
    /// The name of the field whose values divide the sums.
    pub by: Option<&'static str>,
    /// The beginning of each bucket, in Unix milliseconds.
    pub buckets: Vec<i64>,
    /// The lines, largest first.
    pub lines: Vec<Line>,
    /// How far the search came.
    pub reached: Reached,
    /// The beginning of the range that the series covers, in Unix milliseconds.
    pub since: Option<i64>,
    /// Its end, exclusive.
    pub until: Option<i64>,
}

/// Where sums stop: 2^63 (rule STA-06).
const MOST: f64 = 9_223_372_036_854_775_808.0;

/// Renders a series.
pub(crate) fn render_series(series: &Series) -> Vec<u8> {
    let mut out = Vec::new();
    text(&mut out, "bucket", Some(series.bucket));
    text(&mut out, "tz", Some(&series.tz));
    text(&mut out, "by", series.by);
    member(&mut out, 0, "buckets");
    list(&mut out, &series.buckets, |out, bucket| string(out, &format_timestamp(*bucket)));
    member(&mut out, 0, "series");
    list(&mut out, &series.lines, line);
    member(&mut out, 0, "next");
    match series.reached.next {
        Some(next) => integer(&mut out, next),
        None => out.extend_from_slice(b"null"),
    }
    member(&mut out, 0, "scanned_to");
    integer(&mut out, series.reached.scanned_to);
    text(&mut out, "since", series.since.map(format_timestamp).as_deref());
    text(&mut out, "until", series.until.map(format_timestamp).as_deref());
    out.push(b'}');
    out
}

fn line(out: &mut Vec<u8>, line: &Line) {
    let opening = out.len();
    member(out, opening, "name");
    nullable(out, line.name.as_deref());
    for (at, Member { name, divisor }) in SERIES.iter().enumerate() {
        member(out, opening, name);
        list(out, &line.sums, |out, sums| {
            print_number(out, sums.get(at).copied().unwrap_or_default().min(MOST) / divisor);
        });
    }
    if let Some(durations) = &line.durations {
        render_durations(out, opening, durations);
    }
    out.push(b'}');
}

fn render_durations(out: &mut Vec<u8>, opening: usize, durations: &Durations) {
    for (name, percent) in [("p50_ms", 50), ("p95_ms", 95)] {
        member(out, opening, name);
        match percentile_of(durations, percent) {
            Some(ms) => whole(out, ms),
            None => out.extend_from_slice(b"null"),
        }
    }
    member(out, opening, "durations");
    list(out, &counts_of(durations), |out, (ms, count)| {
        list(out, &[*ms, *count], |out, number| whole(out, *number));
    });
}

fn whole(out: &mut Vec<u8>, number: u64) {
    integer(out, i64::try_from(number).unwrap_or(i64::MAX));
}

fn text(out: &mut Vec<u8>, name: &str, value: Option<&str>) {
    member(out, 0, name);
    nullable(out, value);
}

fn nullable(out: &mut Vec<u8>, value: Option<&str>) {
    match value {
        Some(value) => string(out, value),
        None => out.extend_from_slice(b"null"),
    }
}

fn list<T>(out: &mut Vec<u8>, items: &[T], mut each: impl FnMut(&mut Vec<u8>, &T)) {
    out.push(b'[');
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        each(out, item);
    }
    out.push(b']');
}
