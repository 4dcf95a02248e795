/** The generator as a process of its own: pinned, wrong, or ended by somebody else. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, test } from 'node:test';
import { autocannonDriver } from '../src/drivers/autocannon.ts';
import { BenchFailure } from '../src/failure.ts';
import { Lifetime } from '../src/lifetime.ts';
import type { Placement } from '../src/placement.ts';

const lifetime = new Lifetime();
after(() => lifetime.end());

const job = (corpus: string | undefined) => ({
  pool: { corpus, seed: 1, most: 100 },
  batchSize: 10,
  connections: 2,
  timeout_s: 1,
});
const anywhere: Placement = { pinned: false, server_cpus: null, generator_cpus: null, reason: 'test' };
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
  // Port 1 of the loopback address: reserved, so nothing of a test listens there.
  const sent = await generator.send('http://127.0.0.1:1', { first: 0, count: 50 }, () => undefined);
  await generator.close();
  assert.equal(sent.received_events, 0);
  assert.equal(sent.latency, null);
  assert.ok(sent.errors >= 5, String(sent.errors));
});

test('sending nothing is no request', async () => {
  const generator = await autocannonDriver(anywhere, lifetime).prepare(job(undefined));
  const sent = await generator.send('http://127.0.0.1:1', { first: 0, count: 0 }, () => undefined);
  await generator.close();
  assert.deepEqual([sent.requests, sent.errors, sent.duration_ms], [0, 0, 0]);
});
