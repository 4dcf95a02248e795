/** Counts durations in classes of bounded relative width, and takes percentiles of them (rule SER-06). */
import { LIMITS } from '../contract.ts';

/** The number of durations of each class, by the first millisecond of the class. */
export type Durations = Map<number, number>;

/** Adds a list of whole milliseconds with commas between them. */
export function addDurations(durations: Durations, list: string): void {
  for (const text of list.split(',')) {
    const of = classOf(Number(text));
    durations.set(of, (durations.get(of) ?? 0) + 1);
  }
}

/** Adds the counts of another histogram. */
export function mergeDurations(durations: Durations, others: Durations): void {
  for (const [of, count] of others) durations.set(of, (durations.get(of) ?? 0) + count);
}

/** Returns the counts of all classes, the shortest durations first. */
export function countsOf(durations: Durations): readonly (readonly [ms: number, count: number])[] {
  return [...durations].sort(([a], [b]) => a - b);
}

/** Returns the class of the duration with the nearest rank; null without durations. */
export function percentileOf(durations: Durations, percent: number): number | null {
  const counts = countsOf(durations);
  const all = counts.reduce((sum, [, count]) => sum + count, 0);
  let left = Math.ceil((all * percent) / 100);
  for (const [ms, count] of counts) {
    left -= count;
    if (left <= 0) return ms;
  }
  return null;
}

/** Returns the first millisecond of a class. Its width is a power of two, so the division is exact. */
function classOf(ms: number): number {
  let width = 1;
  while (ms / width >= 2 * LIMITS.duration_classes) width *= 2;
  return Math.floor(ms / width) * width;
}
