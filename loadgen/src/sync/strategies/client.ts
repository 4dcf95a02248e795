/** The shipped client: receives invalidations of one stream, and `Sync` fetches only the new rows. */
import { type PaceOptions, type Snapshot, Sync, Topics } from '@twin-ingest/client';
import { BenchFailure } from '../../failure.ts';
import { nowMs } from '../../observe/clock.ts';
import { Journal } from '../journal.ts';
import { type Follow, ROWS, until } from './strategy.ts';

/** Follows with the shipped client. `pace` is the option of `Sync`. */
export function shippedClient(pace?: Partial<PaceOptions>): Follow {
  return async ({ url, random, patience_ms, lifetime }) => {
    const journal = new Journal();
    const fetched_ms: number[] = [];
    let not_modified = 0;
    let problem: BenchFailure | null = null;
    const topics = new Topics({ baseUrl: url, topics: ['events'], random });
    const topic = topics.of('events', { limit: ROWS, deltas: true });
    const sync = new Sync<unknown>({
      ...topic,
      fetch: async (known, signal) => {
        fetched_ms.push(nowMs());
        const snapshot = await topic.fetch(known, signal);
        if (snapshot === null) not_modified++;
        return snapshot;
      },
      apply: ({ epoch, revision }: Snapshot<unknown>) => journal.note(epoch, revision),
      onError: (phase, error) => {
        // The other phases are an unreachable server. The client tries again, so they are no problem.
        if (phase === 'protocol' || phase === 'apply')
          problem ??= new BenchFailure('out_of_sync', `the client reported ${phase}: ${String(error)}`);
      },
      random,
      ...(pace === undefined ? {} : { pace }),
    });
    // Registered before the start, because `start` may never resolve.
    const stop = lifetime.add(async () => sync.stop());
    await lifetime.orInterrupted(sync.start());
    await until(() => sync.counts.invalidations > 0, patience_ms, 'the first invalidation');
    return {
      journal,
      fetched_ms,
      counts: () => ({
        invalidations: sync.counts.invalidations,
        fetches: sync.counts.fetches,
        not_modified,
      }),
      problem: () => problem,
      stop,
    };
  };
}
