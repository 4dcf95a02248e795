/**
 * The client over a transport in memory that fails. Invalidations are dropped, duplicated, late and out of order.
 * Fetched snapshots are late, old, unchanged or missing. The database is replaced, so its epoch changes.
 *
 * Everything depends only on the PRNG seed and on a virtual clock. Invariants: a connection that dropped an
 * invalidation ends, and the next one begins with the current revision (SYN-02). The last invalidation is never
 * dropped. After the last fault the client reaches the last state, or the run fails.
 */
import { type Known, Sync, type SyncOptions } from '@twin-ingest/client';
import { FakeClock } from '@twin-ingest/testkit/fake-clock.ts';
import { seededRandom } from '@twin-ingest/testkit/random.ts';
import { BenchFailure } from '../failure.ts';
import { Journal } from './journal.ts';

/** Each fault happens once in so many cases, at random. */
const DROPPED_OF = 10;
const DOUBLED_OF = 7;
const FAILED_OF = 9;
const OLD_OF = 8;
const REPLACED_OF = 2000;
const MOST_LATE_MS = 40;
const OLD_BY = 5;

/** Largest time between two changes, in milliseconds. */
const POST_EVERY_MS = 6;

/** Time to wait after the last fault, longer than all waits between attempts together. */
const SETTLING_MS = 60_000;

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
  const journal = new Journal();
  let [epoch, revision] = [0, 0];
  let hear: ((heard: unknown) => void) | null = null;
  const oneOf = (count: number) => random.below(count) === 0;
  const later = (call: () => void) => clock.after(random.below(MOST_LATE_MS), call);
  const known = (at = revision): Known => {
    return { epoch: `epoch-${epoch}`, revision: String(at) as Known['revision'] };
  };

  /** Reports the current revision after a random delay, and therefore possibly out of order. */
  const notify = (): void => {
    const reported = known();
    later(() => {
      // A connection to a replaced database reports nothing any more.
      if (reported.epoch !== known().epoch) return;
      journal.invalidations++;
      hear?.({ topic: 'events', ...reported });
    });
  };

  /** Stores a change, and reports it with or without a fault. */
  const post = (): void => {
    if (oneOf(REPLACED_OF)) [epoch, revision] = [epoch + 1, random.below(100)];
    revision += 1 + random.below(3);
    // A client that missed the invalidation receives it when it reconnects.
    if (oneOf(DROPPED_OF)) later(notify);
    else notify();
    if (oneOf(DOUBLED_OF)) notify();
  };

  const sync = keep({
    topic: 'events',
    clock,
    random: random.next,
    async subscribe(listener) {
      hear = listener;
      notify();
      return () => {
        hear = null;
      };
    },
    async fetch(last, signal) {
      // The state is read now and returned later, so it may be old by then.
      const state = known(oneOf(OLD_OF) && revision >= OLD_BY ? revision - OLD_BY : revision);
      await new Promise<void>((resolve) => later(resolve));
      signal.throwIfAborted();
      if (oneOf(FAILED_OF)) throw new Error('the connection was lost');
      const isKnown = last?.epoch === state.epoch && last.revision === state.revision;
      return isKnown ? null : { ...state, data: null };
    },
    apply: (snapshot) => journal.note(snapshot.epoch, snapshot.revision),
  });
  sync.start().catch(() => undefined);
  const checked = () => journal.applied.length + journal.invalidations;
  while (checked() < enough) {
    post();
    await clock.pass(random.below(POST_EVERY_MS));
  }
  notify();
  await clock.pass(SETTLING_MS);
  sync.stop();
  if (journal.epoch !== known().epoch || journal.newest !== revision) {
    const end = `epoch ${journal.epoch} at ${journal.newest}, not ${known().epoch} at ${revision}`;
    throw new BenchFailure('out_of_sync', `after the last fault the client has ${end}`);
  }
  journal.check();
  return { checked: checked(), violations: journal.violations, applies: journal.applied.length };
}
