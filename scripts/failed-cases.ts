/**
 * Finds the lines that name failing cases in the output of a test runner.
 *
 * Knows the output of `node --test` (spec and TAP), `cargo test`, `pnpm parity`, rustc and tsc. The start of a log may
 * be cut, so the end of a run repeats the failing cases.
 */
import { stripVTControlCharacters } from 'node:util';

/** Largest number of lines that are kept of one run. */
const MOST_LINES = 40;

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
  readonly #lines = new Set<string>();

  /** Processes a line of the output. */
  take(line: string): void {
    const plain = stripVTControlCharacters(line).trimEnd();
    // `node --test` prints a failing test twice, each time with its duration.
    if (NAMES.some((name) => name.test(plain))) this.#lines.add(plain.trim());
  }

  /** The lines that name cases, at most 40. The last line states how many are left out. */
  get lines(): readonly string[] {
    const lines = [...this.#lines];
    if (lines.length <= MOST_LINES) return lines;
    const kept = lines.slice(0, MOST_LINES - 1);
    return [...kept, `and ${lines.length - kept.length} more`];
  }
}
