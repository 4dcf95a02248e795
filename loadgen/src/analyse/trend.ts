/**
 * Detects a trend: a figure that rises or falls from round to round during a run.
 *
 * Medians and bootstrap intervals assume that rounds are exchangeable. They are not when the machine becomes faster
 * during a run: an interval then mixes the speeds at its start and end. Another run has another mixture.
 *
 * Kendall's S (Kendall, Biometrika 30, 1938, 81-93) is the number of rising pairs of rounds minus the number of falling
 * pairs. It is summed over the servers, since the machine affects both. Its exact distribution without a trend is that
 * of the inversions of random permutations.
 */
import { median } from './statistics.ts';

/**
 * Two-sided significance level. In a full run with a dozen measurements, chance alone gives a trend about one time in
 * ten.
 */
const BY_CHANCE = 0.01;
/** Smallest relative change that is reported as a trend. Smaller changes do not affect a conclusion. */
const SMALLEST_CHANGE = 0.05;

export interface Trend {
  /** For each row: the relative change from the median of its first third to the median of its last third. */
  readonly changes: readonly number[];
  /** Two-sided probability that chance alone gives a value of S at least as extreme. */
  readonly probability: number;
}

/** Returns the trend of rows whose values are in the order of their rounds; `null` when there is none. */
export function trendOf(rows: readonly (readonly number[])[]): Trend | null {
  const long = rows.filter((values) => values.length > 1);
  if (long.length === 0) return null;
  const s = long.reduce((sum, values) => sum + kendallS(values), 0);
  const probability = probabilityOf(
    Math.abs(s),
    long.map(({ length }) => length),
  );
  const changes = long.map(changeOf);
  const isLarge = changes.every(
    (change) => Math.sign(change) === Math.sign(s) && Math.abs(change) >= SMALLEST_CHANGE,
  );
  return probability < BY_CHANCE && isLarge ? { changes, probability } : null;
}

/** Returns the number of rising pairs minus the number of falling pairs. Equal values count as neither. */
function kendallS(values: readonly number[]): number {
  let s = 0;
  for (const [at, value] of values.entries())
    for (const later of values.slice(at + 1)) s += Math.sign(later - value);
  return s;
}

/** Returns the probability that |S| is at least `s` when all orders of each row are equally likely. */
function probabilityOf(s: number, lengths: readonly number[]): number {
  // S of a row is its number of pairs minus twice its number of inversions.
  const inversions = lengths.map(inversionsOf).reduce(sumOf, [1]);
  const pairs = inversions.length - 1;
  return inversions.reduce((sum, share, count) => (Math.abs(pairs - 2 * count) >= s ? sum + share : sum), 0);
}

/** Returns the shares of all orders of `length` values that have 0, 1, 2 … inversions. */
function inversionsOf(length: number): number[] {
  let shares = [1];
  for (let n = 2; n <= length; n++)
    shares = sumOf(
      shares,
      Array.from({ length: n }, () => 1 / n),
    );
  return shares;
}

/** Returns the distribution of the sum of two independent numbers, from the distribution of each. */
function sumOf(one: readonly number[], other: readonly number[]): number[] {
  const sum = Array.from({ length: one.length + other.length - 1 }, () => 0);
  for (const [i, a] of one.entries()) for (const [j, b] of other.entries()) sum[i + j]! += a * b;
  return sum;
}

function changeOf(values: readonly number[]): number {
  const third = Math.ceil(values.length / 3);
  return median(values.slice(-third))! / median(values.slice(0, third))! - 1;
}
