/**
 * DATA: the points, with unit and title, in the order of the table; and what was found of them.
 *
 * What must stay true: every raw value stays in the result, and a point that has none is not in it.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Unit } from '../metrics.ts';
import { summarise } from '../statistics.ts';

interface Known {
  readonly unit: Unit | 'ratio';
  readonly title: string;
}

const KNOWN = {
  start_empty_ms: { unit: 'ms', title: 'Start, empty database' },
  start_full_ms: { unit: 'ms', title: 'Start, full database' },
  idle_rss_empty_bytes: { unit: 'bytes', title: 'Idle memory, empty database' },
  idle_rss_full_bytes: { unit: 'bytes', title: 'Idle memory, full database' },
  peak_rss_seed_bytes: { unit: 'bytes', title: 'Peak memory, 20,000 mixed events' },
  peak_rss_load_bytes: { unit: 'bytes', title: 'Peak memory, load on a full database' },
  throughput_full_events_per_s: { unit: 'events_per_s', title: 'Throughput, full database' },
  throughput_empty_events_per_s: { unit: 'events_per_s', title: 'Throughput, empty database' },
  throughput_grown_events_per_s: { unit: 'events_per_s', title: 'Throughput, grown database' },
  growth_ratio: { unit: 'ratio', title: 'Throughput, grown over empty' },
  reading_rate_events_per_s: { unit: 'events_per_s', title: 'Rate beside which is read' },
  reads_late_p99_ms: { unit: 'ms', title: 'How late the reader sent, p99' },
  live_p50_ms: { unit: 'ms', title: 'The smallest answer beside a load, p50' },
  live_p99_ms: { unit: 'ms', title: 'The smallest answer beside a load, p99' },
  stats_p50_ms: { unit: 'ms', title: 'Statistics beside a load, p50' },
  stats_p99_ms: { unit: 'ms', title: 'Statistics beside a load, p99' },
  events_p50_ms: { unit: 'ms', title: 'Filtered events beside a load, slowest p50' },
  events_p99_ms: { unit: 'ms', title: 'Filtered events beside a load, slowest p99' },
  reads_failed: { unit: 'count', title: 'Reads without a 200 within 10 s' },
  disk_bytes_beyond_metadata_per_event: { unit: 'bytes', title: 'Bytes on disk per event beyond metadata' },
  deployed_bytes: { unit: 'bytes', title: 'Deployed size' },
  deployed_with_runtime_bytes: { unit: 'bytes', title: 'Deployed size with runtime' },
} as const satisfies Readonly<Record<string, Known>>;

export type PointName = keyof typeof KNOWN;

export interface Values {
  /** In the order in which they were measured. */
  readonly values: readonly number[];
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export type ByServer = Readonly<Partial<Record<TargetName, Values>>>;

export interface Point extends Known {
  readonly name: PointName;
  readonly servers: ByServer;
  /** Of a point that is the largest of several paths: each of them. */
  readonly paths?: Readonly<Record<string, ByServer>>;
}

type Found = Map<TargetName, number[]>;

/** Collects values as they are measured. */
export class Points {
  readonly #whole = new Map<PointName, Found>();
  readonly #paths = new Map<PointName, Map<string, Found>>();

  add(name: PointName, target: TargetName, ...values: readonly number[]): void {
    append(
      kept(this.#whole, name, () => new Map()),
      target,
      values,
    );
  }

  addPath(name: PointName, path: string, target: TargetName, value: number): void {
    const paths = kept(this.#paths, name, () => new Map<string, Found>());
    append(
      kept(paths, path, () => new Map()),
      target,
      [value],
    );
  }

  /** Values of a server so far. */
  of(name: PointName, target: TargetName): readonly number[] {
    return this.#whole.get(name)?.get(target) ?? [];
  }

  all(): Point[] {
    return (Object.keys(KNOWN) as PointName[]).flatMap((name) => {
      const found = this.#whole.get(name);
      if (found === undefined) return [];
      const point: Point = { name, ...KNOWN[name], servers: byServer(found) };
      const paths = this.#paths.get(name);
      if (paths === undefined) return [point];
      const each = [...paths].map(([path, values]) => [path, byServer(values)] as const);
      return [{ ...point, paths: Object.fromEntries(each) }];
    });
  }
}

function append(found: Found, target: TargetName, values: readonly number[]): void {
  kept(found, target, () => []).push(...values);
}

function byServer(found: Found): ByServer {
  const each = [...found].map(([target, values]) => {
    const { median, min, max } = summarise(values)!;
    return [target, { values, median, min, max }] as const;
  });
  return Object.fromEntries(each);
}

function kept<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
