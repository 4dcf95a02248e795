/**
 * Determines the waits that an agent's hook starts or ends, as `contract/hooks` defines them (rules WAI-01 and
 * WAI-02).
 *
 * Pure. An event carries the index of its change in `WAIT_CHANGES`, so that the writer reads no payload.
 */
import { HOOK_FILES, type HookSpec, VOCABULARY } from './contract.ts';

/** The waits that an event ends. */
export type WaitEnds = 'nothing' | 'agent' | 'session';

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

/** The index of the change of a hook whose payload has one of `values` at `key`. */
export interface WaitRule {
  /** Without a key the rule applies to every payload. */
  readonly key: string | undefined;
  readonly values: readonly string[];
  /** An index into `WAIT_CHANGES`. */
  readonly change: number;
}

/** The index of the empty change. */
export const NO_CHANGE = 0;
/** The index of a user's dismissal (rule WAI-05). */
export const DISMISSAL = 1;

const changes: WaitChange[] = [changeOf('nothing'), changeOf('session')];

/** The rules by the `agent_type` of a file, then by the name of a hook. */
const RULES: ReadonlyMap<string, ReadonlyMap<string, readonly WaitRule[]>> = new Map(
  Object.values(HOOK_FILES).map((spec) => [spec.agent_type, rulesOf(spec)]),
);

/** Every change that an event can make. */
export const WAIT_CHANGES: readonly WaitChange[] = changes;

/** The keys of payloads that rules compare. */
export const WAIT_KEYS: readonly string[] = [
  ...new Set(
    [...RULES.values()].flatMap((rules) => [...rules.values()].flat().flatMap(({ key }) => key ?? [])),
  ),
];

/** Returns the rules of an agent's hook, in the order of their evaluation. */
export function waitRules(agentType: string, hook: string): readonly WaitRule[] {
  return RULES.get(agentType)?.get(hook) ?? [];
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

function rulesOf({ waits }: HookSpec): ReadonlyMap<string, readonly WaitRule[]> {
  return new Map(
    Object.entries(waits).map(([hook, { ends: ended, reminds = false, begins = [] }]) => {
      const ends: WaitEnds = ended ?? 'nothing';
      const rules = begins.map(({ reason, key, values = [] }): WaitRule => {
        const needsAnswer = (VOCABULARY.reasons_that_need_an_answer as readonly string[]).includes(reason);
        const change = { ends, begins: reason, needsAnswer, isReminder: reminds };
        return { key, values, change: changes.push(change) - 1 };
      });
      return [hook, [...rules, { key: undefined, values: [], change: changes.push(changeOf(ends)) - 1 }]];
    }),
  );
}

function changeOf(ends: WaitEnds): WaitChange {
  return { ends, begins: undefined, needsAnswer: false, isReminder: false };
}
