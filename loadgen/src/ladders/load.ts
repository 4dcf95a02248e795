/** The clients of a ladder: some post requests of events, the others read the live stream. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { ApiClient } from '@twin-ingest/testkit/http/api-client.ts';
import { BenchFailure } from '../failure.ts';
import { nowMs } from '../observe/clock.ts';

/** Requests under way at once. */
const CONNECTIONS = 4;
/** Longer than any pause of a busy server. */
const QUIET_MS = 1_000;

/** Yields the requests of the events with the numbers `from` to `to`, without `to`. */
export function* requestsOf(from: number, to: number, batch: number, eventOf: (number: number) => object) {
  for (let first = from; first < to; first += batch) {
    const events = Array.from({ length: Math.min(batch, to - first) }, (_, i) => eventOf(first + i));
    yield { body: Buffer.from(JSON.stringify({ events })), events: events.length };
  }
}

type Requests = IterableIterator<{ readonly body: Buffer; readonly events: number }>;

/**
 * Posts the requests of an iterator, from which all connections take. Returns the seconds that this took, and the
 * latency of each request in milliseconds.
 *
 * Invariant: each answer must acknowledge every event of its request, as a new one.
 */
export async function post(client: ApiClient, requests: Requests, signal: AbortSignal) {
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

/** Opens streams that read every byte and keep none. Resolves when each has its first bytes. */
export async function openClients(port: number, count: number) {
  const sockets: Socket[] = [];
  let newest_ms = nowMs();
  // One after the other: the server's queue of new connections is bounded.
  while (sockets.length < count) {
    const socket = connect(port, '127.0.0.1');
    socket.write(`GET /api/stream HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
    const [first] = (await once(socket, 'data')) as [Buffer];
    const status = first.toString('latin1', 0, 15);
    if (status !== 'HTTP/1.1 200 OK') throw new BenchFailure('server_failed', `GET /api/stream: ${status}`);
    socket.on('error', () => undefined).on('data', () => (newest_ms = nowMs()));
    sockets.push(socket);
  }
  return {
    /** Waits until no client has received anything for a while. No stream may have ended. */
    async quiet(): Promise<void> {
      while (count > 0 && nowMs() - newest_ms < QUIET_MS) await pause(QUIET_MS / 10);
      const ended = sockets.filter(({ destroyed }) => destroyed).length;
      if (ended > 0) throw new BenchFailure('server_failed', `the server ended ${ended} streams`);
    },
    close: () => sockets.map((socket) => socket.destroy()),
  };
}
