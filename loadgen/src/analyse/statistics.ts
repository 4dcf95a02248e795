/**
 * Medians, spreads, ratios and their intervals. Pure functions of numbers, tested against known values.
 *
 * Invariant: nothing is rounded here, too few samples give `null` or say so, never a made-up
 * figure, and the same input gives the same interval: what is drawn is drawn from a fixed seed.
 *
 * Intervals are percentile bootstraps (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, section
 * 13.3). Of few rounds they are somewhat too narrow, since few rounds show little of their own scatter: of
 * five, in 8,000 simulated runs with normal noise of 5 %, what is called 95 % held the true ratio in 93.5 %
 * and the true median in 93.6 %. Rounds lie a cycle apart, so what the machine does in the time of a run is in them;
 * what differs from one run to the next, such as another hour, is in them as far as it shows within one.
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
   * The largest relative change between two rounds of the same server that A B B A puts one after the other, a cycle
   * apart: a difference below it is none. 0.03 is 3 %; `null` where no server had two rounds in a row.
   */
  readonly noise_floor: number | null;
  readonly verdict: Verdict;
}

/**
 * `higher`, `lower`: the first is, beyond the noise floor and with an interval that does not hold 1.
 * `no_difference`: it is not. `too_few_rounds`: nothing can be said.
 */
export type Verdict = 'higher' | 'lower' | 'no_difference' | 'too_few_rounds';

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Share of the resamples that lie in an interval. */
export const CONFIDENCE = 0.95;

/** With fewer values on either side no verdict is given. */
export const ENOUGH_FOR_VERDICT = 5;

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

/**
 * How many times `b` the values of `a` are, with a 95 % interval over pairs of rounds.
 *
 * Pairs (a[i], b[i]) are neighbours in time, being of one cycle, so that a slow minute of the machine hits both; they are drawn together, and the ratio of the medians is taken of each draw.
 * `null` where nothing can be said: no values, not the same number, or a zero to divide by. That holds for
 * zeros on both sides too: they are equal, but no number of times each other, and the medians show it.
 */
export function compareRounds(
  a: readonly number[],
  b: readonly number[],
  noiseFloor: number | null,
): Comparison | null {
  const top = median(a);
  const bottom = median(b);
  if (top === null || bottom === null || a.length !== b.length || b.includes(0)) return null;
  const ratio = top / bottom;
  const interval = a.length < 2 ? null : pairedInterval(a, b);
  const { low, high } = interval ?? { low: ratio, high: ratio };
  return {
    ratio,
    low,
    high,
    confidence: CONFIDENCE,
    interval: interval === null ? 'none' : 'bootstrap_of_paired_rounds',
    pairs: a.map((value, i) => value / b[i]!),
    noise_floor: noiseFloor,
    verdict: verdictOf(ratio, { low, high }, a.length, noiseFloor),
  };
}

/**
 * What a ratio with its interval amounts to.
 *
 * A change is measured from the smaller value, as the noise floor is, so that half counts as much as twice.
 * A noise floor of `null` is not known and raises no bar: the interval alone decides, since it holds the
 * scatter of the rounds already, and to call a tenfold difference none would be the greater error.
 */
export function verdictOf(
  ratio: number,
  { low, high }: Interval,
  rounds: number,
  noiseFloor: number | null,
): Verdict {
  if (rounds < ENOUGH_FOR_VERDICT) return 'too_few_rounds';
  if (relativeChange(ratio, 1) <= (noiseFloor ?? 0)) return 'no_difference';
  if (low > 1) return 'higher';
  return high < 1 ? 'lower' : 'no_difference';
}

/** How far two values lie apart, of the smaller: 0.5 for 2 and 3 and for 3 and 2. Infinite where one is 0. */
export function relativeChange(x: number, y: number): number {
  return x === y ? 0 : Math.max(x / y, y / x) - 1;
}

/**
 * The largest relative change between two rounds of the same server that follow each other in the order.
 *
 * `values` has one entry for each round of a server, in the order of its rounds, `null` where a round did not
 * measure it. `null` where no neighbours have values, or where one of two is 0, which no share of it reaches.
 */
export function noiseFloorOf<Name extends string>(
  order: readonly Name[],
  values: Readonly<Partial<Record<Name, readonly (number | null)[]>>>,
): number | null {
  const taken = new Map<Name, number>();
  const changes: number[] = [];
  let before: { name: Name; value: number | null } | undefined;
  for (const name of order) {
    const at = taken.get(name) ?? 0;
    taken.set(name, at + 1);
    const value = values[name]?.[at];
    if (value === undefined) throw new RangeError(`round ${at + 1} of ${name} has no entry`);
    if (before?.name === name && before.value !== null && value !== null) {
      changes.push(relativeChange(before.value, value));
    }
    before = { name, value };
  }
  const largest = Math.max(...changes);
  return Number.isFinite(largest) ? largest : null;
}

/** 95 % interval of a median; `null` of fewer than two values. */
export function medianInterval(values: readonly number[]): Interval | null {
  return values.length < 2 ? null : bootstrap(medianDrawer(values));
}

/** 95 % interval of the median of `a` over that of `b`, whose rounds are no pairs: each side is drawn alone. */
export function unpairedInterval(a: readonly number[], b: readonly number[]): Interval | null {
  if (a.length < 2 || b.length < 2 || b.includes(0)) return null;
  const top = medianDrawer(a);
  const bottom = medianDrawer(b);
  return bootstrap((random) => top(random) / bottom(random));
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

/** The middle 95 % of what many draws give. */
function bootstrap(draw: (random: Random) => number): Interval {
  const random = seededRandom(SEED);
  const drawn = new Float64Array(RESAMPLES);
  for (let i = 0; i < RESAMPLES; i++) drawn[i] = draw(random);
  drawn.sort();
  const tail = (1 - CONFIDENCE) / 2;
  return { low: quantile(drawn, tail), high: quantile(drawn, 1 - tail) };
}

/** The median of as many values as there are, drawn with replacement. */
function medianDrawer(values: readonly number[]): (random: Random) => number {
  const drawn = new Float64Array(values.length);
  return (random) => {
    for (let i = 0; i < drawn.length; i++) drawn[i] = values[random.below(values.length)]!;
    return medianInPlace(drawn);
  };
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
