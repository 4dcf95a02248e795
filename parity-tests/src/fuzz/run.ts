/** Runs steps in a new world up to the first difference. */
import { areRefusals, isUndecodable } from '../differential/compare.ts';
import { isRequest, type Step } from './step.ts';
import type { World } from './world.ts';

export interface Found {
  /** The index of the step whose answers differ. */
  readonly at: number;
  readonly one: string;
  readonly other: string;
}

export interface Ran {
  /** Number of steps that both servers did. */
  readonly steps: number;
  readonly found: Found | undefined;
}

/**
 * Stops early without a difference when both servers wait for the rest of a request that may be stored. Only one may
 * store it, and all later answers would then differ.
 */
export async function runSteps(open: () => Promise<World>, steps: readonly Step[]): Promise<Ran> {
  const world = await open();
  try {
    for (const [at, step] of steps.entries()) {
      const [one, other] = await world.take(step);
      const isEqual = (one === other && !isUndecodable(one)) || areRefusals(one, other);
      if (!isEqual) return { steps: at + 1, found: { at, one, other } };
      if (one === 'late' && isRequest(step) && mayStore(step)) return { steps: at + 1, found: undefined };
    }
    return { steps: steps.length, found: undefined };
  } finally {
    await world.close();
  }
}

function mayStore({ sent }: Extract<Step, { kind: 'request' }>): boolean {
  return ['POST', 'PUT'].includes(sent.method) && sent.body.length > 0;
}
