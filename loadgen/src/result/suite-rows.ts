/** Common parts of the suites' results: facts about the run, rows of one server in one case, their figures and goals. */
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

/** Collects the values of figures by key. Each suite has its own table of figures. */
export class ValuesByKey<Key extends string> {
  readonly #values: ReadonlyMap<Key, number[]>;

  /** `order` is the order of the keys in the table of figures. */
  constructor(order: readonly Key[]) {
    this.#values = new Map(order.map((key) => [key, []]));
  }

  /** Adds at most one value per key. `null` means not measured and adds nothing. */
  add(found: Readonly<Partial<Record<Key, number | null>>>): void {
    for (const [key, value] of Object.entries(found) as [Key, number | null][]) {
      if (value === null) continue;
      if (!Number.isFinite(value)) throw new RangeError(`${key} is ${value}`);
      this.#values.get(key)!.push(value);
    }
  }

  /** Returns the values of each figure in the order of the table. A figure without values is absent. */
  lists(): Readonly<Partial<Record<Key, readonly number[]>>> {
    const measured = [...this.#values].filter(([, values]) => values.length > 0);
    return Object.fromEntries<readonly number[]>(measured) as Partial<Record<Key, readonly number[]>>;
  }
}

export type Outcome = ReturnType<typeof outcome>;

/**
 * Compares a figure with its goal. `share` is the figure divided by the goal. It and `isMet` are `null` when either is
 * missing or the goal is 0.
 */
export function outcome(found: number | null, goal: number | null, better: 'higher' | 'lower') {
  const share = found === null || goal === null || goal === 0 ? null : found / goal;
  const isMet = share === null ? null : better === 'higher' ? share >= 1 : share <= 1;
  return { found, goal, share, isMet };
}
