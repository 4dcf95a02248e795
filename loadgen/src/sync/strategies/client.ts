/** The shipped client: invalidations of one stream, and a pull by `Sync`; only rows that are new are fetched. */
import { type PaceOptions, type Snapshot, Sync, type Topic, Topics } from '@twin-ingest/client';
import { BenchFailure } from '../../failure.ts';
import { nowMs } from '../../observe/clock.ts';
import { Journal } from '../journal.ts';
import { until } from '../until.ts';
import { type Follow, type Following, type FollowOptions, ROWS } from './strategy.ts';

export interface ClientFollowing extends Following {
  /** States that were applied and invalidations that were heard of. */
  checked(): number;
}

/** `pace` as `Sync` takes it; without one, the client's own. `between` stands between server and client. */
export function shippedClient(
  pace?: Partial<PaceOptions>,
  between: (topic: Topic<unknown>) => Topic<unknown> = (topic) => topic,
): (options: FollowOptions) => Promise<ClientFollowing> {
  return async ({ url, random, patience_ms, lifetime }) => {
    const journal = new Journal();
    const fetched_ms: number[] = [];
    let not_modified = 0;
    let problem: BenchFailure | null = null;
    const topics = new Topics({ baseUrl: url, topics: ['events'], random });
    const topic = between(topics.of('events', { limit: ROWS, deltas: true }));
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
        // A server that is away is no fault of the client's: it asks again.
        if (phase === 'protocol' || phase === 'apply')
          problem ??= new BenchFailure('out_of_sync', `the client reported ${phase}: ${String(error)}`);
      },
      random,
      ...(pace === undefined ? {} : { pace }),
    });
    // From before it has begun: what it waits for may never come.
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
      checked: () => sync.counts.invalidations + journal.applies,
      problem: () => problem,
      stop,
    };
  };
}

/** With every pull made at once. */
export const UNTHROTTLED: Partial<PaceOptions> = { throttle_ms: 0 };

export const shippedClientByDefault: Follow = shippedClient();
