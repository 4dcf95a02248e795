/**
 * Latencies as HDR histograms: whole microseconds, three significant digits.
 *
 * Invariants: recording has a constant cost and keeps no list of values. A histogram is stored as compressed
 * HdrHistogram V2 in base64, which HdrHistogram tools in other languages can read, too.
 */
import { build, encodeIntoCompressedBase64, type Histogram } from 'hdr-histogram-js';

/** Two minutes. The histogram resizes itself for longer durations. */
const HIGHEST_US = 120_000_000;

export function createHistogram(): Histogram {
  return build({ highestTrackableValue: HIGHEST_US, numberOfSignificantValueDigits: 3, autoResize: true });
}

/** Records one duration. Less than half a microsecond is recorded as 0. */
export function record(histogram: Histogram, duration_ms: number): void {
  histogram.recordValue(Math.max(0, Math.round(duration_ms * 1000)));
}

/** Percentiles in milliseconds, and the whole histogram of microseconds, compressed. */
export type Latency = Readonly<NonNullable<ReturnType<typeof latencyOf>>>;

/** Returns the percentiles of a histogram; `null` when it is empty. */
export function latencyOf(histogram: Histogram) {
  if (histogram.totalCount === 0) return null;
  // The library returns the upper end of a bucket, so the maximum caps it.
  const at = (percentile: number) =>
    Math.min(histogram.getValueAtPercentile(percentile), histogram.maxValue) / 1000;
  return {
    p50_ms: at(50),
    p95_ms: at(95),
    p99_ms: at(99),
    p99_9_ms: at(99.9),
    max_ms: histogram.maxValue / 1000,
    mean_ms: histogram.mean / 1000,
    samples: histogram.totalCount,
    histogram: encodeIntoCompressedBase64(histogram),
  };
}
