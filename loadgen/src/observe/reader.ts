/**
 * Reads statistics during a load, as a dashboard does: the requests of a second are sent by the clock.
 *
 * Requests have connections of their own, so that none waits for another. Latency counts from sending. Invariant: every
 * request counts, so the end waits for all answers, and a request without an answer in time has failed.
 */
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { Pool } from 'undici';
import { createHistogram, latencyOf, record } from '../analyse/histogram.ts';
import { BenchFailure } from '../failure.ts';

/** Milliseconds between two requests of a dashboard for its totals. */
const INTERVAL_MS = 1000;
const TIMEOUT_MS = 10_000;

/** Number of requests, and the percentiles of their latency. */
export type ReaderSample = Readonly<Awaited<ReturnType<ReturnType<typeof startReader>>>>;

const TOTALS = '/api/stats';

/** Requests for what a dashboard shows below its totals, which it sends every fifth time. */
const OTHERS = ['/api/sessions?limit=20', '/api/events?limit=50', '/api/stats/tools', '/api/stats/cost'];
const OTHERS_EVERY = 5;

/**
 * Sends requests from now on. The returned function sends no further ones, waits for the outstanding answers, and
 * returns the sample. It fails unless every answer was a 200; `name` is that of the server in the failure. Only tests
 * pass another interval.
 */
export function startReader(url: string, name: string, lifetime: Lifetime, interval_ms = INTERVAL_MS) {
  const pool = new Pool(url, { connections: null, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });
  const latencies = createHistogram();
  const asked: Promise<void>[] = [];
  let [failed, ticks] = [0, 0];

  const ask = async (path: string) => {
    const sent_ms = performance.now();
    try {
      const { statusCode, body } = await pool.request({ method: 'GET', path });
      await body.arrayBuffer();
      if (statusCode === 200) record(latencies, performance.now() - sent_ms);
      else failed++;
    } catch {
      failed++;
    }
  };
  const tick = () => {
    for (const path of ticks++ % OTHERS_EVERY === 0 ? [TOTALS, ...OTHERS] : [TOTALS]) asked.push(ask(path));
  };
  tick();
  const timer = setInterval(tick, interval_ms);
  const release = lifetime.add(async () => {
    clearInterval(timer);
    await pool.destroy();
  });
  return async () => {
    clearInterval(timer);
    await lifetime.orInterrupted(Promise.all(asked));
    await release();
    const requests = asked.length;
    const failure = `${name}: ${failed} of ${requests} reads of the dashboard had no 200 in time`;
    if (failed > 0) throw new BenchFailure('reads_failed', failure);
    const { p50_ms, p99_ms } = latencyOf(latencies)!;
    return { requests, failed, p50_ms, p99_ms };
  };
}
