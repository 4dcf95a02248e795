/** Makes and posts requests of events, over a few connections. */
import type { ApiClient } from '@twin-ingest/testkit/http/api-client.ts';
import { BenchFailure } from '../failure.ts';
import { nowMs } from '../observe/clock.ts';

/** Requests under way at once. */
const CONNECTIONS = 4;

export interface Request {
  readonly body: Buffer;
  readonly events: number;
}

/** Yields the requests of the events with the numbers `from` to `to`, without `to`. */
export function* requestsOf(
  from: number,
  to: number,
  batch: number,
  eventOf: (number: number) => object,
): Generator<Request> {
  for (let first = from; first < to; first += batch) {
    const events = Array.from({ length: Math.min(batch, to - first) }, (_, i) => eventOf(first + i));
    yield { body: Buffer.from(JSON.stringify({ events })), events: events.length };
  }
}

/**
 * Posts the requests of an iterator, from which all connections take. Returns the seconds that this took, and the
 * latency of each request in milliseconds.
 *
 * Invariant: each answer must acknowledge every event of its request, as a new one.
 */
export async function post(client: ApiClient, requests: IterableIterator<Request>, signal: AbortSignal) {
  const begun = nowMs();
  const latencies: number[] = [];
  const postNext = async (): Promise<void> => {
    for (const { body, events } of requests) {
      signal.throwIfAborted();
      const sent = nowMs();
      const { status, text } = await client.send('POST', '/api/events/batch', body, []);
      latencies.push(nowMs() - sent);
      // `received` counts new events alone (rule ING-04).
      if (status !== 201 || !text.startsWith(`{"received":${events},`))
        throw new BenchFailure('audit_failed', `POST /api/events/batch: ${status} ${text.slice(0, 200)}`);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, postNext));
  return { seconds: (nowMs() - begun) / 1000, latencies };
}
