/**
 * The schema of a result of `bench:sync`: the part `sync` of a result, or a separate file.
 *
 * Its schema is `$defs/sync` of `contract/benchmark-results.schema.json`. It states its own commit, machine and
 * warnings, since it is a separate run. Invariants: its values are not rounded. Verdicts are computed from it and never
 * stored.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Warning } from '../analyse/warning.ts';
import type { Latency } from '../load/drivers/driver.ts';
import { type Parameters, rowsWhere, type SuiteFacts, type SuiteRow } from '../result/suite-rows.ts';
import type { Figures } from './figure.ts';

export const SYNC_SCHEMA_VERSION = 1;

/** DATA: the title of each scenario, in the order of the document. */
export const SCENARIO_TITLES = {
  round_trip: 'Round trip: post, invalidation, snapshot, apply',
  bursts: 'Bursts of events, and what each strategy makes of them',
  slider: 'A slider, sixty events a second',
  payloads: 'Round trip by size of an event',
  fan_out: 'Followers during a load, a tenth of them stalled',
  full_stream: 'Clients of the full stream during a load',
  slow_client: 'A client that reads a thousand bytes a second',
  restart: 'Killed and started again, and swapped for the other server',
  monotony: 'Drops, duplicates, delays, restarts and swaps',
  page: 'The page on a full database, and during a load',
} as const;

export type ScenarioName = keyof typeof SCENARIO_TITLES;
export const SCENARIO_NAMES = Object.keys(SCENARIO_TITLES) as ScenarioName[];

export interface SyncResult extends SuiteFacts {
  readonly schema_version: number;
  readonly seed: number;
  /** Whether this was a quick run: tiny counts, for feedback only. */
  readonly quick: boolean;
  readonly rows: readonly SyncRow[];
  readonly skipped: readonly Skipped[];
  readonly warnings: readonly SyncWarning[];
}

/** A latency without its histogram, which would take most of the file. */
export type Percentiles = Omit<Latency, 'histogram'>;

/** The figures of one server in one case of a scenario. */
export interface SyncRow extends SuiteRow<ScenarioName, Figures> {
  /** Latency over all repetitions; `null` if the scenario does not time single operations. */
  readonly latency: Percentiles | null;
}

export interface Skipped {
  readonly scenario: ScenarioName;
  /** `null` if no server was measured. */
  readonly server: TargetName | null;
  readonly reason: string;
}

export interface SyncWarning extends Warning {
  /** `null` for a warning about the whole run. */
  readonly scenario: ScenarioName | null;
}

export { type Parameters, rowsWhere };
