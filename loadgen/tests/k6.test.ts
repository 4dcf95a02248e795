/** Tests what k6 alone has: dropped requests, a run that ends early, the search for its program. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Sent } from '../src/load/drivers/driver.ts';
import { k6Driver } from '../src/load/drivers/k6.ts';
import { findK6 } from '../src/load/drivers/program.ts';
import { ANYWHERE } from './listening-server.ts';
import { folder, lifetime } from './scratch.ts';

async function sendBy(lines: readonly string[]): Promise<Sent> {
  const binary = join(folder, 'fake-k6');
  const print = (line: string) => `echo '${line}'\nsleep 0.1\n`;
  writeFileSync(binary, `#!/bin/sh\n${lines.map(print).join('')}`, { mode: 0o755 });
  const pool = { corpus: undefined, seed: 7, most: 47 };
  const job = { pool, endpoint: 'batch', batchSize: 10, connections: 1, timeout_s: 1 } as const;
  const found = { binary, version: '1.8.1' };
  const generator = await k6Driver(found)(job, { placement: ANYWHERE, lifetime });
  const order = { url: 'http://127.0.0.1:1', range: { first: 0, count: 50 }, rate_events_per_s: 10 };
  return generator.send(order).finally(() => generator.close());
}

test('requests that were due and not sent are dropped', async () => {
  const answer = { events: 10, bytes: 800, status: 201, body: '{"received":10}', at_ms: 9, latency_ms: 1.5 };
  const sent = await sendBy(['ready', JSON.stringify(answer), 'done']);
  assert.deepEqual([sent.requests, sent.dropped_requests, sent.received_events], [1, 4, 10]);
  assert.deepEqual([sent.duration_ms, sent.latency!.max_ms, sent.sent_bytes], [9, 1.5, 800]);
});

test('a k6 that ends early is a failure with what it printed, and one that does not run is no k6', async () => {
  const details = ['invalid duration'];
  await assert.rejects(sendBy(['ready', ...details]), { code: 'generator_failed', details });
  assert.equal(findK6({ K6_BIN: join(folder, 'nothing') }, folder), null);
  assert.equal(findK6({ PATH: folder }, folder), null);
  assert.equal(findK6({ K6_BIN: process.execPath }, folder), null);
});
