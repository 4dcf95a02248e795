/**
 * Judges results of servers with `--store jetstream` by the list of allowed differences.
 *
 * Invariant: a test that differs must be on the list, and differ exactly there. A test on the list must differ.
 */
import LIST from '../differences/jetstream.json' with { type: 'json' };
import { fullName, type Outcome, type Result } from './result.ts';

/** Tests that may differ, because a rule says so. */
export interface Difference {
  /** The rule of contract/rules that says it. */
  readonly rule: string;
  /** One sentence: what differs. */
  readonly differs: string;
  /** A text that the first difference of each test has: `WHERE: GOT`, or a part of the message of a scenario. */
  readonly shows: string;
  /** Whether the difference depends on time, so that a test may pass instead. */
  readonly sometimes?: boolean;
  /** Full names of cases and scenarios. One that ends with `*` is the beginning of names. */
  readonly tests: readonly string[];
}

export const DIFFERENCES: readonly Difference[] = LIST;

/** Returns the result of a test in view of the list. */
export function judge(result: Result): Result {
  return { ...result, outcome: judged(fullName(result), result.outcome, DIFFERENCES) };
}

/** Returns the outcome of a test in view of a list. */
export function judged(name: string, outcome: Outcome, list: readonly Difference[]): Outcome {
  const listed = list.filter(({ tests }) => tests.some((pattern) => matches(pattern, name)));
  if (listed.length === 0 || outcome.kind === 'skipped') return outcome;
  const rules = listed.map(({ rule }) => rule).join(', ');
  if (outcome.kind === 'passed' && listed.every(({ sometimes }) => sometimes === true)) return outcome;
  if (outcome.kind === 'passed')
    return {
      kind: 'failed',
      exchanges: [],
      message: `does not differ, but differences/jetstream.json lists it (${rules})`,
    };
  const found = listed.find(({ shows }) => shownBy(outcome).includes(shows));
  if (found !== undefined) return { kind: 'skipped', reason: `differs by ${found.rule}: ${found.differs}` };
  const message = `differs otherwise than differences/jetstream.json says (${rules})\n${outcome.message ?? ''}`;
  return { ...outcome, message };
}

/** Returns the differences of a failed test as text. */
function shownBy({ exchanges, message = '' }: Extract<Outcome, { kind: 'failed' }>): string {
  const lines = exchanges.flatMap(({ differences }) =>
    differences.map(({ where, got }) => `${where}: ${got}`),
  );
  return [...lines, message].join('\n');
}

export function matches(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}
