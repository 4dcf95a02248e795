/**
 * Round trips: an event is posted, and once its state was applied, the next one is.
 *
 * From before the writing of the post to the apply of a state that has it. Posted from the follower's own process, as a
 * page does that shows what it sent.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { nowMs } from '../clock.ts';
import { BenchFailure } from '../failure.ts';
import { eventText, type Shape } from './bodies.ts';
import { Connections } from './connections.ts';
import type { Host } from './host.ts';
import type { Following } from './strategies/strategy.ts';

export interface Trips {
  readonly count: number;
  readonly shape: Shape;
  /** Between an apply and the next post, so that no throttle is in force; milliseconds. */
  readonly rest_ms: number;
  readonly patience_ms: number;
}

/** What each took, in milliseconds. */
export async function roundTrips(host: Host, following: Following, trips: Trips): Promise<number[]> {
  const { count, shape, rest_ms, patience_ms } = trips;
  const { journal } = following;
  const connections = new Connections(host.url, 1);
  const first = host.take(count);
  const taken: number[] = [];
  try {
    for (let i = 0; i < count; i++) {
      const body = eventText(shape, first + i);
      if (rest_ms > 0) await sleep(rest_ms);
      journal.clear();
      const from_ms = nowMs();
      const { status, text } = await connections.post('/api/events', body);
      if (status !== 201)
        throw new BenchFailure('generator_failed', `POST /api/events answered ${status} ${text}`);
      const { revision } = JSON.parse(text) as { revision: string };
      taken.push((await journal.reached(BigInt(revision), patience_ms, 'the client')) - from_ms);
    }
  } finally {
    connections.close();
  }
  checkFollowing(following);
  return taken;
}

/** Fails when it ever went back, or was told what no server of the contract says. */
export function checkFollowing(following: Following): void {
  following.journal.check('the client');
  const problem = following.problem();
  if (problem !== null) throw problem;
}
