/**
 * The shape of what `pnpm bench:codecs` finds: the part `codecs` of a result, or a file of its own.
 *
 * Its schema is `$defs/codecs` of `contract/benchmark-results.schema.json`. Invariants: nothing in it is rounded, and
 * ratios and verdicts are made from it and never stored in it.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Warning } from '../analyse/warning.ts';
import type { Environment } from '../observe/environment.ts';
import type { Placement } from '../plan/placement.ts';
import type { RunSize } from '../plan/suite-options.ts';
import type { Health } from '../verify/health.ts';
import type { Figures } from './figure.ts';

export const CODECS_SCHEMA_VERSION = 1;

export const SCENARIO_NAMES = [
  'codec',
  'arrow',
  'bytes',
  'ingest',
  'read',
  'raw',
  'transport',
  'messages',
  'pipe',
] as const;

export type ScenarioName = (typeof SCENARIO_NAMES)[number];

export interface CodecsResult {
  readonly schema_version: number;
  readonly created_at: string;
  readonly took_s: number;
  /** As given, files by their names alone. */
  readonly flags: readonly string[];
  readonly seed: number;
  readonly size: RunSize;
  /** Whether recorded events took the place of generated ones. */
  readonly recorded: boolean;
  readonly environment: Environment;
  readonly placement: Placement;
  readonly servers: Readonly<
    Partial<Record<TargetName, { readonly label: string; readonly health: Health }>>
  >;
  readonly rows: readonly CodecRow[];
  readonly warnings: readonly Warning[];
}

export type Parameters = Readonly<Record<string, string | number>>;

/** What one server, or one language, gave in one case of a scenario. */
export interface CodecRow {
  readonly scenario: ScenarioName;
  readonly server: TargetName;
  readonly parameters: Parameters;
  readonly figures: Figures;
}

/** The rows of a scenario and a server whose parameters include these. */
export function rowsWhere(
  { rows }: Pick<CodecsResult, 'rows'>,
  scenario: ScenarioName,
  server: TargetName,
  parameters: Parameters = {},
): CodecRow[] {
  const wanted = Object.entries(parameters);
  return rows.filter(
    (row) =>
      row.scenario === scenario &&
      row.server === server &&
      wanted.every(([name, value]) => row.parameters[name] === value),
  );
}
