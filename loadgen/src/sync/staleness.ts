/**
 * How long clients waited for revisions that were already acknowledged.
 *
 * A wait lasts from the response to a post until the client receives a revision at least as new. It is 0 if the client
 * receives the revision before the poster receives the response.
 */
import { createHistogram, type Histogram, record } from '../analyse/histogram.ts';

/** A revision and when it was acknowledged. */
export interface Acknowledged {
  readonly at_ms: number;
  readonly revision: number;
}

export interface Heard {
  /** The times at which the revisions of `heard` were received. */
  readonly heard_ms: readonly number[];
  /** The received revisions, in ascending order. */
  readonly heard: readonly number[];
}

export interface Waits {
  readonly histogram: Histogram;
  /** Number of acknowledged revisions that a client never received, nor a newer one. Sum over all clients. */
  readonly missed: number;
}

export function waitsOf(acknowledged: readonly Acknowledged[], clients: readonly Heard[]): Waits {
  const histogram = createHistogram();
  const inOrder = acknowledged.toSorted((a, b) => a.revision - b.revision);
  let missed = 0;
  for (const client of clients) {
    eachWait(inOrder, client, (wait_ms) => {
      if (wait_ms === null) missed++;
      else record(histogram, wait_ms);
    });
  }
  return { histogram, missed };
}

/**
 * Returns the longest wait of one client in milliseconds; `Infinity` if it never received a revision that is as new.
 */
export function longestWait(acknowledged: readonly Acknowledged[], client: Heard): number {
  let longest = 0;
  const inOrder = acknowledged.toSorted((a, b) => a.revision - b.revision);
  eachWait(inOrder, client, (wait_ms) => {
    longest = Math.max(longest, wait_ms ?? Number.POSITIVE_INFINITY);
  });
  return longest;
}

/**
 * Calls `take` with the wait for each acknowledged revision; `null` if the client never received one that is as new.
 */
function eachWait(
  inOrder: readonly Acknowledged[],
  { heard_ms, heard }: Heard,
  take: (wait_ms: number | null) => void,
): void {
  let at = 0;
  for (const { at_ms, revision } of inOrder) {
    while (at < heard.length && heard[at]! < revision) at++;
    take(at === heard.length ? null : Math.max(0, heard_ms[at]! - at_ms));
  }
}

/** Counts the values that are smaller than the previous value. */
export function countFalls(values: readonly number[]): number {
  return values.filter((value, i) => i > 0 && value < values[i - 1]!).length;
}
