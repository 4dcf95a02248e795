/** Fills in the hours without events for a plot, since the answer omits them. */
import type { Series } from '@twin-ingest/client';
import type { Bucket } from './api.ts';
import { COST_SUMS, type CostSum } from './figure-names.ts';

/** The hours in Unix seconds, and the sums of each. */
export type Hours = Readonly<Record<'at' | CostSum, number[]>>;

/** Events and failed events by hour, in Unix seconds. */
export type HourCounts = ReadonlyMap<number, readonly [events: number, failed: number]>;

const HOUR_MS = 3_600_000;
const LEAST = 24;
const MOST = 168;

/** Reads a series by hour that has one line. */
export function hourCounts({ buckets, series: [line] }: Series): HourCounts {
  return new Map(
    buckets.map((bucket, i) => [
      Date.parse(bucket) / 1000,
      [line?.event_count[i] ?? 0, line?.error_count[i] ?? 0] as const,
    ]),
  );
}

/**
 * Returns the hours up to the hour `now` (hours since 1970). They begin with the hour `from`, or without it with the
 * oldest bucket: at least a day, at most a week.
 */
export function hourly(timeline: readonly Bucket[], now: number, from: number | null = null): Hours {
  const byHour = new Map(timeline.map((one) => [Math.floor(Date.parse(one.bucket) / HOUR_MS), one]));
  const oldest = Math.min(now, ...byHour.keys());
  const count = from === null ? Math.min(MOST, Math.max(LEAST, now - oldest + 1)) : now - from + 1;
  const hours = Array.from({ length: count }, (_, i) => now - count + 1 + i);
  const sums = COST_SUMS.map((name) => [name, hours.map((hour) => byHour.get(hour)?.[name] ?? 0)] as const);
  const at = hours.map((hour) => (hour * HOUR_MS) / 1000);
  return { at, ...(Object.fromEntries(sums) as Record<CostSum, number[]>) };
}
