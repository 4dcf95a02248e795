/**
 * Finds the lines that name failing cases in what a test runner prints.
 *
 * Knows the output of `node --test` (spec and TAP), `cargo test`, `pnpm parity`, rustc and tsc. A log may be cut at its
 * beginning, so that the end of a run names the cases again.
 */
import { stripVTControlCharacters } from 'node:util';

/** The most lines that are kept of one run. */
const MOST_LINES = 40;

const NAMES: readonly RegExp[] = [
  /^\s*✖ (?!failing tests:$).+/,
  /^\s*not ok \d+ - .+/,
  /^test .+ \.\.\. FAILED$/,
  /^✗ .+/,
  /^error(\[E\d+\])?: .+/,
  /.+ error TS\d+: .+/,
];

/** The failing cases of one run, each once. */
export class FailedCases {
  readonly #lines = new Set<string>();

  /** Takes a line of the output. */
  take(line: string): void {
    const plain = stripVTControlCharacters(line).trimEnd();
    // `node --test` prints a failing test twice, with the time that it took.
    if (NAMES.some((name) => name.test(plain))) this.#lines.add(plain.trim());
  }

  /** The lines that name cases, at most 40; the last one says how many are left out. */
  get lines(): readonly string[] {
    const lines = [...this.#lines];
    if (lines.length <= MOST_LINES) return lines;
    const kept = lines.slice(0, MOST_LINES - 1);
    return [...kept, `and ${lines.length - kept.length} more`];
  }
}
