//! Times one call repeatedly and prints a line with the result.

use std::hint::black_box;
use std::time::{Duration, Instant};

use serde_json::json;

/// Largest number of samples; more samples do not improve a 99th percentile.
const MOST_SAMPLES: usize = 5000;
const LEAST_SAMPLES: usize = 3;
/// Duration of the warm-up, as a share of the measured time.
const WARM_UP_SHARE: f64 = 0.4;

pub(crate) struct Report<'a> {
    pub(crate) codec: &'a str,
    pub(crate) count: usize,
    pub(crate) seconds: f64,
}

impl Report<'_> {
    /// Prints the samples of `step`, in nanoseconds. `bytes` is the serialised size; `fields` is the number of fields
    /// that every reader of these events counts.
    pub(crate) fn print(&self, step: &str, bytes: usize, fields: u64, samples: &[u64]) {
        let (codec, count) = (self.codec, self.count);
        let line = json!({ "codec": codec, "step": step, "count": count, "bytes": bytes, "fields": fields, "ns": samples });
        println!("{line}");
    }

    /// Times `work` repeatedly after a warm-up.
    pub(crate) fn time<T>(&self, mut work: impl FnMut() -> Result<T, String>) -> Result<Vec<u64>, String> {
        let mut run = |seconds: f64, least: usize| {
            let limit = Duration::from_secs_f64(seconds);
            let begun = Instant::now();
            let mut samples = Vec::new();
            while samples.len() < least || (begun.elapsed() < limit && samples.len() < MOST_SAMPLES) {
                let from = Instant::now();
                black_box(work()?);
                samples.push(u64::try_from(from.elapsed().as_nanos()).unwrap_or(u64::MAX));
            }
            Ok(samples)
        };
        run(self.seconds * WARM_UP_SHARE, 1).and_then(|_| run(self.seconds, LEAST_SAMPLES))
    }
}

/// Checks that `value` survives the round trip, then times both directions. `read` reads every field and counts them.
pub(crate) fn round_trip<T: PartialEq>(
    report: &Report<'_>,
    value: &T,
    encode: impl Fn(&T) -> Result<Vec<u8>, String>,
    decode: impl Fn(&[u8]) -> Result<T, String>,
    read: impl Fn(&T) -> u64,
) -> Result<(), String> {
    let bytes = encode(value)?;
    if decode(&bytes)? != *value {
        return Err("what comes back differs from what went in".to_owned());
    }
    let fields = read(value);
    let encoding = report.time(|| encode(black_box(value)))?;
    report.print("encode", bytes.len(), fields, &encoding);
    let decoding = report.time(|| decode(black_box(&bytes)).map(|decoded| read(&decoded)))?;
    report.print("decode", bytes.len(), fields, &decoding);
    Ok(())
}
