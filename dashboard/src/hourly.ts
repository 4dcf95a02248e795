/** Fills in the hours without events for a plot, since the answer omits them. */
import type { Series } from '@twin-ingest/client';
import type { Bucket } from './api.ts';

export interface Hours {
  /** Unix seconds. */
  readonly at: number[];
  readonly tokens_in: number[];
  readonly tokens_out: number[];
  readonly cost_usd: number[];
  readonly computed_cost_usd: number[];
}

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
  const column = (of: (bucket: Bucket) => number) =>
    hours.map((hour) => {
      const bucket = byHour.get(hour);
      return bucket === undefined ? 0 : of(bucket);
    });
  return {
    at: hours.map((hour) => (hour * HOUR_MS) / 1000),
    tokens_in: column((bucket) => bucket.tokens_in),
    tokens_out: column((bucket) => bucket.tokens_out),
    cost_usd: column((bucket) => bucket.cost_usd),
    computed_cost_usd: column((bucket) => bucket.computed_cost_usd),
  };
}
