/**
 * The alternatives to the shipped client: a poll, and the stream that pushes every event.
 *
 * They read the whole state over plain HTTP, as a page without the client would.
 */
import { streamEvents } from '@twin-ingest/client';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { type Dispatcher, Pool } from 'undici';
import { BenchFailure } from '../../failure.ts';
import { nowMs } from '../../observe/clock.ts';
import { Journal } from '../journal.ts';
import { type Follow, type Following, ROWS, until } from './strategy.ts';

/** Number of connections that a browser opens to one server. */
const CONNECTIONS = 6;

interface State {
  readonly epoch: string;
  readonly revision: string;
}

class Reader {
  readonly journal = new Journal();
  readonly #fetched_ms: number[] = [];
  readonly #pool: Pool;
  #notModified = 0;
  #tag: string | undefined;
  #problem: BenchFailure | null = null;
  #isOver = false;

  constructor(url: string) {
    this.#pool = new Pool(url, { connections: CONNECTIONS, pipelining: 1 });
  }

  /**
   * Reads and records the state, and returns it. With `isConditional` the current state is a 304, and `null`. Fails
   * with `out_of_sync` for any other status but 200.
   */
  async fetch(isConditional = false): Promise<State | null> {
    this.#fetched_ms.push(nowMs());
    const options: Dispatcher.RequestOptions = {
      path: `/api/snapshot/events?limit=${ROWS}`,
      method: 'GET',
      headers: isConditional && this.#tag !== undefined ? { 'if-none-match': this.#tag } : {},
    };
    const { statusCode, headers, body } = await this.#pool.request(options);
    const text = await body.text();
    if (statusCode === 304) {
      this.#notModified++;
      return null;
    }
    if (statusCode !== 200)
      throw new BenchFailure('out_of_sync', `GET ${options.path} answered ${statusCode}`, [
        text.slice(0, 200),
      ]);
    const state = JSON.parse(text) as State;
    this.#tag = String(headers.etag);
    this.journal.note(state.epoch, state.revision);
    return state;
  }

  readonly fail = (error: unknown): void => {
    if (this.#isOver) return;
    this.#problem ??=
      error instanceof BenchFailure
        ? error
        : new BenchFailure('out_of_sync', `the follower failed: ${String(error)}`);
  };

  /** Returns the follower. `end` ends what reads, before the connections are closed. */
  following(lifetime: Lifetime, invalidations: () => number, end: () => unknown): Following {
    return {
      journal: this.journal,
      fetched_ms: this.#fetched_ms,
      counts: () => ({
        invalidations: invalidations(),
        fetches: this.#fetched_ms.length,
        not_modified: this.#notModified,
      }),
      problem: () => this.#problem,
      stop: lifetime.add(async () => {
        this.#isOver = true;
        await end();
        await this.#pool.destroy();
      }),
    };
  }
}

/** Polls at an interval. A fetch of an unchanged state gets a 304. */
export function poll(every_ms: number): Follow {
  return async ({ url, lifetime }) => {
    const reader = new Reader(url);
    let isAsking = false;
    await reader.fetch(true);
    const timer = setInterval(async () => {
      if (isAsking) return;
      isAsking = true;
      await reader.fetch(true).catch(reader.fail);
      isAsking = false;
    }, every_ms);
    return reader.following(
      lifetime,
      () => 0,
      () => clearInterval(timer),
    );
  };
}

/** Applies each event that the stream pushes. */
export const push: Follow = stream(false);

/** Uses a frame only as a notification and fetches the rows each time, without ordering the fetches. */
export const fetchEach: Follow = stream(true);

function stream(isFetching: boolean): Follow {
  return async ({ url, random, patience_ms, lifetime }) => {
    const reader = new Reader(url);
    const end = new AbortController();
    let invalidations = 0;
    let isOpen = false;
    const { epoch, revision } = (await reader.fetch())!;
    const running = streamEvents({
      baseUrl: url,
      random,
      // Starts where the first state ends, so that no event is missing between them.
      from: { epoch, id: Number(revision) },
      signal: end.signal,
      onEvent: (_, position) => {
        invalidations++;
        if (isFetching) reader.fetch().catch(reader.fail);
        else reader.journal.note(position.epoch, String(position.id));
      },
      onState: (state) => {
        isOpen ||= state === 'open';
      },
    }).catch(reader.fail);
    const following = reader.following(
      lifetime,
      () => invalidations,
      () => {
        end.abort();
        return running;
      },
    );
    await until(() => isOpen, patience_ms, 'the stream');
    return following;
  };
}
