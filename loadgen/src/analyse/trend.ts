/**
 * Detects a trend (decision 36): a figure that changes in every round, in the same direction on all servers.
 *
 * Medians and bootstrap intervals assume that rounds are exchangeable. They are not when the machine becomes faster
 * during a run. By chance alone, two servers show a trend in four rounds in 2 of 576 runs, and with more rounds less
 * often.
 */
import { median } from './statistics.ts';

/** One server must have more rounds than two servers, so that chance alone is as rare. */
const ENOUGH_PAIRS = 5;
/** Smallest relative change that is reported as a trend. Smaller changes do not affect a conclusion. */
const SMALLEST_CHANGE = 0.05;

/**
 * Returns the relative change of each row, from the median of its first third to that of its last third. Returns
 * `null` when the rows show no trend. The values of a row have the order of their rounds.
 */
export function trendOf(rows: readonly (readonly number[])[]): readonly number[] | null {
  const steps = rows.flatMap((values) => values.slice(1).map((value, i) => Math.sign(value - values[i]!)));
  const isOneWay = steps.length >= ENOUGH_PAIRS && steps.every((step) => step !== 0 && step === steps[0]);
  if (!isOneWay) return null;
  const changes = rows.filter(({ length }) => length > 1).map(changeOf);
  return changes.every((change) => Math.abs(change) >= SMALLEST_CHANGE) ? changes : null;
}

function changeOf(values: readonly number[]): number {
  const third = Math.ceil(values.length / 3);
  return median(values.slice(-third))! / median(values.slice(0, third))! - 1;
}
