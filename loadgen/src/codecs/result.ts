/**
 * The shape of what `pnpm bench:codecs` finds: the part `codecs` of a result, or a file of its own.
 *
 * Its schema is `$defs/codecs` of `contract/benchmark-results.schema.json`. Invariants: nothing in it is rounded, and
 * ratios and verdicts are made from it and never stored in it.
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
  /** Whether recorded events took the place of generated ones. */
  readonly recorded: boolean;
}

export { type Parameters, rowsWhere };
