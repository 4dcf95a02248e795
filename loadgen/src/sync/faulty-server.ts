/**
 * A server in memory behind a faulty transport. Invalidations are dropped, duplicated, late and out of order. Fetched
 * snapshots are late, old, unchanged or missing. The server restarts, and changes its epoch.
 *
 * Its behaviour depends only on the PRNG seed and on the clock. Invariants: a connection that dropped an invalidation
 * ends, and the next one begins with the current revision (SYN-02). The last invalidation is never dropped.
 */
import type { Clock, Known, Snapshot } from '@twin-ingest/client';
import { type Random, seededRandom } from '@twin-ingest/testkit/random.ts';

/** Each fault happens once in so many cases, at random. */
const DROPPED_OF = 10;
const DOUBLED_OF = 7;
const FAILED_OF = 9;
const OLD_OF = 8;
const RESTARTED_OF = 200;
const REPLACED_OF = 2000;
const MOST_LATE_MS = 40;
const OLD_BY = 5;

export class FaultyServer {
  readonly #clock: Clock;
  readonly #random: Random;
  #epoch = 'epoch-0';
  #revision = 0n;
  #hear: ((heard: unknown) => void) | null = null;
  #notified = 0;
  #replaced = 0;

  constructor(clock: Clock, seed: number) {
    this.#clock = clock;
    this.#random = seededRandom(seed);
  }

  get known(): Known {
    return { epoch: this.#epoch, revision: String(this.#revision) as Known['revision'] };
  }
  /** Number of invalidations that arrived, duplicates included. */
  get notified(): number {
    return this.#notified;
  }

  subscribe = async (hear: (heard: unknown) => void): Promise<() => void> => {
    this.#hear = hear;
    this.notify();
    return () => {
      this.#hear = null;
    };
  };

  fetch = async (known: Known | null, signal: AbortSignal): Promise<Snapshot<null> | null> => {
    // The state is read now and returned later, so it may be old by then.
    const read = this.#read();
    await this.#late();
    signal.throwIfAborted();
    if (this.#oneOf(FAILED_OF)) throw new Error('the connection was lost');
    return known?.epoch === read.epoch && known.revision === read.revision ? null : read;
  };

  /** Stores a change, and reports it with or without a fault. */
  post(): void {
    if (this.#oneOf(REPLACED_OF)) {
      this.#epoch = `epoch-${++this.#replaced}`;
      this.#revision = BigInt(this.#random.below(100));
    }
    this.#revision += BigInt(1 + this.#random.below(3));
    // A client that missed the invalidation receives it when it reconnects.
    if (this.#oneOf(DROPPED_OF) || this.#oneOf(RESTARTED_OF)) this.#clock.after(this.#lateBy(), this.notify);
    else {
      this.notify();
      if (this.#oneOf(DOUBLED_OF)) this.notify();
    }
  }

  /** Reports the current revision after a random delay, and therefore possibly out of order. */
  notify = (): void => {
    const { epoch, revision } = this.known;
    const isOf = this.#replaced;
    this.#clock.after(this.#lateBy(), () => {
      // A connection to a replaced database reports nothing any more.
      if (isOf !== this.#replaced) return;
      this.#notified++;
      this.#hear?.({ topic: 'events', epoch, revision });
    });
  };

  #read(): Snapshot<null> {
    const revision = this.#oneOf(OLD_OF) ? this.#revision - BigInt(OLD_BY) : this.#revision;
    return { epoch: this.#epoch, revision: String(revision < 0n ? 0n : revision), data: null };
  }

  #late(): Promise<void> {
    return new Promise((resolve) => void this.#clock.after(this.#lateBy(), resolve));
  }

  #lateBy(): number {
    return this.#random.below(MOST_LATE_MS);
  }

  #oneOf(count: number): boolean {
    return this.#random.below(count) === 0;
  }
}
