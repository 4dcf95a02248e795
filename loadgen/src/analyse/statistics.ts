/**
 * Medians, spreads, ratios and their intervals. Pure functions of numbers, tested against known values.
 *
 * Invariants: nothing is rounded here. Too few samples give `null` or a verdict of their own. The same input gives the
 * same interval, since the seed is fixed.
 *
 * Intervals are percentile bootstraps (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, section 13.3). They
 * have two levels: rounds are drawn, then slices within each. Davison and Hinkley describe such levels (Bootstrap
 * Methods and their Application, 1997, section 3.8). Slices of one round share their processes, so that many slices of few processes do not pass for many
 * processes. What differs from one hour to another is in an interval only as far as it shows within one run.
 */
import { type Random, seededRandom } from '@twin-ingest/testkit/random.ts';

export interface Summary {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  /** (max - min) / median; 0.1 is ten percent. */
  readonly spread: number;
  readonly samples: number;
}

export interface Comparison {
  /** Median over all pairs of what the first has, over what the second has. */
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
  /** Share of resamples between low and high: 0.95. */
  readonly confidence: number;
  /** How low and high were found; `none` of a single pair. */
  readonly interval: 'two_level_bootstrap' | 'none';
  /** `null` of fewer than two rounds. */
  readonly split_half: SplitHalf | null;
  readonly verdict: Verdict;
}

/** The ratio of the odd rounds alone, and of the even rounds alone. */
export interface SplitHalf {
  readonly odd: number;
  readonly even: number;
  /** Whether they are no farther apart than `MOST_BETWEEN_HALVES`. */
  readonly agree: boolean;
}

/**
 * `higher`, `lower`: the first is, with an interval that does not hold 1. `no_difference`: the interval holds 1.
 * `too_few_rounds`: nothing can be said.
 */
export type Verdict = 'higher' | 'lower' | 'no_difference' | 'too_few_rounds';

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Share of the resamples that lie in an interval. */
export const CONFIDENCE = 0.95;

/**
 * What halves of a run may differ by. An interval of ±5 % of the whole is ±7 % of a half, so that two of them are 10 %
 * apart.
 */
export const MOST_BETWEEN_HALVES = 0.1;

/** With fewer rounds no verdict is given. */
export const ENOUGH_FOR_VERDICT = 4;

const RESAMPLES = 10_000;
const SEED = 1;

/** The middle value, or the mean of the two middle ones; `null` of nothing. */
export function median(values: readonly number[]): number | null {
  return values.length === 0 ? null : medianInPlace(Float64Array.from(values));
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

/** Values by round, and by slice within each. */
export type ByRound = readonly (readonly number[])[];

/**
 * How many times `b` the values of `a` are, with a 95 % interval over rounds and slices.
 *
 * `a[round][slice]` and `b[round][slice]` are neighbours in time, so a slow minute of the machine hits both: the ratio is
 * taken of each pair. `null` where nothing can be said: no values, not the same number, or a zero to divide by. That holds
 * for zeros on both sides too: they are equal, but no number of times each other, and the medians show it.
 */
export function compareSlices(a: ByRound, b: ByRound): Comparison | null {
  const isPaired = a.length === b.length && a.every((values, round) => values.length === b[round]!.length);
  if (!isPaired || b.flat().includes(0)) return null;
  const rounds = a
    .map((values, round) => values.map((value, slice) => value / b[round]![slice]!))
    .filter((ratios) => ratios.length > 0);
  const pairs = rounds.flat();
  const ratio = median(pairs);
  if (ratio === null) return null;
  const interval = pairs.length < 2 ? null : twoLevelInterval(rounds);
  const { low, high } = interval ?? { low: ratio, high: ratio };
  return {
    ratio,
    low,
    high,
    confidence: CONFIDENCE,
    interval: interval === null ? 'none' : 'two_level_bootstrap',
    split_half: splitHalf(rounds),
    verdict: verdictOf({ low, high }, rounds.length),
  };
}

/**
 * The same where a round is one value without a neighbour in time. The ratio is that of the medians, and pairs are drawn
 * together.
 */
export function compareRounds(a: readonly number[], b: readonly number[]): Comparison | null {
  const rounds = a.map((value, i) => [value / b[i]!]);
  const [top, bottom] = [median(a), median(b)];
  if (top === null || bottom === null || a.length !== b.length || b.includes(0)) return null;
  const ratio = top / bottom;
  const { low, high } = a.length < 2 ? { low: ratio, high: ratio } : pairedInterval(a, b);
  return {
    ratio,
    low,
    high,
    confidence: CONFIDENCE,
    interval: a.length < 2 ? 'none' : 'two_level_bootstrap',
    split_half: splitHalf(rounds),
    verdict: verdictOf({ low, high }, a.length),
  };
}

/** What an interval of a ratio amounts to. */
export function verdictOf({ low, high }: Interval, rounds: number): Verdict {
  if (rounds < ENOUGH_FOR_VERDICT) return 'too_few_rounds';
  if (low > 1) return 'higher';
  return high < 1 ? 'lower' : 'no_difference';
}

function splitHalf(rounds: ByRound): SplitHalf | null {
  if (rounds.length < 2) return null;
  const half = (parity: number) => median(rounds.filter((_, i) => i % 2 === parity).flat())!;
  const [odd, even] = [half(0), half(1)];
  return { odd, even, agree: Math.max(odd, even) <= Math.min(odd, even) * (1 + MOST_BETWEEN_HALVES) };
}

function pairedInterval(a: readonly number[], b: readonly number[]): Interval {
  const x = new Float64Array(a.length);
  const y = new Float64Array(b.length);
  return bootstrap((random) => {
    for (let i = 0; i < x.length; i++) {
      const drawn = random.below(x.length);
      x[i] = a[drawn]!;
      y[i] = b[drawn]!;
    }
    return medianInPlace(x) / medianInPlace(y);
  });
}

function twoLevelInterval(rounds: ByRound): Interval {
  const most = Math.max(...rounds.map(({ length }) => length)) * rounds.length;
  const drawn = new Float64Array(most);
  return bootstrap((random) => {
    let count = 0;
    for (let i = 0; i < rounds.length; i++) {
      const values = rounds[random.below(rounds.length)]!;
      for (let j = 0; j < values.length; j++) drawn[count++] = values[random.below(values.length)]!;
    }
    return medianInPlace(drawn.subarray(0, count));
  });
}

/** The middle 95 % of what many draws give. */
function bootstrap(draw: (random: Random) => number): Interval {
  const random = seededRandom(SEED);
  const drawn = new Float64Array(RESAMPLES);
  for (let i = 0; i < RESAMPLES; i++) drawn[i] = draw(random);
  drawn.sort();
  const tail = (1 - CONFIDENCE) / 2;
  return { low: quantile(drawn, tail), high: quantile(drawn, 1 - tail) };
}

/** Sorts `values`, which are not none. */
function medianInPlace(values: Float64Array): number {
  values.sort();
  const middle = values.length >> 1;
  return values.length % 2 === 1 ? values[middle]! : (values[middle - 1]! + values[middle]!) / 2;
}

export function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]!;
  return sum / values.length;
}

/** Of a sample: the squares are divided by one less than there are values. `null` of fewer than two. */
export function deviation(values: ArrayLike<number>): number | null {
  if (values.length < 2) return null;
  const centre = mean(values);
  let squares = 0;
  for (let i = 0; i < values.length; i++) squares += (values[i]! - centre) ** 2;
  return Math.sqrt(squares / (values.length - 1));
}
