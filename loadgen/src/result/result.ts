/**
 * The shape of a result, from which all tables, documents and plots are made.
 *
 * Its schema is `contract/benchmark-results.schema.json`. Nothing in it is rounded, and every summary can be computed
 * from the rounds.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Drift } from '../analyse/drift.ts';
import type { Comparison, Summary } from '../analyse/statistics.ts';
import type { Warning } from '../analyse/warning.ts';
import type { BinaryResult } from '../binary/result.ts';
import type { Ceiling } from '../ceilings/ceiling.ts';
import type { CodecsResult } from '../codecs/result.ts';
import type { DriverFacts } from '../load/drivers/driver.ts';
import type { PoolFacts } from '../load/pool.ts';
import type { Environment } from '../observe/environment.ts';
import type { Sample } from '../observe/sample.ts';
import type { DeployedSize } from '../observe/size.ts';
import type { Placement } from '../plan/placement.ts';
import type { RpcResult } from '../rpc/result.ts';
import type { SyncResult } from '../sync/result.ts';
import type { Health } from '../verify/health.ts';

export const SCHEMA_VERSION = 2;

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
  readonly ceilings: readonly Ceiling[];
  readonly measurements: readonly Measurement[];
  readonly thresholds: readonly ThresholdOutcome[];
  /** Warnings about the run as a whole; each measurement has its own. */
  readonly warnings: readonly Warning[];
  /** What `pnpm bench:sync` found, with its own commit and machine (decision 22). */
  readonly sync?: SyncResult;
  /** What `pnpm bench:codecs` found, likewise. */
  readonly codecs?: CodecsResult;
  /** What `pnpm bench:binary` found, likewise. */
  readonly binary?: BinaryResult;
  /** What `pnpm bench:rpc` found, likewise. */
  readonly rpc?: RpcResult;
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
  /** Events of a round; `null` where a duration decides. */
  readonly events: number | null;
  readonly duration_s: number | null;
  readonly connections: number;
  readonly batch_size: number;
  /** Events to warm up, resolved where a trial sizes them; `null`: four seconds at the rate. */
  readonly warmup_events: number | null;
  readonly rounds: number;
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
  /** Unique in a result: `startup`, `seed`, `batch`, `corpus`, `single`, `open_75_percent`, `open_10000`, `power`, `stream`, `soak`. */
  readonly name: string;
  readonly title: string;
  readonly mode: Mode;
  /** `null` for starts, which send nothing. */
  readonly workload: Workload | null;
  readonly driver: DriverFacts | null;
  readonly payload: PoolFacts | null;
  /** Index in `ceilings`; `null` where there is none. */
  readonly ceiling: number | null;
  /** The server of each round, in order. */
  readonly order: readonly TargetName[];
  readonly servers: Readonly<Partial<Record<TargetName, ServerMeasurement>>>;
  /** Rust over TypeScript by the key of the metric; `null` where nothing can be said, absent with one server. */
  readonly comparison?: Readonly<Record<string, Comparison | null>>;
  readonly rounds: readonly Sample[];
  readonly warnings: readonly Warning[];
}

export interface ServerMeasurement {
  /** Starts alone: spawn to ready, in milliseconds, in order. */
  readonly starts_ms?: readonly number[];
  /** By the key of the metric; `null` where it was not measured. */
  readonly metrics: Readonly<Record<string, Summary | null>>;
  /** Soak alone: by column of the timeline, whether it drifts. */
  readonly drift?: Readonly<Record<string, Drift>>;
}

export function measurementNamed(result: Result, name: string): Measurement | undefined {
  return result.measurements.find((measurement) => measurement.name === name);
}

/** The measurement a reader is shown first; `undefined` in a run without rounds. */
export function headlineOf(result: Result): Measurement | undefined {
  const named = ['batch', 'corpus', 'single', 'short'].map((name) => measurementNamed(result, name));
  return (
    named.find((found) => found !== undefined) ??
    result.measurements.find((measurement) => measurement.mode !== 'startup')
  );
}
