/**
 * Medians, spreads and ratios. Pure functions of numbers, tested against known values.
 *
 * What must stay true: nothing is rounded here, and too few samples give `null`, never a made-up figure.
 */

export interface Summary {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  /** (max - min) / median; 0.1 is ten percent. */
  readonly spread: number;
  readonly samples: number;
}

export interface Comparison {
  /** Median of the first over median of the second. */
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
  /** Share of resamples between low and high: 0.95. */
  readonly confidence: number;
  /** How low and high were found: pairs of rounds drawn again with replacement; `none` of a single pair. */
  readonly interval: 'bootstrap_of_paired_rounds' | 'none';
  /** The ratio of each pair of rounds, in order. */
  readonly pairs: readonly number[];
  /**
   * The largest relative change between two neighbouring rounds of the same server, which A B B A puts side by
   * side: a difference below it is none. 0.03 is 3 %; `null` where no server had two rounds in a row.
   */
  readonly noise_floor: number | null;
  readonly verdict: Verdict;
}

/**
 * `higher`, `lower`: the first is, beyond the noise floor and with an interval that does not hold 1.
 * `no_difference`: it is not. `too_few_rounds`: nothing can be said.
 */
export type Verdict = 'higher' | 'lower' | 'no_difference' | 'too_few_rounds';

/** The middle value, or the mean of the two middle ones; `null` of nothing. */
export function median(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/**
 * The smallest value that at least the share `q` of all values do not exceed (nearest rank).
 * `sorted` is ascending and not empty; a percentile is always a value that was measured.
 */
export function quantile(sorted: ArrayLike<number>, q: number): number {
  if (sorted.length === 0) throw new RangeError('a quantile needs at least one value');
  const rank = Math.ceil(q * sorted.length);
  return sorted[Math.min(sorted.length, Math.max(1, rank)) - 1]!;
}

export function summarise(values: readonly number[]): Summary | null {
  const middle = median(values);
  if (middle === null) return null;
  const min = Math.min(...values);
  const max = Math.max(...values);
  // Of equal values, zeros too, the spread is 0; a median of 0 with other values has no relative spread.
  const spread = max === min ? 0 : (max - min) / middle;
  return { median: middle, min, max, spread, samples: values.length };
}

/**
 * How many times `b` the values of `a` are, with the range of the pairs (a[i], b[i]).
 *
 * Pairs are neighbours in time, since the order is A B B A, so that a slow minute of the machine hits both.
 * `null` where nothing can be said: no values, not the same number, or a zero to divide by.
 */
export function ratioOf(a: readonly number[], b: readonly number[]): Ratio | null {
  const top = median(a);
  const bottom = median(b);
  if (top === null || bottom === null || a.length !== b.length) return null;
  if (bottom === 0 || b.some((value) => value === 0)) return null;
  const pairs = a.map((value, i) => value / b[i]!);
  return {
    ratio: top / bottom,
    low: Math.min(...pairs),
    high: Math.max(...pairs),
    interval: 'range_of_paired_rounds',
    pairs,
  };
}
