/**
 * Round trips: posts an event, waits until its state was applied, and posts the next one.
 *
 * A round trip begins before the post is written and ends when a state that contains the event is applied. The process
 * of the follower posts, like a page that shows what it sent.
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
  /** Milliseconds between an apply and the next post, so that no throttle is active. */
  readonly rest_ms: number;
  readonly patience_ms: number;
  /** Opens the connection that posts; a plain socket by default. */
  readonly post?: (url: string) => Posting;
}

/** Returns the duration of each round trip, in milliseconds. */
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

/** Fails if the client applied an older state, or if it received a message that violates the contract. */
export function checkFollowing(following: Following): void {
  following.journal.check('the client');
  const problem = following.problem();
  if (problem !== null) throw problem;
}
