/** Tests what k6 alone has: dropped requests, its own counts, and the search for its program. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { BenchFailure } from '../src/failure.ts';
import type { Job, Sent } from '../src/load/drivers/driver.ts';
import { findK6 } from '../src/load/drivers/find.ts';
import { k6Driver } from '../src/load/drivers/k6.ts';
import { ANYWHERE } from './listening-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'twin-ingest-k6-'));
const lifetime = new Lifetime();
after(async () => {
  await lifetime.end();
  rmSync(folder, { recursive: true, force: true });
});

const job: Job = {
  pool: { corpus: undefined, seed: 7, most: 47, ids: 'random' },
  endpoint: 'batch',
  batchSize: 10,
  connections: 1,
  timeout_s: 1,
};

/** Sends five requests by a program that prints these lines instead of k6. */
async function sendBy(lines: readonly string[]): Promise<Sent> {
  const binary = join(folder, 'fake-k6');
  const print = (line: string) => `echo '${line}'\nsleep 0.1\n`;
  writeFileSync(binary, `#!/bin/sh\n${lines.map(print).join('')}`, { mode: 0o755 });
  const driver = k6Driver({ found: { binary, version: '1.8.1' }, placement: ANYWHERE, lifetime });
  const generator = await driver.prepare(job);
  const order = { url: 'http://127.0.0.1:1', range: { first: 0, count: 50 }, rate_events_per_s: 10 };
  return generator.send(order, () => undefined).finally(() => generator.close());
}

const ANSWER = 'answer 0 1.5 1.5 201 0 10 800 10 0 0';

test('requests that were due and not sent are dropped, by the larger of both counts', async () => {
  const all = (dropped: number) => ['ready', ANSWER, 'done', `summary {"requests":1,"dropped":${dropped}}`];
  const sent = await sendBy(all(0));
  assert.deepEqual([sent.requests, sent.dropped_requests, sent.received_events], [1, 4, 10]);
  assert.deepEqual([sent.duration_ms, sent.latency!.max_ms, sent.sent_bytes], [1.5, 1.5, 800]);
  assert.equal((await sendBy(all(9))).dropped_requests, 9);
});

test('a k6 that ends early, or counts otherwise, is a failure with what it said', async () => {
  const failure = await sendBy(['ready', 'invalid duration']).catch((error: unknown) => error);
  assert.ok(failure instanceof BenchFailure && failure.code === 'generator_failed', String(failure));
  assert.deepEqual(failure.details, ['invalid duration']);
  const other = ['ready', ANSWER, 'done', 'summary {"requests":2,"dropped":0}'];
  await assert.rejects(sendBy(other), /k6 counted 2 requests and reported 1/);
});

test('a k6 that does not run is none, and nothing else is taken in its place', () => {
  assert.equal(findK6({ K6_BIN: join(folder, 'nothing') }, folder), null);
  assert.equal(findK6({ PATH: folder }, folder), null);
  assert.equal(findK6({ K6_BIN: process.execPath }, folder), null);
});
