/**
 * The shape of a result, from which all tables, documents and plots are made.
 *
 * `contract/benchmark-results.schema.json` describes the summary. Every figure of it can be computed from the raw data,
 * whose digest it holds.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Drift } from '../analyse/drift.ts';
import type { ByRound, Comparison, Summary } from '../analyse/statistics.ts';
import type { SeenWarning } from '../analyse/warning.ts';
import type { Ceiling } from '../ceilings/ceiling.ts';
import type { DriverFacts } from '../load/drivers/driver.ts';
import type { PoolFacts } from '../load/pool.ts';
import type { Environment } from '../observe/environment.ts';
import type { ProcessSample, ReaderSample, Slice } from '../observe/sample.ts';
import type { DeployedSize } from '../observe/size.ts';
import type { Placement } from '../plan/placement.ts';
import type { Health } from '../verify/health.ts';

export const SCHEMA_VERSION = 3;

export type Mode = 'startup' | 'batch' | 'single' | 'open' | 'soak';

export interface Result {
  readonly schema_version: number;
  readonly created_at: string;
  /** The whole run, builds and checks included. */
  readonly took_s: number;
  /** The flags as given, files by their names alone. */
  readonly flags: readonly string[];
  readonly environment: Environment;
  readonly placement: Placement;
  readonly servers: Readonly<Partial<Record<TargetName, ServerFacts>>>;
  /** The raw data of this run; `null` until it is written. */
  readonly raw: RawFile | null;
  readonly ceilings: readonly Ceiling[];
  readonly measurements: readonly Measurement[];
  readonly thresholds: readonly ThresholdOutcome[];
  /** Warnings about the run as a whole; each measurement has its own. */
  readonly warnings: readonly SeenWarning[];
}

/** A file next to the summary, which no commit holds. */
export interface RawFile {
  readonly sha256: string;
  readonly bytes: number;
}

/** What a condition of the command line came to. */
export interface ThresholdOutcome {
  readonly condition: string;
  /** Of each measurement that has the metric: what was found, and whether it holds. */
  readonly found: readonly {
    readonly measurement: string;
    readonly value: number | null;
    readonly holds: boolean;
  }[];
}

export interface ServerFacts {
  readonly label: string;
  readonly health: Health;
  readonly deployed: DeployedSize;
}

/** What both servers were given in one measurement. */
export interface Workload {
  /** Events of a round per server; `null` in an open loop. */
  readonly events: number | null;
  /** Of a slice; `null` where the number of events was given. */
  readonly duration_s: number | null;
  readonly connections: number;
  readonly batch_size: number;
  /** Events to warm up, resolved where a trial sizes them; `null`: four seconds at the rate. */
  readonly warmup_events: number | null;
  /** Fresh processes of each server. */
  readonly rounds: number;
  /** Slices of load per server and round. */
  readonly slices: number;
  readonly durability: 'process' | 'power';
  readonly max_metadata_bytes: number | null;
  readonly ids: 'random' | 'time';
  readonly preload_events: number;
  readonly stream_clients: number;
  /** Asked of both servers (events/s), or of each a share of its own throughput; `null` in a closed loop. */
  readonly rate: Rate | null;
}

export type Rate =
  | { readonly kind: 'fixed'; readonly events_per_s: number }
  | {
      readonly kind: 'share';
      readonly share: number;
      /** What each server was asked for, the median over its rounds: the share of its throughput in the same cycle. */
      readonly events_per_s: Readonly<Partial<Record<TargetName, number>>>;
    };

export interface Measurement {
  /** Unique in a result: `startup`, `batch`, `open_1000`, `open_75_percent`, `plain_batch`, `single`, `power`, `stream`, `soak`. */
  readonly name: string;
  readonly title: string;
  readonly mode: Mode;
  /** `null` for starts, which send nothing. */
  readonly workload: Workload | null;
  readonly driver: DriverFacts | null;
  readonly payload: PoolFacts | null;
  /** The servers of this repository, or the plain ones (decision 67). */
  readonly contenders: 'product' | 'plain';
  /** Index in `ceilings`; `null` where there is none. */
  readonly ceiling: number | null;
  /** The server of each start or slice, in order. */
  readonly order: readonly TargetName[];
  readonly servers: Readonly<Partial<Record<TargetName, ServerMeasurement>>>;
  /** Rust over TypeScript by the key of the metric; `null` where nothing can be said, absent with one server. */
  readonly comparison?: Readonly<Record<string, Comparison | null>>;
  /** Events that the audit found as sent, over all processes; 0 where another measurement had the processes. */
  readonly audited_events: number;
  /** `null` for starts. */
  readonly generator: GeneratorLoad | null;
  readonly warnings: readonly SeenWarning[];
}

/** A measurement with its raw data. */
export interface RawMeasurement extends Measurement {
  readonly slices: readonly Slice[];
  /** Of the first measurement of a group; the others took place in the same processes. */
  readonly processes: readonly ProcessSample[];
}

/** The whole of a run; the summary in the repository has no raw data. */
export interface RawResult extends Result {
  readonly measurements: readonly RawMeasurement[];
}

export interface GeneratorLoad {
  /** Of the generator's process, microseconds. */
  readonly cpu_us_per_event: number;
  /** Median over the slices: share of one core. */
  readonly core_share: number;
}

/** What a dashboard that reads during a soak found. */
export type Reads = Omit<ReaderSample, 'cpu_us'>;

export interface ServerMeasurement {
  /** Starts alone: spawn to ready, in milliseconds, in order. */
  readonly starts_ms?: readonly number[];
  /** By the key of the metric; `null` where it was not measured. */
  readonly metrics: Readonly<Record<string, Summary | null>>;
  /** By the key of a metric of the headline: its values by round and slice. */
  readonly values?: Readonly<Record<string, ByRound>>;
  /** Soak alone: the dashboard next to the load. */
  readonly reads?: Reads;
  /** Soak alone: by column of the timeline, whether it drifts. */
  readonly drift?: Readonly<Record<string, Drift>>;
}

interface Measured<One> {
  readonly measurements: readonly One[];
}

export function measurementNamed<One extends Measurement>(
  result: Measured<One>,
  name: string,
): One | undefined {
  return result.measurements.find((measurement) => measurement.name === name);
}

/** The closed loop that a reader is shown first; `undefined` in a run without one. */
export function headlineOf<One extends Measurement>(result: Measured<One>): One | undefined {
  const named = ['batch', 'corpus', 'single'].map((name) => measurementNamed(result, name));
  return (
    named.find((found) => found !== undefined) ??
    result.measurements.find(({ mode }) => mode !== 'startup' && mode !== 'open')
  );
}
