/**
 * Says which waits of a session an agent's hook begins or ends, as `contract/hooks` has it (rules WAI-01 and WAI-02).
 *
 * Pure. An event carries the place of its change in `WAIT_CHANGES`, so that the writer reads no payload.
 */
import { HOOK_FILES, type HookSpec, VOCABULARY } from './contract.ts';

/** The waits that an event ends. */
export type WaitEnds = 'nothing' | 'agent' | 'session';

/** What an event changes: it ends waits first, then begins one. */
export interface WaitChange {
  readonly ends: WaitEnds;
  /** The reason of the wait that it begins. */
  readonly begins: string | undefined;
  /** Whether that wait needs an answer. */
  readonly needsAnswer: boolean;
  /** Whether it only reminds of a wait. */
  readonly isReminder: boolean;
}

/** The place of the change of a hook, where its payload has one of `values` at `key`. */
export interface WaitRule {
  /** Without a key the rule is that of every payload. */
  readonly key: string | undefined;
  readonly values: readonly string[];
  /** A place in `WAIT_CHANGES`. */
  readonly change: number;
}

/** The place of what changes nothing. */
export const NO_CHANGE = 0;
/** The place of a person's dismissal (rule WAI-05). */
export const DISMISSAL = 1;

const changes: WaitChange[] = [changeOf('nothing'), changeOf('session')];

/** By the `agent_type` of a file, then by the name of a hook. */
const RULES: ReadonlyMap<string, ReadonlyMap<string, readonly WaitRule[]>> = new Map(
  Object.values(HOOK_FILES).map((spec) => [spec.agent_type, rulesOf(spec)]),
);

/** Every change that an event can make. */
export const WAIT_CHANGES: readonly WaitChange[] = changes;

/** The keys of payloads that rules look at. */
export const WAIT_KEYS: readonly string[] = [
  ...new Set(
    [...RULES.values()].flatMap((rules) => [...rules.values()].flat().flatMap(({ key }) => key ?? [])),
  ),
];

/** The rules of an agent's hook, in the order in which they are tried. */
export function waitRules(agentType: string, hook: string): readonly WaitRule[] {
  return RULES.get(agentType)?.get(hook) ?? [];
}

function rulesOf({ waits }: HookSpec): ReadonlyMap<string, readonly WaitRule[]> {
  return new Map(
    Object.entries(waits).map(([hook, { ends: ended, reminds = false, begins = [] }]) => {
      const ends: WaitEnds = ended ?? 'nothing';
      const rules = begins.map(({ reason, key, values = [] }): WaitRule => {
        const needsAnswer = VOCABULARY.reasons_that_need_an_answer.includes(reason);
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
