/**
 * The schema of a result of `pnpm bench:rpc`: the part `rpc` of a result, or a separate file.
 *
 * Its schema is `$defs/rpc` of `loadgen/benchmark-results.schema.json`. Invariant: shares, ratios and verdicts are
 * computed from it and never stored.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { type Parameters, rowsWhere, type SuiteResult, type SuiteRow } from '../result/suite-rows.ts';
import type { Figures } from './figure.ts';

export const RPC_SCHEMA_VERSION = 1;

export const SCENARIO_NAMES = ['scalars', 'sequences', 'reference', 'large'] as const;

export type ScenarioName = (typeof SCENARIO_NAMES)[number];

export type RpcRow = SuiteRow<ScenarioName, Figures>;

export interface RpcResult extends SuiteResult<RpcRow> {
  readonly seed: number;
}

export type { Parameters };

/** Returns the first row of a scenario and a server whose parameters include these. */
export function rowWhere(
  result: Pick<RpcResult, 'rows'>,
  scenario: ScenarioName,
  server: TargetName,
  parameters: Parameters,
): RpcRow | undefined {
  return rowsWhere(result, scenario, server, parameters)[0];
}
