/**
 * What is known of one case or scenario on one target after it ran.
 */
import type { Exchange } from './run-case.ts';

export type Outcome =
  | { readonly kind: 'passed' }
  | { readonly kind: 'failed'; readonly exchanges: readonly Exchange[]; readonly message?: string }
  /** Not run, or only known to differ; never silently. */
  | { readonly kind: 'skipped'; readonly reason: string };

export interface Result {
  /** Case file, or `scenarios/NAME`. */
  readonly suite: string;
  readonly name: string;
  readonly rules: readonly string[];
  /** A target, `base-url`, or `both` for a scenario that uses both. */
  readonly target: string;
  readonly outcome: Outcome;
  readonly ms: number;
  readonly notes: readonly string[];
}

/** The name that patterns and `--only` are compared with. */
export function fullName(result: { readonly suite: string; readonly name: string }): string {
  return `${result.suite}/${result.name}`;
}
