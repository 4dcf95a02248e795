/**
 * What each server was to reach, and where the committed measurements say it.
 *
 * "must" and "stretch" are this project's own; MB are millions of bytes. Knows nothing of how it is shown.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Part } from '../limit/part.ts';
import type { PointsResult } from '../points/output.ts';
import type { Result } from '../result.ts';

/** The committed measurements, by the name of their file; the first is always there. */
export interface Measured {
  readonly small: Result;
  readonly real?: Result;
  readonly single?: Result;
  readonly power?: Result;
  readonly open?: Result;
  readonly points?: PointsResult;
  readonly limits?: LimitsResult;
}

/** What `pnpm bench:limit` leaves; before it told when and of which commit, it had neither. */
export interface LimitsResult extends Partial<Pick<Result, 'created_at' | 'environment'>> {
  readonly parts: readonly Part[];
}

export const MEASURED_FILES = ['small', 'real', 'single', 'power', 'open', 'points', 'limits'] as const;

export interface Figure {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export interface Row {
  readonly title: string;
  readonly unit: 'events/s' | 'requests/s' | 'µs' | 'ms' | 'MB' | 'B' | 'of it';
  /** Whether more is better. */
  readonly more: boolean;
  /** Must and stretch. */
  readonly rs: readonly [number, number];
  readonly ts?: readonly [number, number];
  /** Nothing where it was not measured. */
  of(measured: Measured, server: TargetName): Figure | undefined;
}

const metric = (
  result: Result | undefined,
  mode: string,
  name: string,
  server: TargetName,
): Figure | undefined => {
  if (result === undefined) return undefined;
  const found = result.measurements.find((one) => one.name === mode)?.servers[server]?.metrics[name];
  if (!found) throw new Error(`no ${name} of ${mode} for ${server}`);
  return found;
};
const point =
  (name: string, scale = 1) =>
  ({ points }: Measured, server: TargetName): Figure | undefined => {
    if (points === undefined) return undefined;
    const found = points.points.find((one) => one.name === name)?.servers[server];
    if (!found) throw new Error(`no point ${name} for ${server}`);
    const { median, min, max } = found;
    return { median: median / scale, min: min / scale, max: max / scale };
  };
const p99 =
  (name: string) =>
  ({ open }: Measured, server: TargetName): Figure | undefined =>
    metric(open, name, 'latency_p99_ms', server);
const throughput =
  (file: 'small' | 'real', name = 'batch') =>
  (measured: Measured, server: TargetName): Figure | undefined =>
    metric(measured[file], name, 'throughput_events_per_s', server);

const MB = 1e6;
export const ROWS: readonly Row[] = [
  {
    title: 'durable events/s, small',
    unit: 'events/s',
    more: true,
    rs: [110_000, 150_000],
    ts: [60_000, 80_000],
    of: throughput('small'),
  },
  {
    title: 'durable events/s, real',
    unit: 'events/s',
    more: true,
    rs: [75_000, 110_000],
    ts: [40_000, 60_000],
    of: throughput('real'),
  },
  {
    title: 'CPU per event, all threads, small',
    unit: 'µs',
    more: false,
    rs: [9, 6],
    ts: [16, 12],
    of: ({ small }, server) => metric(small, 'batch', 'server_cpu_us_per_event', server),
  },
  {
    title: 'open loop p99, batches of 50 small events, at 10,000 events/s',
    unit: 'ms',
    more: false,
    rs: [5, 2],
    ts: [10, 5],
    of: p99('open_10000'),
  },
  {
    title: 'the same at 30,000 events/s',
    unit: 'ms',
    more: false,
    rs: [10, 5],
    ts: [25, 12],
    of: p99('open_30000'),
  },
  {
    title: 'the same at 75 % of its own throughput',
    unit: 'ms',
    more: false,
    rs: [40, 15],
    ts: [60, 30],
    of: p99('open_75_percent'),
  },
  {
    title: 'single-event requests/s, 40 connections',
    unit: 'requests/s',
    more: true,
    rs: [25_000, 40_000],
    ts: [12_000, 18_000],
    of: ({ single }, server) => metric(single, 'single', 'throughput_events_per_s', server),
  },
  {
    title: '`power` durability against `process`, batches of 50',
    unit: 'of it',
    more: true,
    rs: [0.6, 0.8],
    ts: [0.6, 0.8],
    of: ({ power, small }, server) => {
      const found = metric(power, 'batch', 'throughput_events_per_s', server);
      const base = metric(small, 'batch', 'throughput_events_per_s', server);
      if (found === undefined || base === undefined) return undefined;
      const { median, min, max } = found;
      return { median: median / base.median, min: min / base.median, max: max / base.median };
    },
  },
  {
    title: 'idle RSS, empty',
    unit: 'MB',
    more: false,
    rs: [7, 5],
    ts: [95, 80],
    of: point('idle_rss_empty_bytes', MB),
  },
  {
    title: 'idle RSS, 1,000,000 events',
    unit: 'MB',
    more: false,
    rs: [12, 9],
    ts: [105, 90],
    of: point('idle_rss_full_bytes', MB),
  },
  {
    title: 'peak RSS, 20,000 mixed events',
    unit: 'MB',
    more: false,
    rs: [20, 14],
    ts: [150, 120],
    of: point('peak_rss_seed_bytes', MB),
  },
  {
    title: 'peak RSS, the small load',
    unit: 'MB',
    more: false,
    rs: [48, 32],
    ts: [190, 150],
    of: point('peak_rss_load_bytes', MB),
  },
  {
    title: 'spawn to first 200 of `/readyz`, empty',
    unit: 'ms',
    more: false,
    rs: [8, 5],
    ts: [220, 140],
    of: point('start_empty_ms'),
  },
  {
    title: 'the same, 1,000,000 events',
    unit: 'ms',
    more: false,
    rs: [15, 8],
    ts: [240, 150],
    of: point('start_full_ms'),
  },
  {
    title: 'deployed, without the Node runtime',
    unit: 'MB',
    more: false,
    rs: [4, 3.5],
    ts: [5, 4],
    of: point('deployed_bytes', MB),
  },
  {
    title: 'bytes on disk per event beyond its metadata text',
    unit: 'B',
    more: false,
    rs: [120, 90],
    of: point('disk_bytes_beyond_metadata_per_event'),
  },
  {
    title: '`GET /api/stats` p99 beside 70 % of its throughput',
    unit: 'ms',
    more: false,
    rs: [5, 2],
    ts: [10, 5],
    of: point('stats_p99_ms'),
  },
  {
    title: '`GET /api/events`, 50 rows, the slowest filter, the same',
    unit: 'ms',
    more: false,
    rs: [20, 8],
    ts: [30, 15],
    of: point('events_p99_ms'),
  },
  {
    title: 'throughput at 5,000,000 stored events against an empty file',
    unit: 'of it',
    more: true,
    rs: [0.8, 0.95],
    ts: [0.8, 0.95],
    of: point('growth_ratio'),
  },
];
