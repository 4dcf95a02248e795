/**
 * Round trips: posts an event, waits until its state was applied, and posts the next one.
 *
 * A round trip begins before the post is written and ends when a state that contains the event is applied. The process
 * of the follower posts, like a page that shows what it sent.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { BenchFailure } from '../failure.ts';
import { nowMs } from '../observe/clock.ts';
import type { Host } from '../run/host.ts';
import { eventText, type Shape } from './bodies.ts';
import { Connections } from './connections.ts';
import { type Posting, postBySocket } from './posting.ts';
import { checkFollowing, type Following } from './strategies/strategy.ts';

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

/**
 * Returns the duration of each `GET /livez` in milliseconds, one after the other over one plain socket. The smallest
 * exchange shows the machine's share of a longer one.
 */
export async function smallestExchanges(url: string, count: number): Promise<number[]> {
  const connections = new Connections(url, 1);
  const taken: number[] = [];
  try {
    for (let i = 0; i < count; i++) {
      const from_ms = nowMs();
      const { status } = await connections.get('/livez');
      taken.push(nowMs() - from_ms);
      if (status !== 200) throw new BenchFailure('server_failed', `GET /livez answered ${status}`);
    }
  } finally {
    connections.close();
  }
  return taken;
}
