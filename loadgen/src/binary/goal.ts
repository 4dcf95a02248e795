/**
 * What a goal of binary transfer is, and what a result says of it.
 *
 * Invariant: what was not measured is not reached. Verdicts are made here each time and never stored.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { type Outcome, outcome } from '../analyse/figures.ts';
import { median } from '../analyse/statistics.ts';
import { type BinaryResult, rowsWhere } from './result.ts';

export type GoalUnit = 'ms' | 'times';

/** The figure of a result for one server; `null` where it was not measured. */
export type Of = (result: BinaryResult, server: TargetName) => number | null;

export interface Goal {
  readonly title: string;
  readonly unit: GoalUnit;
  /** What the original reported, and by which of its methods. */
  readonly prior: { readonly figure: string; readonly was: string };
  /** `null`: none was set, the figure is stated. */
  readonly goal: number | null;
  /** What stands in the way where it is missed. */
  readonly obstacle?: string;
  readonly of: Of;
}

/** The median time of a method at a size, in milliseconds. */
export function timeOf(
  result: BinaryResult,
  server: TargetName,
  method: string,
  bytes: number,
): number | null {
  return median(rowsWhere(result, 'transfer', server, { method, bytes })[0]?.figures.took_ms ?? []);
}

/** The median of the fastest method of these forms. */
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

/** Times shall be short, and ratios high. */
export function outcomeOf({ goal, unit, of }: Goal, result: BinaryResult, server: TargetName): Outcome {
  return outcome(of(result, server), goal, unit === 'times' ? 'higher' : 'lower');
}
