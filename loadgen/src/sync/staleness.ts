/**
 * How long clients waited for revisions that were already acknowledged.
 *
 * A wait lasts from the response to a post until the client receives a revision at least as new. It is 0 if the client
 * receives the revision before the poster receives the response.
 */
import type { Answer } from './poster-process.ts';

export interface Heard {
  /** The times at which the revisions of `heard` were received. */
  readonly heard_ms: readonly number[];
  /** The received revisions, in ascending order. */
  readonly heard: readonly number[];
}

/**
 * Returns the wait of one client for each acknowledged revision in milliseconds; `null` if it never received one that
 * is as new.
 */
export function waitsOf(answers: readonly Answer[], { heard_ms, heard }: Heard): (number | null)[] {
  const acknowledged = answers.map(({ answered_ms, revision }) => [Number(revision), answered_ms] as const);
  let at = 0;
  return acknowledged
    .toSorted(([a], [b]) => a - b)
    .map(([revision, answered_ms]) => {
      while (at < heard.length && heard[at]! < revision) at++;
      return at === heard.length ? null : Math.max(0, heard_ms[at]! - answered_ms);
    });
}
