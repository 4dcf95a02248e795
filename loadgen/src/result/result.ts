/**
 * The shape of a result, from which all tables, documents and plots are made.
 *
 * `loadgen/benchmark-results.schema.json` describes the summary. Every figure of the summary can be computed from the
 * raw data. The summary contains their digest.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Drift } from '../analyse/drift.ts';
import type { ByRound, Comparison, Summary } from '../analyse/statistics.ts';
import type { SeenWarning } from '../analyse/warning.ts';
import type { DriverFacts } from '../load/drivers/driver.ts';
import type { PoolFacts } from '../load/pool.ts';
import type { ReaderSample } from '../observe/reader.ts';
import type { ProcessSample, Slice } from '../observe/sample.ts';
import type { DeployedSize } from '../observe/size.ts';
import type { SuiteFacts, SuiteServer } from './suite-rows.ts';

export const SCHEMA_VERSION = 3;

export type Mode = 'startup' | 'batch' | 'single' | 'open' | 'soak';

export interface Result extends SuiteFacts {
  readonly schema_version: number;
  readonly servers: Readonly<Partial<Record<TargetName, ServerFacts>>>;
  /** `null` until the raw data are written. */
  readonly raw: { readonly sha256: string; readonly bytes: number; readonly report_sha256?: string } | null;
  readonly ceilings: readonly Ceiling[];
  readonly measurements: readonly Measurement[];
  readonly warnings: readonly SeenWarning[];
}

export interface ServerFacts extends SuiteServer {
  readonly deployed: DeployedSize;
}

/** Throughput and CPU time of each server's own database code, without parsing, checking and HTTP. */
export interface Ceiling {
  /** Digest of the payload that the ceiling was measured with (`PoolFacts.sha256`). */
  readonly payload_sha256: string;
  readonly durability: 'process' | 'power';
  /** Number of events in one transaction. */
  readonly group_events: number;
  readonly samples: readonly CeilingSample[];
  readonly servers: Readonly<
    Partial<Record<TargetName, Record<'events_per_s' | 'cpu_us_per_event', Summary>>>
  >;
}

/** Figures of one bulk insert, and its number of events. */
export interface CeilingSample extends Readonly<Record<'events' | 'duration_ms' | 'cpu_us', number>> {
  readonly target: TargetName;
}

export interface Workload {
  /** Number of events of a round per server; `null` in an open loop. */
  readonly events: number | null;
  readonly duration_s: number | null;
  readonly connections: number;
  readonly batch_size: number;
  /**
   * Number of warm-up events. `null`: the rate of an open loop determines it. 0: an earlier measurement of the group
   * has warmed up the processes.
   */
  readonly warmup_events: number | null;
  readonly rounds: number;
  readonly slices: number;
  readonly durability: 'process' | 'power';
  readonly stream_clients: number;
  readonly rate: Rate | null;
}

/** The requested rate: the same for both servers, or a share of each server's own throughput in the same round. */
export type Rate =
  | { readonly kind: 'fixed'; readonly events_per_s: number }
  | {
      readonly kind: 'share';
      readonly share: number;
      readonly events_per_s: Readonly<Partial<Record<TargetName, number>>>;
    };

export interface Measurement {
  /** Unique name in a result, such as `startup`, `batch`, `open_1000`, `open_75_percent`, `plain_batch` or `soak`. */
  readonly name: string;
  readonly title: string;
  readonly mode: Mode;
  /** This member and the next two are `null` for starts, which send nothing. */
  readonly workload: Workload | null;
  readonly driver: DriverFacts | null;
  readonly payload: PoolFacts | null;
  readonly contenders: 'product' | 'plain';
  /** Index in `ceilings`; `null` where there is none. */
  readonly ceiling: number | null;
  /** Server of each start or slice, in order. */
  readonly order: readonly TargetName[];
  readonly servers: Readonly<Partial<Record<TargetName, ServerMeasurement>>>;
  /** Rust over TypeScript by key of the metric; `null` when there is no ratio, absent with only one server. */
  readonly comparison?: Readonly<Record<string, Comparison | null>>;
  /**
   * Number of stored events that the audit verified, over all processes. 0 when another measurement of the group has
   * the processes.
   */
  readonly audited_events: number;
  /** Use of the generator's process; `null` for starts. */
  readonly generator: { readonly cpu_us_per_event: number; readonly core_share: number } | null;
  readonly warnings: readonly SeenWarning[];
}

export interface RawMeasurement extends Measurement {
  readonly slices: readonly Slice[];
  /** Processes of the group; empty for every measurement but the first of the group. */
  readonly processes: readonly ProcessSample[];
}

export interface RawResult extends Result {
  readonly measurements: readonly RawMeasurement[];
}

export interface ServerMeasurement {
  /** Milliseconds from spawn to ready of each start, in order; only in `startup`. */
  readonly starts_ms?: readonly number[];
  /** Summaries by key of the metric; `null` when the metric was not measured. */
  readonly metrics: Readonly<Record<string, Summary | null>>;
  /** Values by round and slice, by key of the metric; only for some metrics of the main group. */
  readonly values?: Readonly<Record<string, ByRound>>;
  readonly reads?: ReaderSample;
  /** Drift of each column of the timeline; only in a soak. */
  readonly drift?: Readonly<Record<string, Drift>>;
}

type Measured<One> = { readonly measurements: readonly One[] };

export function measurementNamed<One extends Measurement>(result: Measured<One>, name: string) {
  return result.measurements.find((measurement) => measurement.name === name);
}

/** Returns the closed loop that is shown first; `undefined` in a run without one. */
export function headlineOf<One extends Measurement>(result: Measured<One>): One | undefined {
  const named = ['batch', 'corpus', 'single'].flatMap((name) => measurementNamed(result, name) ?? []);
  return named[0] ?? result.measurements.find(({ mode }) => mode !== 'startup' && mode !== 'open');
}
