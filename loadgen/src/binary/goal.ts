/**
 * A goal of the binary suite, and the functions that compute its value from a result.
 *
 * Invariant: a goal that was not measured is not reached. Verdicts are computed here each time and never stored.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { median } from '../analyse/statistics.ts';
import { type Outcome, outcome } from '../result/suite-rows.ts';
import { type BinaryResult, rowsWhere } from './result.ts';

export type GoalUnit = 'ms' | 'times';

/** Returns the value of one server from a result; `null` if it was not measured. */
export type Of = (result: BinaryResult, server: TargetName) => number | null;

export interface Goal {
  readonly title: string;
  readonly unit: GoalUnit;
  /** The figure that the original benchmark reported, and the method that it used. */
  readonly prior: { readonly figure: string; readonly was: string };
  /** `null` if there is no goal, and the report only states the value. */
  readonly goal: number | null;
  /** The reason why the goal is missed. */
  readonly obstacle?: string;
  readonly of: Of;
}

/** Returns the median time of a method at a size, in milliseconds. */
export function timeOf(
  result: BinaryResult,
  server: TargetName,
  method: string,
  bytes: number,
): number | null {
  return median(rowsWhere(result, 'transfer', server, { method, bytes })[0]?.figures.took_ms ?? []);
}

/** Returns the median of the fastest method of these forms. */
export function bestOf(
  result: BinaryResult,
  server: TargetName,
  forms: readonly string[],
  bytes: number,
): number | null {
  const times = result.methods.flatMap(({ name, form }) =>
    forms.includes(form) ? (timeOf(result, server, name, bytes) ?? []) : [],
  );
  return times.length === 0 ? null : Math.min(...times);
}

/** Returns the outcome of a goal. A lower time and a higher ratio are better. */
export function outcomeOf({ goal, unit, of }: Goal, result: BinaryResult, server: TargetName): Outcome {
  return outcome(of(result, server), goal, unit === 'times' ? 'higher' : 'lower');
}
