/**
 * The shape of what `pnpm bench:rpc` finds: the part `rpc` of a result, or a file of its own.
 *
 * Its schema is `$defs/rpc` of `contract/benchmark-results.schema.json`. Invariant: shares, ratios and verdicts are made
 * from it and never stored in it.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Warning } from '../analyse/warning.ts';
import type { Environment } from '../observe/environment.ts';
import type { Placement } from '../plan/placement.ts';
import type { RunSize } from '../plan/suite-options.ts';
import type { Health } from '../verify/health.ts';
import type { Figures } from './figure.ts';

export const RPC_SCHEMA_VERSION = 1;

export const SCENARIO_NAMES = ['scalars', 'sequences', 'reference', 'large'] as const;

export type ScenarioName = (typeof SCENARIO_NAMES)[number];

export interface RpcResult {
  readonly schema_version: number;
  readonly created_at: string;
  readonly took_s: number;
  /** As given, files by their names alone. */
  readonly flags: readonly string[];
  readonly seed: number;
  readonly size: RunSize;
  readonly environment: Environment;
  readonly placement: Placement;
  readonly servers: Readonly<
    Partial<Record<TargetName, { readonly label: string; readonly health: Health }>>
  >;
  readonly rows: readonly RpcRow[];
  readonly warnings: readonly Warning[];
}

export type Parameters = Readonly<Record<string, string | number>>;

/** What one server, or the reference in its language, gave in one case of a scenario. */
export interface RpcRow {
  readonly scenario: ScenarioName;
  readonly server: TargetName;
  readonly parameters: Parameters;
  readonly figures: Figures;
}

/** The first row of a scenario and a server whose parameters include these. */
export function rowWhere(
  result: Pick<RpcResult, 'rows'>,
  scenario: ScenarioName,
  server: TargetName,
  parameters: Parameters,
): RpcRow | undefined {
  const wanted = Object.entries(parameters);
  return result.rows.find(
    (row) =>
      row.scenario === scenario &&
      row.server === server &&
      wanted.every(([name, value]) => row.parameters[name] === value),
  );
}
