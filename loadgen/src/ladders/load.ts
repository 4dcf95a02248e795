/**
 * Posts the events of a ladder. The bodies of a slice exist before its time begins.
 *
 * Invariant: each answer must acknowledge every event of its request, as a new one.
 */
import { ApiClient } from '@twin-ingest/testkit/http/api-client.ts';
import { BenchFailure } from '../failure.ts';
import { nowMs } from '../observe/clock.ts';
import { eventOf, type Ladder } from './ladders.ts';

/** Requests under way at once. */
const CONNECTIONS = 4;
/** Events of a request that fills the file, and of all requests that are made at once. */
const FILL_BATCH = 1_000;
const FILL_EVENTS = 50_000;

export interface Posted {
  readonly seconds: number;
  /** Of each request, in milliseconds. */
  readonly latencies: readonly number[];
}

export function createLoad(port: number, { stored, events, batch, own, filling }: Ladder) {
  const client = new ApiClient(port);
  /** Number of events so far, which makes ids unique. */
  let next = 0;
  let filled = 0;

  /** Reserves the numbers of `count` new events and returns the first of them. */
  const take = (count: number): number => {
    next += count;
    return next - count;
  };

  const postAll = async (bodies: ReturnType<typeof bodiesOf>): Promise<Posted> => {
    const begun = nowMs();
    const latencies: number[] = [];
    const queue = bodies.values();
    const post = async (): Promise<void> => {
      for (const { bytes, events: count } of queue) {
        const sent = nowMs();
        const { status, text } = await client.send('POST', '/api/events/batch', bytes, []);
        latencies.push(nowMs() - sent);
        // `received` counts new events alone (rule ING-04).
        if (status !== 201 || !text.startsWith(`{"received":${count},`))
          throw new BenchFailure('audit_failed', `POST /api/events/batch: ${status} ${text.slice(0, 200)}`);
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, post));
    return { seconds: (nowMs() - begun) / 1000, latencies };
  };

  return {
    /** Stores events until the file has as many as the rung wants. */
    async fill(rung: number, signal: AbortSignal): Promise<void> {
      while (filled < stored(rung)) {
        signal.throwIfAborted();
        const count = Math.min(stored(rung) - filled, FILL_EVENTS);
        const from = filled;
        const ownOf = (i: number) => filling?.(from + i) ?? own(from + i, rung);
        await postAll(bodiesOf(take(count), count, FILL_BATCH, ownOf));
        filled += count;
      }
    },

    /** Prepares the events of one slice. The returned function posts them. */
    slice(rung: number): () => Promise<Posted> {
      const from = take(events(rung));
      const bodies = bodiesOf(from, events(rung), batch(rung), (i) => own(from + i, rung));
      return () => postAll(bodies);
    },

    close: () => client.close(),
  };
}

/** Returns the bodies of `count` events from number `from`; `own` returns the members of the i-th of them. */
function bodiesOf(
  from: number,
  count: number,
  batch: number,
  own: (i: number) => Readonly<Record<string, unknown>>,
) {
  return Array.from({ length: Math.ceil(count / batch) }, (_, request) => {
    const first = request * batch;
    const length = Math.min(batch, count - first);
    const events = Array.from({ length }, (_, i) => ({ ...eventOf(from + first + i), ...own(first + i) }));
    return { bytes: Buffer.from(JSON.stringify({ events })), events: length };
  });
}
