/**
 * Round trips: an event is posted, and the next one once its state was applied.
 *
 * A round trip lasts from before the writing of the post to the apply of a state that contains it. The follower's
 * process posts, like a page that shows what it sent.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { nowMs } from '../observe/clock.ts';
import type { Host } from '../run/host.ts';
import { eventText, type Shape } from './bodies.ts';
import { type Posting, postBySocket } from './posting.ts';
import type { Following } from './strategies/strategy.ts';

export interface Trips {
  readonly count: number;
  readonly shape: Shape;
  /** Between an apply and the next post, so that no throttle is in force; milliseconds. */
  readonly rest_ms: number;
  readonly patience_ms: number;
  /** A plain socket unless said otherwise. */
  readonly post?: (url: string) => Posting;
}

/** What each took, in milliseconds. */
export async function roundTrips(host: Host, following: Following, trips: Trips): Promise<number[]> {
  const { count, shape, rest_ms, patience_ms, post = postBySocket } = trips;
  const { journal } = following;
  const posting = post(host.url);
  const first = host.take(count);
  const taken: number[] = [];
  try {
    for (let i = 0; i < count; i++) {
      const send = posting.ready(eventText(shape, first + i));
      if (rest_ms > 0) await sleep(rest_ms);
      journal.clear();
      const from_ms = nowMs();
      const revision = await send();
      taken.push((await journal.reached(revision, patience_ms, 'the client')) - from_ms);
    }
  } finally {
    posting.close();
  }
  checkFollowing(following);
  return taken;
}

/** Fails when it ever went back, or was notified what no server of the contract says. */
export function checkFollowing(following: Following): void {
  following.journal.check('the client');
  const problem = following.problem();
  if (problem !== null) throw problem;
}
