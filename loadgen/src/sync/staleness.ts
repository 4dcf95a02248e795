/**
 * How long clients had to wait to hear of what was already acknowledged. Pure.
 *
 * From the answer to a post to the moment at which a client heard of a revision at least as new; 0 where the client
 * heard of it before its poster did.
 */
import { createHistogram, type Histogram, record } from '../histogram.ts';

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
  for (const { heard_ms, heard } of clients) {
    let at = 0;
    for (const { at_ms, revision } of inOrder) {
      while (at < heard.length && heard[at]! < revision) at++;
      if (at === heard.length) missed++;
      else record(histogram, Math.max(0, heard_ms[at]! - at_ms));
    }
  }
  return { histogram, missed };
}
