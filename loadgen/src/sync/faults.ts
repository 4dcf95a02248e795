/**
 * A transport between a server and its client that drops, doubles and delays invalidations, and delays fetches.
 *
 * Invariant: the last dropped invalidation arrives after a while, as it does after a lost connection.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Topic } from '@twin-ingest/client';
import type { Random } from '@twin-ingest/testkit/random.ts';

const LATE_MS = 30;
/** After a connection was lost; a client that stops meanwhile does not hear of it. */
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
    // The first says that it is connected, for which the scenario waits.
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

  /** What is dropped is the last for as long only as it takes to connect again, which reports what holds then. */
  #drop(deliver: () => void): void {
    this.#dropped = deliver;
    setTimeout(() => {
      if (this.#dropped === deliver) deliver();
    }, RECONNECTED_MS);
  }
}
