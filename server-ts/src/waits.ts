/**
 * Numbers the effects that hooks have on the waits of their sessions (rules WAI-01 and WAI-02).
 *
 * Pure. An event carries the index of its change in `WAIT_CHANGES`, so that the writer reads no payload.
 */
import type { State } from '@twin-ingest/mapping/rule.ts';
import { VOCABULARY } from './contract.ts';
import { AGENTS } from './mapping.ts';

/** The waits that an event ends. */
export type WaitEnds = State['ends'];

/** The changes of an event: it ends waits first, then starts one. */
export interface WaitChange {
  readonly ends: WaitEnds;
  /** The reason of the wait that it starts. */
  readonly begins: string | undefined;
  /** Whether that wait needs an answer. */
  readonly needsAnswer: boolean;
  /** Whether it only reminds the user of a wait. */
  readonly isReminder: boolean;
}

/** The index of the empty change. */
export const NO_CHANGE = 0;
/** The index of a user's dismissal (rule WAI-05). */
export const DISMISSAL = 1;

const STATES: readonly State[] = AGENTS.flatMap(({ hooks }) =>
  [...(hooks?.records.values() ?? [])].flatMap((entry) =>
    entry === 'noise' ? [] : entry.flatMap(({ states }) => states),
  ),
);

/** Every change that an event can make. */
export const WAIT_CHANGES: readonly WaitChange[] = [
  changeOf('nothing', undefined, false),
  changeOf('session', undefined, false),
  ...STATES.map(({ ends, begins, isReminder }) => changeOf(ends, begins, isReminder)),
];

const INDEXES: ReadonlyMap<State, number> = new Map(
  STATES.map((state, index) => [state, DISMISSAL + 1 + index]),
);

/** Returns the index of the change that an effect is; that of the empty change without one. */
export function waitChange(state: State | undefined): number {
  return state === undefined ? NO_CHANGE : INDEXES.get(state)!;
}

/** Returns a change as text, which does not depend on the order of the changes. */
export function waitLabel(change: number): string {
  if (change === DISMISSAL) return 'dismissal';
  const { ends, begins = 'none', isReminder } = WAIT_CHANGES[change]!;
  return `${ends} ${begins} ${isReminder ? 'reminds' : 'begins'}`;
}

/** Returns the change of a label; no change for any other text. */
export function waitOf(label: string): number {
  if (label === 'dismissal') return DISMISSAL;
  for (let change = DISMISSAL + 1; change < WAIT_CHANGES.length; change++) {
    if (waitLabel(change) === label) return change;
  }
  return NO_CHANGE;
}

function changeOf(ends: WaitEnds, begins: string | undefined, isReminder: boolean): WaitChange {
  const reasons: readonly string[] = VOCABULARY.reasons_that_need_an_answer;
  const needsAnswer = begins !== undefined && reasons.includes(begins);
  return { ends, begins, needsAnswer, isReminder };
}
