/**
 * The schema of a result of `pnpm bench:binary`: the part `binary` of a result, or a separate file.
 *
 * Its schema is `$defs/binary` of `loadgen/benchmark-results.schema.json`. Invariant: ratios, percentiles and verdicts
 * are computed from it and never stored.
 */
import { rowsWhere, type SuiteResult, type SuiteRow } from '../result/suite-rows.ts';
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

export type BinaryRow = SuiteRow<ScenarioName, Figures>;

export interface BinaryResult extends SuiteResult<BinaryRow> {
  /** Version of Chromium; `null` if no page was opened. */
  readonly browser: string | null;
  /** In the order of the tables. A method that the browser does not support has no row. */
  readonly methods: readonly MethodFacts[];
}

export { rowsWhere };
