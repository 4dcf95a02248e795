/** Common parts of the suites' results: facts about the run, and rows of one server in one case. */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Warning } from '../analyse/warning.ts';
import type { Environment } from '../observe/environment.ts';
import type { Placement } from '../plan/placement.ts';
import type { RunSize } from '../plan/suite-options.ts';
import type { Health } from '../verify/health.ts';

export interface SuiteServer {
  readonly label: string;
  readonly health: Health;
}

export interface SuiteFacts {
  readonly created_at: string;
  readonly took_s: number;
  readonly flags: readonly string[];
  readonly environment: Environment;
  readonly placement: Placement;
  readonly servers: Readonly<Partial<Record<TargetName, SuiteServer>>>;
}

export interface SuiteResult<Row> extends SuiteFacts {
  readonly schema_version: number;
  readonly size: RunSize;
  readonly rows: readonly Row[];
  readonly warnings: readonly Warning[];
}

export type Parameters = Readonly<Record<string, string | number>>;

/** Figures of one server, or one language, in one case of a scenario. */
export interface SuiteRow<Scenario extends string, Figures> {
  readonly scenario: Scenario;
  readonly server: TargetName;
  readonly parameters: Parameters;
  readonly figures: Figures;
}

/** Returns the rows of a scenario and a server that have all values of `parameters`. */
export function rowsWhere<Row extends SuiteRow<string, unknown>>(
  { rows }: { readonly rows: readonly Row[] },
  scenario: Row['scenario'],
  server: TargetName,
  parameters: Parameters = {},
): Row[] {
  const own = rows.filter((row) => row.scenario === scenario && row.server === server);
  const wanted = Object.entries(parameters);
  return own.filter((row) => wanted.every(([name, value]) => row.parameters[name] === value));
}
