/**
 * What a goal of formats and transports is, and what a result says of it.
 *
 * Invariant: what was not measured is not reached. Verdicts are made here each time and never stored.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { type Outcome, outcome } from '../analyse/figures.ts';
import { median } from '../analyse/statistics.ts';
import type { FigureKey } from './figure.ts';
import { type CodecsResult, type Parameters, rowsWhere, type ScenarioName } from './result.ts';

export type GoalUnit = 'MB/s' | 'events/s' | 'times' | 'of JSON';

/** The figure of a result for one server; `null` where it was not measured. */
export type Of = (result: CodecsResult, server: TargetName) => number | null;

/** What procwire's benchmark reported, and what that was. */
export interface Prior {
  readonly figure: string;
  readonly was: string;
}

export interface Goal {
  readonly title: string;
  readonly unit: GoalUnit;
  /** `null`: procwire did not ask. */
  readonly prior: Prior | null;
  readonly better: 'higher' | 'lower';
  /** `null`: none was set, the figure is stated. */
  readonly goal: Readonly<Record<TargetName, number | null>>;
  /** What stands in the way where it is missed. */
  readonly obstacle?: string;
  readonly of: Of;
}

export const value =
  (scenario: ScenarioName, key: FigureKey, parameters: Parameters): Of =>
  (result, server) =>
    median(rowsWhere(result, scenario, server, parameters)[0]?.figures[key] ?? []);

/** Of the first over the second; `null` where either is missing. */
export function ratio(top: number | null, bottom: number | null): number | null {
  return top === null || bottom === null || bottom === 0 ? null : top / bottom;
}

export const over =
  (top: Of, bottom: Of): Of =>
  (result, server) =>
    ratio(top(result, server), bottom(result, server));

/** The best, or the worst, of several that were measured. */
export const extreme =
  (pick: (...values: number[]) => number, all: readonly Of[]): Of =>
  (result, server) => {
    const found = all.map((one) => one(result, server));
    return found.includes(null) ? null : pick(...(found as number[]));
  };

export function outcomeOf(goal: Goal, result: CodecsResult, server: TargetName): Outcome {
  return outcome(goal.of(result, server), goal.goal[server], goal.better);
}
