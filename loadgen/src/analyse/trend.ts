/**
 * Whether a figure went one way while the rounds of a run followed one another.
 *
 * Medians and bootstrap intervals assume that rounds are exchangeable. Where a machine becomes faster during a run they
 * are not: an interval then mixes its speed at the start and at the end. Another run has another mixture.
 * Kendall's S (Kendall, Biometrika 30, 1938, 81-93) is the number of pairs of rounds that rise less those that fall. It
 * is summed over the servers, since the machine affects both. Its distribution without a trend is exact: that of the
 * inversions of random orders.
 */
import { median } from './statistics.ts';

/** Both directions together: of a full run with a dozen measurements, chance says so one time in ten. */
const BY_CHANCE = 0.01;
/** Smaller changes are reported from chance and change nothing. */
const SMALLEST_CHANGE = 0.05;

export interface Trend {
  /** Of each row, how much its last third differs from its first, as a share; by medians. */
  readonly changes: readonly number[];
  /** How often chance alone goes as far, either way. */
  readonly probability: number;
}

/** Of rows of values in the order of their rounds; `null` where nothing speaks for a trend. */
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

/** Pairs that rise less pairs that fall; equal values are neither. */
function kendallS(values: readonly number[]): number {
  let s = 0;
  for (const [at, value] of values.entries())
    for (const later of values.slice(at + 1)) s += Math.sign(later - value);
  return s;
}

/** Of S being as far from 0 as this, or farther, where every order of each row is as likely as any other. */
function probabilityOf(s: number, lengths: readonly number[]): number {
  // By inversions: S of a row is all its pairs less twice those.
  const inversions = lengths.map(inversionsOf).reduce(sumOf, [1]);
  const pairs = inversions.length - 1;
  return inversions.reduce((sum, share, count) => (Math.abs(pairs - 2 * count) >= s ? sum + share : sum), 0);
}

/** The share of the orders of `length` values that have 0, 1, 2 … inversions. */
function inversionsOf(length: number): number[] {
  let shares = [1];
  for (let n = 2; n <= length; n++)
    shares = sumOf(
      shares,
      Array.from({ length: n }, () => 1 / n),
    );
  return shares;
}

/** The distribution of the sum of two numbers that are independent, each by its own. */
function sumOf(one: readonly number[], other: readonly number[]): number[] {
  const sum = Array.from({ length: one.length + other.length - 1 }, () => 0);
  for (const [i, a] of one.entries()) for (const [j, b] of other.entries()) sum[i + j]! += a * b;
  return sum;
}

function changeOf(values: readonly number[]): number {
  const third = Math.ceil(values.length / 3);
  return median(values.slice(-third))! / median(values.slice(0, third))! - 1;
}
