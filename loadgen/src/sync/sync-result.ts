/**
 * The shape of what `pnpm bench:sync` finds: the part `sync` of a result, or a file of its own.
 *
 * Its schema is `$defs/sync` of `contract/benchmark-results.schema.json`. It says its own commit, machine and doubts,
 * since it is measured in a run of its own. What must stay true: nothing in it is rounded, and verdicts are made from
 * it and never stored in it.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Latency } from '../drivers/driver.ts';
import type { Environment } from '../environment.ts';
import type { Health } from '../health.ts';
import type { Placement } from '../placement.ts';
import type { Warning } from '../warning.ts';
import type { Figures } from './figure.ts';

export const SYNC_SCHEMA_VERSION = 1;

export const SCENE_NAMES = [
  'round_trip',
  'bursts',
  'slider',
  'payloads',
  'fan_out',
  'full_stream',
  'slow_client',
  'restart',
  'monotony',
  'page',
] as const;

export type SceneName = (typeof SCENE_NAMES)[number];

export interface SyncResult {
  readonly schema_version: number;
  readonly created_at: string;
  readonly took_s: number;
  /** As given, files by their names alone. */
  readonly flags: readonly string[];
  readonly seed: number;
  /** Tiny counts: for feedback, and no claim. */
  readonly quick: boolean;
  readonly environment: Environment;
  readonly placement: Placement;
  readonly servers: Readonly<Partial<Record<TargetName, SyncServer>>>;
  readonly rows: readonly SyncRow[];
  readonly skipped: readonly Skipped[];
  readonly warnings: readonly SyncWarning[];
}

export interface SyncServer {
  readonly label: string;
  readonly health: Health;
}

export type Parameters = Readonly<Record<string, string | number>>;

/** What one server gave in one case of a scene. */
export interface SyncRow {
  readonly scene: SceneName;
  readonly server: TargetName;
  readonly parameters: Parameters;
  readonly figures: Figures;
  /** Of all repetitions, where single durations were taken. */
  readonly latency: Latency | null;
}

export interface Skipped {
  readonly scene: SceneName;
  /** `null`: of none. */
  readonly server: TargetName | null;
  readonly reason: string;
}

export interface SyncWarning extends Warning {
  /** `null`: of the run as a whole. */
  readonly scene: SceneName | null;
}

/** The rows of a scene and a server whose parameters include these. */
export function rowsWhere(
  { rows }: Pick<SyncResult, 'rows'>,
  scene: SceneName,
  server: TargetName,
  parameters: Parameters = {},
): SyncRow[] {
  const wanted = Object.entries(parameters);
  return rows.filter(
    (row) =>
      row.scene === scene &&
      row.server === server &&
      wanted.every(([name, value]) => row.parameters[name] === value),
  );
}
