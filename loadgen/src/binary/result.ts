/**
 * The shape of what `pnpm bench:binary` finds: the part `binary` of a result, or a file of its own.
 *
 * Its schema is `$defs/binary` of `contract/benchmark-results.schema.json`. Invariant: ratios, percentiles and verdicts
 * are made from it and never stored in it.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Warning } from '../analyse/warning.ts';
import type { Environment } from '../observe/environment.ts';
import type { Placement } from '../plan/placement.ts';
import type { RunSize } from '../plan/suite-options.ts';
import type { Health } from '../verify/health.ts';
import type { Figures } from './figure.ts';

export const BINARY_SCHEMA_VERSION = 1;

export const SCENARIO_NAMES = ['transfer', 'livez'] as const;

export type ScenarioName = (typeof SCENARIO_NAMES)[number];

/** A way of getting the bytes into an `ArrayBuffer`, as the page `/bench/` describes it. */
export interface MethodFacts {
  readonly name: string;
  readonly title: string;
  readonly form: string;
}

export interface BinaryResult {
  readonly schema_version: number;
  readonly created_at: string;
  readonly took_s: number;
  /** As given, files by their names alone. */
  readonly flags: readonly string[];
  readonly size: RunSize;
  /** Of Chromium; `null` where no page was opened. */
  readonly browser: string | null;
  readonly environment: Environment;
  readonly placement: Placement;
  readonly servers: Readonly<
    Partial<Record<TargetName, { readonly label: string; readonly health: Health }>>
  >;
  /** In the order of tables; those that the browser does not support have no row. */
  readonly methods: readonly MethodFacts[];
  readonly rows: readonly BinaryRow[];
  readonly warnings: readonly Warning[];
}

export type Parameters = Readonly<Record<string, string | number>>;

/** What one server gave in one case of a scenario. */
export interface BinaryRow {
  readonly scenario: ScenarioName;
  readonly server: TargetName;
  readonly parameters: Parameters;
  readonly figures: Figures;
}

/** The rows of a scenario and a server whose parameters include these. */
export function rowsWhere(
  { rows }: Pick<BinaryResult, 'rows'>,
  scenario: ScenarioName,
  server: TargetName,
  parameters: Parameters = {},
): BinaryRow[] {
  const wanted = Object.entries(parameters);
  return rows.filter(
    (row) =>
      row.scenario === scenario &&
      row.server === server &&
      wanted.every(([name, value]) => row.parameters[name] === value),
  );
}
