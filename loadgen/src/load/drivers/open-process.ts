/**
 * Sends at fixed times: request k is due at `start + k * interval`, regardless of the server.
 *
 * A request is sent when it is due, or as soon as a connection is free. Its latency counts from the moment it was due.
 * A stall therefore counts for every request that became due during it (coordinated omission). Invariants: no request
 * is dropped. A request without an answer `timeout_s` after it was due is an error, even when it still waits for a
 * connection. It counts as sent, so that such a run fails its audit. Requests wait here and not in undici, since a
 * waiting body takes memory.
 */
import { type Dispatcher, Pool } from 'undici';
import { nowMs } from '../../observe/clock.ts';
import type { Load } from './generator-process.ts';
import type { Metronome } from './metronome.ts';

/** Milliseconds from the order to its first request, in which the pool and the metronome become ready. */
const LEAD_MS = 5;

/** Milliseconds between two searches for requests that have timed out. */
const SWEEP_MS = 100;

const HEADERS = { 'content-type': 'application/json' };

/** Returns the number of requests without an answer. */
export async function sendOpenly(load: Load, metronome: Metronome): Promise<number> {
  const { job, order, requests, tally } = load;
  const { connections } = job;
  const interval_ms = (job.batchSize / order.rate_events_per_s!) * 1000;
  const start_ms = nowMs() + LEAD_MS;
  // Timeouts count from the moment a request was due, which undici does not know.
  const pool = new Pool(order.url, { connections, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 });
  const ended = Promise.withResolvers<void>();
  /** Requests in flight, in the order in which they were due, and how to give each of them up. */
  const inFlight = new Map<number, () => void>();
  let [next, errors] = [0, 0];
  /** When a connection last became free while all were busy. */
  let freed_ms = Number.NEGATIVE_INFINITY;

  const due = (number: number) => start_ms + number * interval_ms;
  const isLate = (number: number) => due(number) + job.timeout_s * 1000 <= nowMs();

  /** Sends the requests that are due, while a connection is free. */
  function sendDue(): void {
    while (next < requests.count && inFlight.size < connections && due(next) <= nowMs()) send(next++);
    if (next === requests.count && inFlight.size === 0) ended.resolve();
  }

  function send(number: number): void {
    const body = requests.body(number);
    tally.sent(requests.events(number), body.length, due(number));
    if (isLate(number)) {
      errors++;
      return;
    }
    const ready_ms = Math.max(due(number), freed_ms);
    const chunks: Buffer[] = [];
    let status = 0;
    let controller: Dispatcher.DispatchController | undefined;
    const settle = (failed: boolean) => {
      const wereBusy = inFlight.size === connections;
      if (!inFlight.delete(number)) return;
      if (wereBusy) freed_ms = nowMs();
      if (failed) errors++;
      // A request that fails at once has not returned from its dispatch yet.
      queueMicrotask(sendDue);
    };
    inFlight.set(number, () => {
      settle(true);
      controller?.abort(new Error('timeout'));
    });
    pool.dispatch(
      { method: 'POST', path: requests.path, headers: HEADERS, body },
      {
        // Called when the request is about to be written to its connection.
        onRequestStart(own) {
          controller = own;
          if (inFlight.has(number)) tally.written(ready_ms);
          else own.abort(new Error('timeout'));
        },
        onResponseStart(_, code) {
          status = code;
        },
        onResponseData(_, chunk) {
          chunks.push(chunk);
        },
        onResponseEnd() {
          if (inFlight.has(number)) tally.answered(status, Buffer.concat(chunks).toString(), due(number));
          settle(false);
        },
        onResponseError: () => settle(true),
      },
    );
  }

  const sweep = setInterval(() => {
    for (const [number, giveUp] of inFlight) if (isLate(number)) giveUp();
    sendDue();
  }, SWEEP_MS);
  metronome.run(start_ms, interval_ms, sendDue);
  await ended.promise;
  clearInterval(sweep);
  metronome.stop();
  await pool.destroy();
  return errors;
}
