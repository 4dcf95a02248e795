/**
 * The time until clients heard of, or applied, what was already acknowledged.
 *
 * It counts from the answer to a post until a client receives a revision at least as new. It is 0 where the client
 * receives the revision before the poster.
 */
import { createHistogram, type Histogram, record } from '../analyse/histogram.ts';

/** Acknowledged at that moment, in the order of the revisions. */
export interface Acknowledged {
  readonly at_ms: number;
  readonly revision: number;
}

export interface Heard {
  /** In order, as long as the other. */
  readonly heard_ms: readonly number[];
  /** Rising. */
  readonly heard: readonly number[];
}

export interface Waits {
  readonly histogram: Histogram;
  /** What a client never heard of, over all clients. */
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

/** Of one client, in milliseconds; `Infinity` where it never heard. */
export function longestWait(acknowledged: readonly Acknowledged[], client: Heard): number {
  let longest = 0;
  const inOrder = acknowledged.toSorted((a, b) => a.revision - b.revision);
  eachWait(inOrder, client, (wait_ms) => {
    longest = Math.max(longest, wait_ms ?? Number.POSITIVE_INFINITY);
  });
  return longest;
}

/** `null`: it never heard of one that is as new. */
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
