/**
 * A transport between a server and its client that drops, duplicates and delays invalidations, and delays fetches.
 *
 * Invariant: the last invalidation always arrives. If it was dropped, it arrives after a while, as after a lost
 * connection.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Topic } from '@twin-ingest/client';
import type { Random } from '@twin-ingest/testkit/random.ts';

const LATE_MS = 30;
/** Delay of a reconnect after a lost connection. */
const RECONNECTED_MS = 100;

export class Faults {
  readonly #random: Random;
  #dropped: (() => void) | null = null;
  #hasBegun = false;

  constructor(random: Random) {
    this.#random = random;
  }

  between(topic: Topic<unknown>): Topic<unknown> {
    return {
      topic: topic.topic,
      subscribe: (hear, signal) => topic.subscribe((heard) => this.#deliver(() => hear(heard)), signal),
      fetch: async (known, signal) => {
        const snapshot = await topic.fetch(known, signal);
        if (this.#random.below(4) === 0) await sleep(this.#random.below(LATE_MS));
        return snapshot;
      },
    };
  }

  #deliver(deliver: () => void): void {
    // The first invalidation confirms the connection. The scenario waits for it.
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      deliver();
      return;
    }
    this.#dropped = null;
    switch (this.#random.below(5)) {
      case 0:
        this.#drop(deliver);
        return;
      case 1:
        setTimeout(deliver, this.#random.below(LATE_MS));
        return;
      case 2:
        deliver();
        deliver();
        return;
      default:
        deliver();
    }
  }

  /**
   * Drops an invalidation. Delivers it after the time of a reconnect if no newer one came by then, as a new connection
   * does.
   */
  #drop(deliver: () => void): void {
    this.#dropped = deliver;
    setTimeout(() => {
      if (this.#dropped === deliver) deliver();
    }, RECONNECTED_MS);
  }
}
