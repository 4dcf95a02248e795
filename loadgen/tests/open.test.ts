/**
 * Tests the open loop. No request is sent before it is due. A stall of the server counts for all requests that were due
 * during it.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { decode } from '../src/analyse/histogram.ts';
import type { Job, Sent } from '../src/load/drivers/driver.ts';
import { openDriver } from '../src/load/drivers/process-driver.ts';
import { ANYWHERE, type Listening, listen } from './listening-server.ts';

const lifetime = new Lifetime();
after(() => lifetime.end());

const JOB: Job = {
  pool: { corpus: undefined, seed: 1, most: 100, ids: 'random' },
  endpoint: 'single',
  batchSize: 1,
  connections: 8,
  timeout_s: 60,
};

async function send(server: Listening, job: Partial<Job>, count: number, rate: number | null): Promise<Sent> {
  const generator = await openDriver(ANYWHERE, lifetime).prepare({ ...JOB, ...job });
  try {
    const order = { url: server.url, range: { first: 0, count }, rate_events_per_s: rate };
    return await generator.send(order, () => undefined);
  } finally {
    await generator.close();
    server.close();
  }
}

test('a stall of 300 ms shows in the latency of the 150 requests that were due meanwhile', async () => {
  let over: Promise<void> | undefined;
  const server = await listen((number) => {
    if (number >= 100) over ??= new Promise((resolve) => setTimeout(resolve, 300));
    return over;
  });
  const sent = await send(server, {}, 500, 500);
  assert.equal(sent.received_events, 500);
  assert.ok(sent.duration_ms >= 499 * 2, `the last is due at 998 ms, not ${sent.duration_ms}`);
  assert.deepEqual([sent.latency!.samples, sent.send_delay!.samples], [500, 500]);
  assert.ok(sent.latency!.mean_ms >= sent.send_delay!.mean_ms);
  const latency = decode(sent.latency!.histogram);
  // Each request that was due in the first 200 ms of the stall waits at least 100 ms. In a closed loop, only 8 would.
  const faster = Array.from({ length: 500 }, (_, i) => latency.getValueAtPercentile((i + 1) / 5));
  assert.ok(faster.filter((value) => value >= 95_000).length >= 95);
  assert.ok(sent.latency!.p90_ms >= 95, `p90 ${sent.latency!.p90_ms}`);
  assert.ok(sent.latency!.max_ms >= 295, `max ${sent.latency!.max_ms}`);
  // While 8 connections are busy, the other requests wait in the generator. This wait is no delay of the generator
  // itself.
  assert.ok(sent.send_delay!.p90_ms >= 90, `send delay p90 ${sent.send_delay!.p90_ms}`);
  assert.equal(sent.generator_delay!.samples, 500);
  // Of 150 requests that were due in the stall, 142 waited for a connection, 150 ms on average.
  const waited_ms = sent.send_delay!.mean_ms - sent.generator_delay!.mean_ms;
  assert.ok(waited_ms >= 30, `${waited_ms} ms on average`);
});

test('a request that waits too long for a connection is a timeout as well', async () => {
  const server = await listen(() => new Promise(() => undefined));
  const sent = await send(server, { connections: 1, timeout_s: 0.2 }, 6, 100);
  assert.deepEqual([sent.requests, sent.errors, sent.timeouts], [6, 6, 6]);
  assert.deepEqual([sent.received_events, sent.latency], [0, null]);
});

test('an open loop without a rate fails', async () => {
  await assert.rejects(send(await listen(), {}, 1, null), { code: 'generator_failed' });
});
