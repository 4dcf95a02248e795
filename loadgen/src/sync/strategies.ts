/**
 * The strategies to keep a state in sync: the shipped client, and as alternatives a poll, and the stream that pushes
 * every event. The alternatives read the whole state over plain HTTP, as a page without the client would.
 *
 * Invariants: every strategy shows the same state, the newest rows of `events`. It records each applied state in its
 * journal.
 */
import { setInterval } from 'node:timers/promises';
import { type PaceOptions, Sync, streamEvents, Topics } from '@twin-ingest/client';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { seededRandom } from '@twin-ingest/testkit/random.ts';
import { Pool } from 'undici';
import { nowMs } from '../observe/clock.ts';
import { Journal, until } from './journal.ts';

/** The follower stops when the run ends. */
export interface FollowOptions {
  readonly url: string;
  /** PRNG seed of the waits between attempts. */
  readonly seed: number;
  readonly lifetime: Lifetime;
}

/** Resolves once the follower is in sync and receives changes. */
export type Follow = (
  options: FollowOptions,
) => Promise<{ readonly journal: Journal; stop(): Promise<unknown> }>;

/** Number of rows that a follower shows. */
const ROWS = 50;

/** Follows with the shipped client: its `Sync` fetches only the new rows. `pace` is the option of `Sync`. */
export function shippedClient(pace: Partial<PaceOptions> = {}): Follow {
  return async ({ url, seed, lifetime }) => {
    const journal = new Journal();
    const random = seededRandom(seed).next;
    const topics = new Topics({ baseUrl: url, topics: ['events'], random });
    const topic = topics.of('events', { limit: ROWS, deltas: true });
    const sync = new Sync({
      ...topic,
      subscribe: (hear, signal) =>
        topic.subscribe((heard) => {
          journal.invalidations++;
          hear(heard);
        }, signal),
      fetch: async (known, signal) => {
        journal.fetched_ms.push(nowMs());
        const snapshot = await topic.fetch(known, signal);
        if (snapshot === null) journal.not_modified++;
        return snapshot;
      },
      apply: ({ epoch, revision }) => journal.note(epoch, revision),
      onError: (phase, error) => {
        // The other phases are an unreachable server. The client tries again, so they are no problem.
        if (phase === 'protocol' || phase === 'apply')
          journal.fail(`the client reported ${phase}: ${String(error)}`);
      },
      random,
      pace,
    });
    // Registered before the start, because `start` may never resolve.
    const stop = lifetime.add(async () => sync.stop());
    await lifetime.orInterrupted(sync.start());
    await until(() => journal.invalidations > 0, 'the first invalidation');
    return { journal, stop };
  };
}

/** Number of connections that a browser opens to one server. */
const CONNECTIONS = 6;

const PATH = `/api/snapshot/events?limit=${ROWS}`;

/** Reads the state over plain HTTP. Of several reads at the same time, the last one to end is applied last. */
function openReader({ url, lifetime }: FollowOptions) {
  const journal = new Journal();
  const end = new AbortController();
  const pool = new Pool(url, { connections: CONNECTIONS, pipelining: 1 });
  let tag = '';
  return {
    journal,
    signal: end.signal,
    stop: lifetime.add(async () => {
      end.abort();
      await pool.destroy();
    }),

    /** Reads and applies the state. With `isConditional` an unchanged state gets a 304, and is not applied. */
    async read(isConditional = false): Promise<void> {
      journal.fetched_ms.push(nowMs());
      const headers = isConditional ? { 'if-none-match': tag } : {};
      const answer = await pool.request({ path: PATH, method: 'GET', headers });
      const text = await answer.body.text();
      if (answer.statusCode === 304) {
        journal.not_modified++;
        return;
      }
      if (answer.statusCode !== 200)
        throw new Error(`GET ${PATH}: ${answer.statusCode} ${text.slice(0, 200)}`);
      const { epoch, revision } = JSON.parse(text) as { readonly epoch: string; readonly revision: string };
      tag = String(answer.headers.etag);
      journal.note(epoch, revision);
    },

    fail(error: unknown): void {
      if (!end.signal.aborted) journal.fail(`the follower failed: ${String(error)}`);
    },
  };
}

/** Polls at an interval. A fetch of an unchanged state gets a 304. */
function poll(every_ms: number): Follow {
  return async (options) => {
    const reader = openReader(options);
    await reader.read();
    const repeat = async () => {
      for await (const _ of setInterval(every_ms, null, { signal: reader.signal })) await reader.read(true);
    };
    repeat().catch(reader.fail);
    return reader;
  };
}

/**
 * Applies each event that the stream pushes. With `isFetching` a frame is only a notification. The rows are then fetched
 * each time, without ordering the fetches, so that an older state may be applied.
 */
function stream(isFetching: boolean): Follow {
  return async (options) => {
    const reader = openReader(options);
    const { journal, signal, fail } = reader;
    journal.isOrdered = !isFetching;
    await reader.read();
    let isOpen = false;
    streamEvents({
      baseUrl: options.url,
      random: seededRandom(options.seed).next,
      // Starts where the first state ends, so that no event is missing between them.
      from: { epoch: journal.epoch!, id: journal.newest },
      signal,
      onEvent: (_, { epoch, id }) => {
        journal.invalidations++;
        if (isFetching) reader.read().catch(fail);
        else journal.note(epoch, String(id));
      },
      onState: (state) => {
        isOpen ||= state === 'open';
      },
    }).catch(fail);
    await until(() => isOpen, 'the stream');
    return reader;
  };
}

/** DATA: the strategies that are compared, the shipped one first. */
export const STRATEGIES = {
  sync: shippedClient(),
  push: stream(false),
  fetch_each: stream(true),
  debounce_50: shippedClient({ throttle_ms: 0, debounce_ms: 50 }),
  poll_250: poll(250),
};

/** A parameter of the suite, so that tests can pass faulty strategies. */
export type Strategies = Readonly<typeof STRATEGIES>;
export const STRATEGY_NAMES = Object.keys(STRATEGIES) as (keyof Strategies)[];
