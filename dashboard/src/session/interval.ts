/**
 * When events happened. An event has one time: the client's, otherwise the server's. Its duration says where the work
 * began or ended.
 */
import type { Row } from '../api.ts';
import { isObject } from '../hook-summary.ts';

/** From and to, in Unix milliseconds. */
export type Interval = readonly [number, number];

/** Returns the time of an event. A client's clock that is ahead does not count: no event is stored before it happens. */
export function timeOf({ client_timestamp, created_at }: Row): number {
  const stored = Date.parse(created_at);
  return client_timestamp === null ? stored : Math.min(stored, Date.parse(client_timestamp));
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
