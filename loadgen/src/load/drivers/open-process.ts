/**
 * Sends at fixed times: request k is due at `start + k * interval`, regardless of the server.
 *
 * A request is sent when it is due, or as soon as a connection is free. Its latency counts from the moment it was due.
 * A stall therefore counts for every request that became due during it (coordinated omission). Invariants: no request
 * is dropped. An order ends, whatever the server does: a request that still waits for a connection `timeout_s` after the
 * last one was due is an error. It counts as sent, so that such a run fails its audit. Requests wait here and not in
 * undici, since a waiting body takes memory.
 */
import { Pool } from 'undici';
import { nowMs } from '../../observe/clock.ts';
import { Metronome } from './metronome.ts';
import { type Load, serveGenerator } from './node-generator.ts';

/** Milliseconds from the order to its first request, in which the pool and the metronome become ready. */
const LEAD_MS = 5;

const HEADERS = { 'content-type': 'application/json' };

const metronome = new Metronome();

/** Returns the number of requests without an answer. */
async function sendOpenly({ job, order, requests, tally }: Load): Promise<number> {
  const { connections } = job;
  const timeout_ms = job.timeout_s * 1000;
  const interval_ms = (job.batchSize / order.rate_events_per_s!) * 1000;
  const start_ms = nowMs() + LEAD_MS;
  const due = (number: number) => start_ms + number * interval_ms;
  const end_ms = due(requests.count - 1) + timeout_ms;
  const timeouts = { headersTimeout: timeout_ms, bodyTimeout: timeout_ms };
  const pool = new Pool(order.url, { connections, pipelining: 1, ...timeouts });
  const ended = Promise.withResolvers<void>();
  let [next, inFlight] = [0, 0];
  /** When a connection last became free while all were busy. */
  let freed_ms = Number.NEGATIVE_INFINITY;

  /** Sends the requests that are due, while a connection is free. */
  function sendDue(): void {
    while (next < requests.count && inFlight < connections && due(next) <= nowMs()) send(next++);
    if (next === requests.count && inFlight === 0) ended.resolve();
  }

  function send(number: number): void {
    const body = requests.body(number);
    const due_ms = tally.sent(requests.events(number), body.length, due(number));
    if (nowMs() > end_ms) return;
    const ready_ms = Math.max(due_ms, freed_ms);
    const chunks: Buffer[] = [];
    let status = 0;
    const settle = () => {
      if (inFlight === connections) freed_ms = nowMs();
      inFlight--;
      // A request that fails at once has not returned from its dispatch yet.
      queueMicrotask(sendDue);
    };
    inFlight++;
    pool.dispatch(
      { method: 'POST', path: requests.path, headers: HEADERS, body },
      {
        // Called when the request is about to be written to its connection.
        onRequestStart: () => tally.written(ready_ms),
        onResponseStart(_, code) {
          status = code;
        },
        onResponseData: (_, chunk) => void chunks.push(chunk),
        onResponseEnd() {
          tally.answered(status, Buffer.concat(chunks).toString(), due_ms);
          settle();
        },
        onResponseError: settle,
      },
    );
  }

  metronome.run(start_ms, interval_ms, sendDue);
  await ended.promise;
  metronome.stop();
  await pool.destroy();
  return tally.requests - tally.answers;
}

serveGenerator(sendOpenly);
