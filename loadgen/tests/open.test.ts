/**
 * Tests the open loop: every due request is sent once, and a stall of the server counts for all requests that were due
 * during it.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Interrupted } from '@twin-ingest/testkit/process/failure.ts';
import { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { decode } from '../src/analyse/histogram.ts';
import { BenchFailure } from '../src/failure.ts';
import { batchBody } from '../src/load/bodies.ts';
import type { Job, Sent } from '../src/load/drivers/driver.ts';
import { openDriver } from '../src/load/drivers/process-driver.ts';
import { loadPool } from '../src/load/pool.ts';
import type { Placement } from '../src/plan/placement.ts';
import { type Listening, listen } from './listening-server.ts';

const lifetime = new Lifetime();
after(() => lifetime.end());

const anywhere: Placement = { pinned: false, server_cpus: null, generator_cpus: null, reason: 'test' };
const JOB: Job = {
  pool: { corpus: undefined, seed: 1, most: 100, ids: 'random' },
  endpoint: 'single',
  batchSize: 1,
  connections: 8,
  timeout_s: 60,
};

async function send(server: Listening, job: Partial<Job>, count: number, rate: number): Promise<Sent> {
  const generator = await openDriver(anywhere, lifetime).prepare({ ...JOB, ...job });
  try {
    const order = { url: server.url, range: { first: 0, count }, rate_events_per_s: rate };
    return await generator.send(order, () => undefined);
  } finally {
    await generator.close();
    server.close();
  }
}

async function idsOf(count: number): Promise<string[]> {
  const body = batchBody(await loadPool(JOB.pool), { first: 0, count }).toString();
  return (JSON.parse(body) as { events: { event_id: string }[] }).events.map((event) => event.event_id);
}

test('at 500 requests a second each event is sent once, and none before it was due', async () => {
  const server = await listen();
  const sent = await send(server, {}, 500, 500);
  assert.deepEqual([sent.requests, sent.sent_events, sent.received_events], [500, 500, 500]);
  assert.deepEqual([sent.errors, sent.timeouts, sent.non_2xx, sent.dropped_requests], [0, 0, 0, 0]);
  const arrived = server.arrivals.flatMap((arrival) => arrival.ids);
  assert.deepEqual(arrived.toSorted(), (await idsOf(500)).toSorted());
  assert.ok(server.arrivals.every((arrival) => arrival.path === '/api/events'));
  assert.ok(sent.duration_ms >= 499 * 2, `the last is due at 998 ms, not ${sent.duration_ms}`);
  assert.deepEqual([sent.latency!.samples, sent.send_delay!.samples], [500, 500]);
  assert.ok(sent.latency!.mean_ms >= sent.send_delay!.mean_ms);
  assert.ok(sent.generator_cpu_us > 0);
});

test('a batch is due for all its events, and the last may be smaller', async () => {
  const server = await listen();
  const sent = await send(server, { endpoint: 'batch', batchSize: 20 }, 130, 400);
  assert.deepEqual([sent.requests, sent.received_events], [7, 130]);
  assert.ok(sent.duration_ms >= 6 * 50, String(sent.duration_ms));
  assert.deepEqual(
    server.arrivals.flatMap((arrival) => arrival.ids).toSorted(),
    (await idsOf(130)).toSorted(),
  );
  assert.ok(server.arrivals.every((arrival) => arrival.path === '/api/events/batch'));
});

test('a stall of 300 ms shows in the latency of the 150 requests that were due meanwhile', async () => {
  let over: Promise<void> | undefined;
  const server = await listen((number) => {
    if (number >= 100) over ??= new Promise((resolve) => setTimeout(resolve, 300));
    return over;
  });
  const sent = await send(server, {}, 500, 500);
  assert.equal(sent.received_events, 500);
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

test('timeouts, closed connections and refusals are reported apart, and the rest goes on', async () => {
  const server = await listen((number, response) => {
    if (number === 3) return new Promise(() => undefined);
    if (number === 5) response.destroy();
    if (number === 7) response.writeHead(503).end('{"error":"Overloaded","code":"overloaded"}');
  });
  const sent = await send(server, { timeout_s: 5 }, 50, 500);
  assert.deepEqual([sent.requests, sent.errors, sent.timeouts, sent.non_2xx], [50, 2, 1, 1]);
  assert.equal(sent.received_events, 47);
  assert.deepEqual(sent.status_codes, { '201': 47, '503': 1 });
});

test('a request that waits too long for a connection is a timeout as well', async () => {
  const server = await listen(() => new Promise(() => undefined));
  const sent = await send(server, { connections: 1, timeout_s: 0.2 }, 6, 100);
  assert.deepEqual([sent.requests, sent.errors, sent.timeouts], [6, 6, 6]);
  assert.deepEqual([sent.received_events, sent.latency], [0, null]);
});

test('one generator serves many orders, each with its own server', async () => {
  const [one, other] = await Promise.all([listen(), listen()]);
  const generator = await openDriver(anywhere, lifetime).prepare(JOB);
  for (const [i, server] of [one, other, one].entries()) {
    const order = { url: server.url, range: { first: i * 10, count: 10 }, rate_events_per_s: 1000 };
    assert.equal((await generator.send(order, () => undefined)).received_events, 10);
  }
  await generator.close();
  assert.deepEqual([one.arrivals.length, other.arrivals.length], [20, 10]);
  one.close();
  other.close();
});

test('an open loop without a rate fails', async () => {
  const generator = await openDriver(anywhere, lifetime).prepare(JOB);
  const order = { url: 'http://127.0.0.1:1', range: { first: 0, count: 1 }, rate_events_per_s: null };
  await assert.rejects(
    generator.send(order, () => undefined),
    (error: unknown) => error instanceof BenchFailure && error.code === 'generator_failed',
  );
  await generator.close();
});

test('an interrupted run stops sending', async () => {
  const own = new Lifetime();
  let first: (() => void) | undefined;
  const begun = new Promise<void>((resolve) => {
    first = resolve;
  });
  const server = await listen(() => first!());
  const generator = await openDriver(anywhere, own).prepare(JOB);
  const order = { url: server.url, range: { first: 0, count: 1_000_000 }, rate_events_per_s: 500 };
  const stopped = assert.rejects(
    generator.send(order, () => undefined),
    Interrupted,
  );
  await begun;
  own.interrupt();
  await stopped;
  await own.end();
  server.close();
});
