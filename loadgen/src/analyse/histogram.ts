/**
 * Latencies as HDR histograms: whole microseconds, three significant digits.
 *
 * Invariants: recording has a constant cost and keeps no list of values. A stored histogram can be read again, added
 * to others and drawn.
 */
import {
  build,
  decodeFromCompressedBase64,
  encodeIntoCompressedBase64,
  type Histogram,
} from 'hdr-histogram-js';
import type { Latency } from '../load/drivers/driver.ts';

export type { Histogram };

/** Two minutes; the histogram grows when something took longer. */
const HIGHEST_US = 120_000_000;

export interface CurvePoint {
  readonly percentile: number;
  readonly ms: number;
}

/** Points for each halving of the distance to 100 %, as HdrHistogram's own plots have them. */
const POINTS_PER_HALVING = 5;

export function createHistogram(): Histogram {
  return build({
    bitBucketSize: 32,
    autoResize: true,
    lowestDiscernibleValue: 1,
    highestTrackableValue: HIGHEST_US,
    numberOfSignificantValueDigits: 3,
  });
}

/** Notes one duration; below half a microsecond it is 0. */
export function record(histogram: Histogram, duration_ms: number): void {
  histogram.recordValue(Math.max(0, Math.round(duration_ms * 1000)));
}

/** `null` of an empty histogram. */
export function latencyOf(histogram: Histogram): Latency | null {
  if (histogram.totalCount === 0) return null;
  const at = (percentile: number) => valueAt(histogram, percentile);
  return {
    min_ms: at(0),
    p50_ms: at(50),
    p90_ms: at(90),
    p95_ms: at(95),
    p99_ms: at(99),
    p99_9_ms: at(99.9),
    max_ms: histogram.maxValue / 1000,
    mean_ms: histogram.mean / 1000,
    samples: histogram.totalCount,
    histogram: encode(histogram),
  };
}

/** The histogram answers with the end of a bucket, which can lie above the largest value in it. */
function valueAt(histogram: Histogram, percentile: number): number {
  return Math.min(histogram.getValueAtPercentile(percentile), histogram.maxValue) / 1000;
}

/** Compressed HdrHistogram V2 as base64, which the tools of other languages read too. */
export function encode(histogram: Histogram): string {
  return encodeIntoCompressedBase64(histogram);
}

/** Throws when the text is no such histogram. */
export function decode(text: string): Histogram {
  return decodeFromCompressedBase64(text, 32);
}

/** One histogram with the values of all; those of the list stay as they are. */
export function merge(list: readonly Histogram[]): Histogram {
  const all = createHistogram();
  for (const one of list) all.add(one);
  return all;
}

/**
 * The distribution as a line from 0 to 100 %, denser towards 100; nothing of an empty histogram.
 *
 * It ends where a further halving of the distance to 100 % would be less than one sample.
 */
export function percentileCurve(histogram: Histogram | string): CurvePoint[] {
  const source = typeof histogram === 'string' ? decode(histogram) : histogram;
  if (source.totalCount === 0) return [];
  const points: CurvePoint[] = [];
  for (let distance = 1; distance * source.totalCount >= 1; distance /= 2) {
    for (let i = 0; i < POINTS_PER_HALVING; i++) {
      const percentile = 100 * (1 - distance * (1 - i / POINTS_PER_HALVING / 2));
      points.push({ percentile, ms: valueAt(source, percentile) });
    }
  }
  points.push({ percentile: 100, ms: source.maxValue / 1000 });
  return points;
}
