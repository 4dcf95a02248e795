/**
 * A goal of typed calls, and the functions that compute its value from a result.
 *
 * Invariant: a goal that was not measured is not reached. Verdicts are computed here each time and never stored.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { type Outcome, outcome } from '../result/suite-rows.ts';
import type { FigureKey } from './figure.ts';
import { type Parameters, type RpcResult, rowWhere, type ScenarioName } from './result.ts';

export type GoalUnit = 'round trips/s' | 'times' | 'ms';

/** Returns the value of one server from a result; `null` if it was not measured. */
export type Of = (result: RpcResult, server: TargetName) => number | null;

export interface Goal {
  readonly title: string;
  readonly unit: GoalUnit;
  /** The figure that native-calls reported, and a description of it. */
  readonly prior: { readonly figure: string; readonly was: string };
  readonly better: 'higher' | 'lower';
  /** `null` if there is no goal, and the report only states the value. */
  readonly goal: number | null;
  /** The reason why the goal is missed. */
  readonly obstacle?: string;
  readonly of: Of;
}

export const value =
  (scenario: ScenarioName, key: FigureKey, parameters: Parameters): Of =>
  (result, server) =>
    rowWhere(result, scenario, server, parameters)?.figures[key] ?? null;

export const over =
  (top: Of, bottom: Of): Of =>
  (result, server) => {
    const [a, b] = [top(result, server), bottom(result, server)];
    return a === null || b === null || b === 0 ? null : a / b;
  };

/** Returns the lowest value; `null` unless all were measured. */
export const lowest =
  (all: readonly Of[]): Of =>
  (result, server) => {
    const found = all.map((one) => one(result, server));
    return found.includes(null) ? null : Math.min(...(found as number[]));
  };

export const inMilliseconds =
  (us: Of): Of =>
  (result, server) => {
    const found = us(result, server);
    return found === null ? null : found / 1000;
  };

export function outcomeOf({ goal, better, of }: Goal, result: RpcResult, server: TargetName): Outcome {
  return outcome(of(result, server), goal, better);
}
