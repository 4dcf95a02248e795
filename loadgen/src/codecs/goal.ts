/**
 * A goal of the codecs suite, and the functions that compute its value from a result.
 *
 * Invariant: a goal that was not measured is not reached. Verdicts are computed here each time and never stored.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { median } from '../analyse/statistics.ts';
import { type Outcome, outcome } from '../result/suite-rows.ts';
import type { FigureKey } from './figure.ts';
import { type CodecsResult, type Parameters, rowsWhere, type ScenarioName } from './result.ts';

export type GoalUnit = 'MB/s' | 'events/s' | 'times' | 'of JSON';

/** Returns the value of one server from a result; `null` if it was not measured. */
export type Of = (result: CodecsResult, server: TargetName) => number | null;

/** The figure that procwire's benchmark reported, and a description of it. */
export interface Prior {
  readonly figure: string;
  readonly was: string;
}

export interface Goal {
  readonly title: string;
  readonly unit: GoalUnit;
  /** `null` if procwire did not measure it. */
  readonly prior: Prior | null;
  readonly better: 'higher' | 'lower';
  /** `null` if there is no goal, and the report only states the value. */
  readonly goal: Readonly<Record<TargetName, number | null>>;
  /** The reason why the goal is missed. */
  readonly obstacle?: string;
  readonly of: Of;
}

export const value =
  (scenario: ScenarioName, key: FigureKey, parameters: Parameters): Of =>
  (result, server) =>
    median(rowsWhere(result, scenario, server, parameters)[0]?.figures[key] ?? []);

/** Returns `top / bottom`; `null` if either is missing or `bottom` is 0. */
export function ratio(top: number | null, bottom: number | null): number | null {
  return top === null || bottom === null || bottom === 0 ? null : top / bottom;
}

export const over =
  (top: Of, bottom: Of): Of =>
  (result, server) =>
    ratio(top(result, server), bottom(result, server));

/** Returns the best or the worst of several values, as `pick` chooses; `null` unless all were measured. */
export const extreme =
  (pick: (...values: number[]) => number, all: readonly Of[]): Of =>
  (result, server) => {
    const found = all.map((one) => one(result, server));
    return found.includes(null) ? null : pick(...(found as number[]));
  };

export function outcomeOf(goal: Goal, result: CodecsResult, server: TargetName): Outcome {
  return outcome(goal.of(result, server), goal.goal[server], goal.better);
}
