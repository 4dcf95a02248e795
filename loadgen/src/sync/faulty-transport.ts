/**
 * The client over a transport in memory that fails. Invalidations are dropped, duplicated, late and out of order.
 * Fetched snapshots are late, old, unchanged or missing. The database is replaced, so its epoch changes.
 *
 * Everything depends only on the PRNG seed and on a virtual clock. Invariants: a connection that dropped an
 * invalidation ends, and the next one begins with the current revision (SYN-02). The last invalidation is never
 * dropped. After the last fault the client reaches the last state, or the run fails.
 */
import { type Known, type Snapshot, Sync, type SyncOptions } from '@twin-ingest/client';
import { FakeClock } from '@twin-ingest/testkit/fake-clock.ts';
import { type Random, seededRandom } from '@twin-ingest/testkit/random.ts';
import { BenchFailure } from '../failure.ts';
import { Journal } from './journal.ts';

/** Each fault happens once in so many cases, at random. */
const DROPPED_OF = 10;
const DOUBLED_OF = 7;
const FAILED_OF = 9;
const OLD_OF = 8;
const REPLACED_OF = 2000;
const MOST_LATE_MS = 40;
const OLD_BY = 5n;

/** Largest time between two changes, in milliseconds. */
const POST_EVERY_MS = 6;

/** Steps to wait after the last fault. Together they are longer than all waits between attempts. */
const SETTLING_STEPS = 10_000;

/** Creates the client under test: the shipped `Sync`, or, in tests, a faulty one. */
export type Keep = (options: SyncOptions<null>) => { start(): Promise<void>; stop(): void };

/** Runs until `enough` applies and invalidations were checked. Then waits until the client is in sync again. */
export async function overFaultyTransport(
  seed: number,
  enough: number,
  keep: Keep = (options) => new Sync(options),
): Promise<Readonly<Record<'checked' | 'violations' | 'applies', number>>> {
  const clock = new FakeClock();
  const random = seededRandom(seed);
  const server = new FaultyServer(clock, seededRandom(seed));
  const journal = new Journal();
  const { subscribe, fetch } = server;
  const apply: SyncOptions<null>['apply'] = ({ epoch, revision }) => journal.note(epoch, revision);
  const sync = keep({ topic: 'events', subscribe, fetch, apply, clock, random: random.next });
  sync.start().catch(() => undefined);
  const checked = () => journal.applies + server.notified;
  while (checked() < enough) {
    server.post();
    await clock.pass(random.below(POST_EVERY_MS));
    // The list is not needed here, and would grow without end.
    journal.clear();
  }
  server.notify();
  const isInSync = () =>
    journal.epoch === server.known.epoch && journal.newest === BigInt(server.known.revision);
  for (let i = 0; i < SETTLING_STEPS && !isInSync(); i++) await clock.pass(POST_EVERY_MS);
  sync.stop();
  if (!isInSync()) {
    const { epoch, revision } = server.known;
    const end = `epoch ${journal.epoch} at ${journal.newest}, not ${epoch} at ${revision}`;
    throw new BenchFailure('out_of_sync', `after the last fault the client has ${end}`);
  }
  journal.check();
  return { checked: checked(), violations: journal.violations, applies: journal.applies };
}

class FaultyServer {
  /** Number of invalidations that arrived, duplicates included. */
  notified = 0;
  readonly #clock: FakeClock;
  readonly #random: Random;
  #epoch = 0;
  #revision = 0n;
  #hear: ((heard: unknown) => void) | null = null;

  constructor(clock: FakeClock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  get known(): Known {
    return { epoch: `epoch-${this.#epoch}`, revision: String(this.#revision) as Known['revision'] };
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
    const { epoch } = this.known;
    const isOld = this.#oneOf(OLD_OF) && this.#revision >= OLD_BY;
    const revision = String(isOld ? this.#revision - OLD_BY : this.#revision);
    await new Promise<void>((resolve) => this.#later(resolve));
    signal.throwIfAborted();
    if (this.#oneOf(FAILED_OF)) throw new Error('the connection was lost');
    return known?.epoch === epoch && known.revision === revision ? null : { epoch, revision, data: null };
  };

  /** Stores a change, and reports it with or without a fault. */
  post(): void {
    if (this.#oneOf(REPLACED_OF)) {
      this.#epoch++;
      this.#revision = BigInt(this.#random.below(100));
    }
    this.#revision += BigInt(1 + this.#random.below(3));
    // A client that missed the invalidation receives it when it reconnects.
    if (this.#oneOf(DROPPED_OF)) this.#later(this.notify);
    else {
      this.notify();
      if (this.#oneOf(DOUBLED_OF)) this.notify();
    }
  }

  /** Reports the current revision after a random delay, and therefore possibly out of order. */
  notify = (): void => {
    const { epoch, revision } = this.known;
    this.#later(() => {
      // A connection to a replaced database reports nothing any more.
      if (epoch !== this.known.epoch) return;
      this.notified++;
      this.#hear?.({ topic: 'events', epoch, revision });
    });
  };

  #later(call: () => void): void {
    this.#clock.after(this.#random.below(MOST_LATE_MS), call);
  }

  #oneOf(count: number): boolean {
    return this.#random.below(count) === 0;
  }
}
