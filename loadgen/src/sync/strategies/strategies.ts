/**
 * The strategies: the shipped client, and as alternatives a poll, and the stream that pushes every event.
 *
 * The alternatives read the whole state over plain HTTP, as a page without the client would.
 */
import { streamEvents } from '@twin-ingest/client';
import { Pool } from 'undici';
import { BenchFailure } from '../../failure.ts';
import { nowMs } from '../../observe/clock.ts';
import { Journal } from '../journal.ts';
import { shippedClient } from './client.ts';
import {
  type Counts,
  type Follow,
  type Following,
  type FollowOptions,
  ROWS,
  type Strategies,
  until,
} from './strategy.ts';

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
  invalidations = 0;
  readonly #pool: Pool;
  #notModified = 0;
  #tag: string | undefined;
  #problem: BenchFailure | null = null;

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
      this.#notModified++;
      return null;
    }
    if (answer.statusCode !== 200) throw new Error(`GET ${PATH}: ${answer.statusCode} ${text.slice(0, 200)}`);
    const state = JSON.parse(text) as State;
    this.#tag = String(answer.headers.etag);
    this.journal.note(state.epoch, state.revision);
    return state;
  }

  readonly fail = (error: unknown): void => {
    if (this.end.signal.aborted) return;
    this.#problem ??= new BenchFailure('out_of_sync', `the follower failed: ${String(error)}`);
  };

  readonly counts = (): Counts => ({
    invalidations: this.invalidations,
    fetches: this.fetched_ms.length,
    not_modified: this.#notModified,
  });

  readonly problem = (): BenchFailure | null => this.#problem;
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
        reader.invalidations++;
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
export const STRATEGIES: Strategies = {
  sync: shippedClient(),
  push: stream(false),
  fetch_each: stream(true),
  debounce_50: shippedClient({ throttle_ms: 0, debounce_ms: 50 }),
  poll_250: poll(250),
};
