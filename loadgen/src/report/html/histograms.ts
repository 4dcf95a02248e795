/**
 * Latencies of many rounds as one distribution: shares over a log scale, and the curve of percentiles.
 *
 * Invariant: rounds are merged as histograms, never as percentiles, which cannot be averaged.
 */
import { decodeFromCompressedBase64, JsHistogram } from 'hdr-histogram-js';

/** Of microseconds, three significant digits. */
export interface Distribution {
  readonly histogram: JsHistogram;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** `null` of no histogram. */
export function merged(encoded: readonly string[]): Distribution | null {
  let sum: JsHistogram | null = null;
  for (const text of encoded) {
    const next = decodeFromCompressedBase64(text);
    if (!(next instanceof JsHistogram)) throw new TypeError('a histogram was decoded to something else');
    next.autoResize = true;
    if (sum === null) sum = next;
    else sum.add(next);
  }
  return sum === null || sum.totalCount === 0 ? null : { histogram: sum };
}

export function percentileMs({ histogram }: Distribution, percentile: number): number {
  // A microsecond at least: a log scale has no 0.
  return Math.max(1, histogram.getValueAtPercentile(percentile)) / 1000;
}

const BINS_PER_DECADE = 20;

/** Share of all requests in each bin of equal width on a log scale; x is its middle, in milliseconds. */
export function shares({ histogram }: Distribution): Point[] {
  const bins = new Map<number, number>();
  for (let index = 0; index < histogram.countsArrayLength; index++) {
    const count = histogram.getCountAtIndex(index);
    if (count === 0) continue;
    const bin = Math.floor(Math.log10(Math.max(1, histogram.valueFromIndex(index))) * BINS_PER_DECADE);
    bins.set(bin, (bins.get(bin) ?? 0) + count);
  }
  const first = Math.min(...bins.keys()) - 1;
  const last = Math.max(...bins.keys()) + 1;
  return Array.from({ length: last - first + 1 }, (_, i) => ({
    x: 10 ** ((first + i + 0.5) / BINS_PER_DECADE) / 1000,
    y: (bins.get(first + i) ?? 0) / histogram.totalCount,
  }));
}

/** 99.99 %: beyond it a run of seconds has a handful of samples. */
const MOST_NINES = 10_000;

/** From the median to as many nines as there are samples for; x is 1 / (1 - p), y milliseconds. */
export function percentileCurve(distribution: Distribution): Point[] {
  const most = Math.min(distribution.histogram.totalCount, MOST_NINES);
  const steps = 48;
  return Array.from({ length: steps + 1 }, (_, i) => {
    const x = 2 * (most / 2) ** (i / steps);
    return { x, y: percentileMs(distribution, 100 * (1 - 1 / x)) };
  }).filter(({ x }) => x <= most);
}
