/** When the work of events happened: the time of an event is its begin or its end, and its duration leads to the other. */
import type { Row } from '../api.ts';
import { isObject } from '../hook-summary.ts';

/** From and to, in Unix milliseconds. */
export type Interval = readonly [number, number];

/** Returns when an event happened. */
export function timeOf({ time }: Row): number {
  return Date.parse(time);
}

/** Returns the interval of an event: a span is stored with its start, everything else with its end. */
export function intervalOf(row: Row): Interval {
  const at = timeOf(row);
  const took = row.duration_ms ?? 0;
  return isSpan(row) ? [at, at + took] : [at - took, at];
}

function isSpan({ source, metadata }: Row): boolean {
  return source === 'otel' && isObject(metadata) && 'start' in metadata && 'end' in metadata;
}

/** Returns the length of the union of intervals: time that several of them cover counts once. */
export function unionOf(intervals: readonly Interval[]): number {
  let [sum, end] = [0, -Infinity];
  for (const [from, to] of intervals.toSorted(([a], [b]) => a - b)) {
    sum += Math.max(0, to - Math.max(from, end));
    end = Math.max(end, to);
  }
  return sum;
}
