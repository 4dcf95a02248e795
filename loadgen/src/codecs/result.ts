/**
 * The schema of a result of `pnpm bench:codecs`: the part `codecs` of a result, or a separate file.
 *
 * Its schema is `$defs/codecs` of `loadgen/benchmark-results.schema.json`. Invariants: its values are not rounded.
 * Ratios and verdicts are computed from it and never stored.
 */
import { type Parameters, rowsWhere, type SuiteResult, type SuiteRow } from '../result/suite-rows.ts';
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

export type CodecRow = SuiteRow<ScenarioName, Figures>;

export interface CodecsResult extends SuiteResult<CodecRow> {
  readonly seed: number;
  /** Whether recorded events replaced generated ones. */
  readonly recorded: boolean;
}

export { type Parameters, rowsWhere };
