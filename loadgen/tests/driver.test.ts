/** Tests the generator as a separate process: pinned, faulty, or ended by another process. */
import assert from 'node:assert/strict';
import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { BenchFailure } from '../src/failure.ts';
import type { Job } from '../src/load/drivers/driver.ts';
import type { Command } from '../src/load/drivers/generator-process.ts';
import { autocannonDriver, openDriver } from '../src/load/drivers/process-driver.ts';
import type { Placement } from '../src/plan/placement.ts';
import { listen } from './listening-server.ts';

const lifetime = new Lifetime();
after(() => lifetime.end());

const job = (corpus: string | undefined): Job => ({
  pool: { corpus, seed: 1, most: 100, ids: 'random' },
  endpoint: 'batch',
  batchSize: 10,
  connections: 2,
  timeout_s: 1,
});
const anywhere: Placement = { pinned: false, server_cpus: null, generator_cpus: null, reason: 'test' };
const order = (url: string, count: number) => ({
  url,
  range: { first: 0, count },
  rate_events_per_s: null,
});
// Port 1 of the loopback address: reserved, so nothing of a test listens there.
const NOBODY = 'http://127.0.0.1:1';
const noTaskset = spawnSync('taskset', ['--version']).status !== 0 && 'taskset is not installed';

test('a pinned generator makes the same events', { skip: noTaskset }, async () => {
  const pinned: Placement = { ...anywhere, pinned: true, generator_cpus: [0] };
  const [on, off] = await Promise.all(
    [pinned, anywhere].map((placement) => autocannonDriver(placement, lifetime).prepare(job(undefined))),
  );
  assert.equal(on!.pool.sha256, off!.pool.sha256);
  assert.equal(on!.pool.events, 100);
  await Promise.all([on!.close(), off!.close()]);
});

test('a corpus that cannot be read fails with the reason', async () => {
  await assert.rejects(
    autocannonDriver(anywhere, lifetime).prepare(job(import.meta.filename)),
    (error: unknown) => {
      assert.ok(error instanceof BenchFailure && error.code === 'generator_failed');
      assert.match(error.message, /line 1 of the corpus is not JSON/);
      return true;
    },
  );
});

test('a server that is not there is errors, never throughput', async () => {
  const generator = await autocannonDriver(anywhere, lifetime).prepare(job(undefined));
  const sent = await generator.send(order(NOBODY, 50), () => undefined);
  await generator.close();
  assert.equal(sent.received_events, 0);
  assert.equal(sent.latency, null);
  assert.ok(sent.errors >= 5, String(sent.errors));
});

test('sending nothing is no request', async () => {
  const generator = await autocannonDriver(anywhere, lifetime).prepare(job(undefined));
  const sent = await generator.send(order(NOBODY, 0), () => undefined);
  await generator.close();
  assert.deepEqual([sent.requests, sent.errors, sent.duration_ms], [0, 0, 0]);
});

test('a driver says what it is', () => {
  const closed = autocannonDriver(anywhere, lifetime).facts;
  assert.deepEqual([closed.name, closed.model, closed.latency_from], ['autocannon', 'closed', 'sent']);
  const open = openDriver(anywhere, lifetime).facts;
  assert.deepEqual([open.name, open.model, open.latency_from], ['open-loop', 'open', 'due']);
  for (const { version } of [closed, open]) assert.match(version, /^\d+\.\d+\.\d+$/);
});

test('one generator serves many orders, each with its own server', async () => {
  const [one, other] = await Promise.all([listen(), listen()]);
  const generator = await autocannonDriver(anywhere, lifetime).prepare(job(undefined));
  for (const server of [one, other, one]) {
    const sent = await generator.send(order(server.url, 55), () => undefined);
    assert.deepEqual([sent.requests, sent.received_events, sent.errors], [6, 55, 0]);
    assert.deepEqual([sent.latency!.samples, sent.send_delay], [6, null]);
  }
  await generator.close();
  assert.deepEqual([one.arrivals.length, other.arrivals.length], [12, 6]);
  one.close();
  other.close();
});

test('single events go to their own endpoint, one a request', async () => {
  const server = await listen();
  const single: Job = { ...job(undefined), endpoint: 'single', batchSize: 1 };
  const generator = await autocannonDriver(anywhere, lifetime).prepare(single);
  const sent = await generator.send(order(server.url, 30), () => undefined);
  await generator.close();
  server.close();
  assert.deepEqual([sent.requests, sent.received_events, sent.non_2xx], [30, 30, 0]);
  assert.ok(server.arrivals.every(({ path, ids }) => path === '/api/events' && ids.length === 1));
  assert.equal(new Set(server.arrivals.flatMap(({ ids }) => ids)).size, 30);
});

test('a connection that the server closes is an error', async () => {
  const server = await listen((number, response) => {
    if (number === 2) response.destroy();
  });
  const generator = await autocannonDriver(anywhere, lifetime).prepare(job(undefined));
  const sent = await generator.send(order(server.url, 100), () => undefined);
  await generator.close();
  server.close();
  assert.deepEqual([sent.errors, sent.timeouts, sent.received_events], [1, 0, 90]);
});

test('a generator that somebody ended fails the next order', async () => {
  const own = new Lifetime();
  const generator = await autocannonDriver(anywhere, own).prepare(job(undefined));
  await own.end();
  await assert.rejects(
    generator.send(order(NOBODY, 10), () => undefined),
    (error: unknown) => error instanceof BenchFailure && error.code === 'generator_failed',
  );
});

for (const program of ['autocannon-main', 'open-main']) {
  test(`${program} ends with its parent, also in the middle of an order`, async () => {
    let arrived: (() => void) | undefined;
    const begun = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const server = await listen(() => arrived!());
    const child = fork(fileURLToPath(new URL(`../src/load/drivers/${program}.ts`, import.meta.url)));
    const ended = once(child, 'exit');
    command(child, { kind: 'prepare', job: job(undefined) });
    await once(child, 'message');
    const rate_events_per_s = program === 'open-main' ? 1000 : null;
    command(child, { kind: 'send', order: { ...order(server.url, 10_000_000), rate_events_per_s } });
    await begun;
    child.disconnect();
    assert.deepEqual(await ended, [1, null]);
    server.close();
  });
}

function command(child: ChildProcess, message: Command): void {
  child.send(message);
}
