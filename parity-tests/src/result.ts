/** Describes the result of one case or scenario on one server. */
import type { Exchange } from './run-case.ts';

export type Outcome =
  | { readonly kind: 'passed' }
  | { readonly kind: 'failed'; readonly exchanges: readonly Exchange[]; readonly message?: string }
  /** The case was not run, or is known to differ. Always has a reason. */
  | { readonly kind: 'skipped'; readonly reason: string };

export interface Result {
  /** Case file, or `scenarios/NAME`. */
  readonly suite: string;
  readonly name: string;
  readonly rules: readonly string[];
  /** A server, `base-url`, or `both` for a scenario that uses both. */
  readonly target: string;
  readonly outcome: Outcome;
  readonly ms: number;
  readonly notes: readonly string[];
  /** What a scenario counted with `count`. */
  readonly counts?: Readonly<Record<string, number>>;
}

/** Returns the name that patterns and `--only` match. */
export function fullName(result: { readonly suite: string; readonly name: string }): string {
  return `${result.suite}/${result.name}`;
}
