/**
 * The strategies to keep a state in sync: the shipped client, and as alternatives a poll, and the stream that pushes
 * every event. The alternatives read the whole state over plain HTTP, as a page without the client would.
 *
 * Invariants: every strategy shows the same state, the newest rows of `events`. It records each applied state in its
 * journal.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type PaceOptions, type Snapshot, Sync, streamEvents, Topics } from '@twin-ingest/client';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { Pool } from 'undici';
import { BenchFailure } from '../failure.ts';
import { nowMs } from '../observe/clock.ts';
import { Journal } from './journal.ts';

export interface FollowOptions {
  readonly url: string;
  /** PRNG for the waits between attempts. */
  readonly random: () => number;
  /** Longest time that the start may take. */
  readonly patience_ms: number;
  /** Stops the follower when the run ends. */
  readonly lifetime: Lifetime;
}

export interface Following {
  readonly journal: Journal;
  /** Numbers of frames that reported a change, and of responses 304, since the start. */
  readonly counts: Readonly<Record<'invalidations' | 'not_modified', number>>;
  /** When each fetch began, in ms of `nowMs`. */
  readonly fetched_ms: readonly number[];
  stop(): Promise<unknown>;
}

/** Resolves once the follower is in sync and receives changes. */
export type Follow = (options: FollowOptions) => Promise<Following>;

/** Begins to count. The returned function returns the counts since then. */
export function countFrom({ journal, counts, fetched_ms }: Following) {
  const all = () => {
    const { applies, violations } = journal;
    return { ...counts, fetches: fetched_ms.length, applies, violations };
  };
  const before = all();
  return () => {
    const now = all();
    const keys = Object.keys(before) as (keyof typeof before)[];
    return Object.fromEntries(keys.map((key) => [key, now[key] - before[key]])) as typeof before;
  };
}

const LOOK_MS = 2;

/** Checks a condition every two milliseconds. Fails with `out_of_sync` and `what` after `patience_ms`. */
export async function until(
  isSo: () => boolean | Promise<boolean>,
  patience_ms: number,
  what: string,
): Promise<void> {
  const from = nowMs();
  while (!(await isSo())) {
    if (nowMs() - from > patience_ms)
      throw new BenchFailure('out_of_sync', `${what} has not come for ${patience_ms} ms`);
    await sleep(LOOK_MS);
  }
}

/** Number of rows that a follower shows. */
const ROWS = 50;

/** Follows with the shipped client: its `Sync` fetches only the new rows. `pace` is the option of `Sync`. */
export function shippedClient(pace: Partial<PaceOptions> = {}): Follow {
  return async ({ url, random, patience_ms, lifetime }) => {
    const journal = new Journal();
    const fetched_ms: number[] = [];
    const topics = new Topics({ baseUrl: url, topics: ['events'], random });
    const topic = topics.of('events', { limit: ROWS, deltas: true });
    const sync = new Sync<unknown>({
      ...topic,
      fetch: async (known, signal) => {
        fetched_ms.push(nowMs());
        const snapshot = await topic.fetch(known, signal);
        if (snapshot === null) counts.not_modified++;
        return snapshot;
      },
      apply: ({ epoch, revision }: Snapshot<unknown>) => journal.note(epoch, revision),
      onError: (phase, error) => {
        // The other phases are an unreachable server. The client tries again, so they are no problem.
        if (phase === 'protocol' || phase === 'apply')
          journal.fail(`the client reported ${phase}: ${String(error)}`);
      },
      random,
      pace,
    });
    const counts = {
      get invalidations() {
        return sync.counts.invalidations;
      },
      not_modified: 0,
    };
    // Registered before the start, because `start` may never resolve.
    const stop = lifetime.add(async () => sync.stop());
    await lifetime.orInterrupted(sync.start());
    await until(() => sync.counts.invalidations > 0, patience_ms, 'the first invalidation');
    return { journal, fetched_ms, counts, stop };
  };
}

/** Number of connections that a browser opens to one server. */
const CONNECTIONS = 6;

const PATH = `/api/snapshot/events?limit=${ROWS}`;

interface State {
  readonly epoch: string;
  readonly revision: string;
}

class Reader implements Following {
  readonly journal = new Journal();
  readonly fetched_ms: number[] = [];
  readonly end = new AbortController();
  readonly stop: () => Promise<unknown>;
  readonly counts = { invalidations: 0, not_modified: 0 };
  readonly #pool: Pool;
  #tag: string | undefined;

  constructor({ url, lifetime }: FollowOptions) {
    this.#pool = new Pool(url, { connections: CONNECTIONS, pipelining: 1 });
    this.stop = lifetime.add(async () => {
      this.end.abort();
      await this.#pool.destroy();
    });
  }

  /** Reads and records the state, and returns it. With `isConditional` the current state is a 304, and `null`. */
  async fetch(isConditional = false): Promise<State | null> {
    this.fetched_ms.push(nowMs());
    const headers = isConditional && this.#tag !== undefined ? { 'if-none-match': this.#tag } : {};
    const answer = await this.#pool.request({ path: PATH, method: 'GET', headers });
    const text = await answer.body.text();
    if (answer.statusCode === 304) {
      this.counts.not_modified++;
      return null;
    }
    if (answer.statusCode !== 200) throw new Error(`GET ${PATH}: ${answer.statusCode} ${text.slice(0, 200)}`);
    const state = JSON.parse(text) as State;
    this.#tag = String(answer.headers.etag);
    this.journal.note(state.epoch, state.revision);
    return state;
  }

  readonly fail = (error: unknown): void => {
    if (!this.end.signal.aborted) this.journal.fail(`the follower failed: ${String(error)}`);
  };
}

/** Polls at an interval. A fetch of an unchanged state gets a 304. */
function poll(every_ms: number): Follow {
  return async (options) => {
    const reader = new Reader(options);
    let isAsking = false;
    await reader.fetch(true);
    const timer = setInterval(async () => {
      if (isAsking) return;
      isAsking = true;
      await reader.fetch(true).catch(reader.fail);
      isAsking = false;
    }, every_ms);
    reader.end.signal.addEventListener('abort', () => clearInterval(timer));
    return reader;
  };
}

/**
 * Applies each event that the stream pushes. With `isFetching` a frame is only a notification, and the rows are fetched
 * each time, without ordering the fetches.
 */
function stream(isFetching: boolean): Follow {
  return async (options) => {
    const reader = new Reader(options);
    let isOpen = false;
    const { epoch, revision } = (await reader.fetch())!;
    streamEvents({
      baseUrl: options.url,
      random: options.random,
      // Starts where the first state ends, so that no event is missing between them.
      from: { epoch, id: Number(revision) },
      signal: reader.end.signal,
      onEvent: (_, position) => {
        reader.counts.invalidations++;
        if (isFetching) reader.fetch().catch(reader.fail);
        else reader.journal.note(position.epoch, String(position.id));
      },
      onState: (state) => {
        isOpen ||= state === 'open';
      },
    }).catch(reader.fail);
    await until(() => isOpen, options.patience_ms, 'the stream');
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
