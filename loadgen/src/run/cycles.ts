/**
 * The order of a run: each cycle has some starts, then one round of each group (decision 68).
 *
 * Invariant: rounds of a group are one cycle apart, so that their interval includes the drift of the machine. A group
 * with fewer rounds has them in the last cycles.
 */

import type { Spec } from '../plan/spec.ts';
import { groupsOf } from '../plan/suite.ts';
import { Group, type RoundContext, type Rounds } from './round.ts';

export type { Rounds };

export type Measured = ReadonlyMap<Spec, Rounds>;

export interface CyclesContext extends RoundContext {
  /**
   * Called at the beginning of a cycle, to measure starts. `cycle` counts from 0. `done` is the estimated share of the
   * time of all rounds that has passed.
   */
  onCycle(cycle: number, cycles: number, done: number): Promise<void>;
  /** Called after each cycle with all measurements so far. */
  onMeasured(measured: Measured, isLast: boolean): Promise<void>;
}

export async function runCycles(specs: readonly Spec[], context: CyclesContext): Promise<Measured> {
  const groups = groupsOf(specs).map((own) => new Group(own, context));
  const whole_s = groups.reduce((sum, { rounds, round_s }) => sum + rounds * round_s, 0);
  let done_s = 0;
  const measured = () => new Map(groups.flatMap((group) => group.measured()));
  const cycles = Math.max(1, ...groups.map(({ rounds }) => rounds));
  for (let cycle = 0; cycle < cycles; cycle++) {
    await context.onCycle(cycle, cycles, done_s / whole_s);
    for (const group of groups) {
      const round = cycle - (cycles - group.rounds) + 1;
      if (round < 1) continue;
      await group.run(round);
      done_s += group.round_s;
    }
    await context.onMeasured(measured(), cycle === cycles - 1);
  }
  return measured();
}

/** Returns how many of `count` belong to a cycle, distributed as evenly as possible. */
export function portion(count: number, cycle: number, cycles: number): number {
  return Math.floor(((cycle + 1) * count) / cycles) - Math.floor((cycle * count) / cycles);
}
