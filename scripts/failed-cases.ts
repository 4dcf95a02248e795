/**
 * Finds the lines that name failing cases in the output of a test runner, and the reasons that `node --test` and
 * `pnpm parity` print below them.
 *
 * Knows the output of `node --test` (spec and TAP), `cargo test`, `pnpm parity`, rustc and tsc. The start of a log may
 * be cut, so the end of a run repeats the failing cases.
 */
import { stripVTControlCharacters } from 'node:util';

/** Largest number of lines that are kept of one run, and of the reason for one failure. */
const MOST_LINES = 40;
const MOST_REASON_LINES = 4;
/** Above its list of failing tests, with the reason of each. */
const NODE_LIST = /^\s*✖ failing tests:$/;
/** `pnpm parity` prints a failing case once, with its reason. */
const PARITY = /^✗ /;
/** The rest of a reason says where the assertion is. */
const STACK = /^\s+at /;

const NAMES: readonly RegExp[] = [
  /^\s*✖ (?!failing tests:$).+/,
  /^\s*not ok \d+ - .+/,
  /^test .+ \.\.\. FAILED$/,
  /^✗ .+/,
  /^error(\[E\d+\])?: .+/,
  /.+ error TS\d+: .+/,
];

/** Collects the failing cases of one run, each once. */
export class FailedCases {
  /** The reasons by the line that names the case. */
  readonly #cases = new Map<string, string[]>();
  #isInList = false;
  /** The reason that the next lines belong to; null after its end. */
  #reason: string[] | null = null;

  /** Processes a line of the output. */
  take(line: string): void {
    const plain = stripVTControlCharacters(line).trimEnd();
    if (NODE_LIST.test(plain)) this.#isInList = true;
    else if (NAMES.some((name) => name.test(plain))) this.#takeName(plain.trim());
    else if (STACK.test(plain)) this.#reason = null;
    else if (plain !== '' && (this.#reason?.length ?? MOST_REASON_LINES) < MOST_REASON_LINES)
      this.#reason!.push(`    ${plain.trim()}`);
  }

  /** `node --test` prints a failing test twice, each time with its duration, and its reason in the list at the end. */
  #takeName(name: string): void {
    const reason = this.#cases.get(name) ?? [];
    this.#cases.set(name, reason);
    this.#reason = this.#isInList || PARITY.test(name) ? reason : null;
  }

  /** The lines that name cases, with reasons, at most 40. The last line states how many are left out. */
  get lines(): readonly string[] {
    const lines = [...this.#cases].flatMap(([name, reason]) => [name, ...reason]);
    if (lines.length <= MOST_LINES) return lines;
    const kept = lines.slice(0, MOST_LINES - 1);
    return [...kept, `and ${lines.length - kept.length} more`];
  }
}
