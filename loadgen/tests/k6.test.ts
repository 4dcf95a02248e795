/** Tests what counts as acknowledged, and what k6 alone has: dropped requests, a run that ends early, its search. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Sent } from '../src/load/drivers/driver.ts';
import { prepareK6 } from '../src/load/drivers/k6.ts';
import { findK6 } from '../src/load/drivers/program.ts';
import { Tally } from '../src/load/drivers/tally.ts';
import { ANYWHERE } from './listening-server.ts';
import { folder, lifetime } from './scratch.ts';

async function sendBy(lines: readonly string[]): Promise<Sent> {
  const binary = join(folder, 'fake-k6');
  const print = (line: string) => `echo '${line}'\nsleep 0.1\n`;
  writeFileSync(binary, `#!/bin/sh\n${lines.map(print).join('')}`, { mode: 0o755 });
  const pool = { corpus: undefined, seed: 7, most: 47 };
  const job = { pool, endpoint: 'batch', batchSize: 10, connections: 1, timeout_s: 1 } as const;
  const found = { binary, version: '1.8.1' };
  const generator = await prepareK6(job, { found, placement: ANYWHERE, lifetime });
  const order = { url: 'http://127.0.0.1:1', range: { first: 0, count: 50 }, rate_events_per_s: 10 };
  return generator.send(order).finally(() => generator.close());
}

test('requests that were due and not sent are dropped', async () => {
  const answer = { events: 10, bytes: 800, status: 201, body: '{"received":10}', at_ms: 9, latency_ms: 1.5 };
  const sent = await sendBy(['ready', `answer ${JSON.stringify(answer)}`, 'done']);
  assert.deepEqual([sent.requests, sent.dropped_requests, sent.received_events], [1, 4, 10]);
  assert.deepEqual([sent.duration_ms, sent.latency!.max_ms, sent.sent_bytes], [9, 1.5, 800]);
});

test('a k6 that ends early is a failure with what it said', async () => {
  const details = ['invalid duration'];
  await assert.rejects(sendBy(['ready', ...details]), { code: 'generator_failed', details });
});

test('a k6 that does not run is none, and nothing else is taken in its place', () => {
  assert.equal(findK6({ K6_BIN: join(folder, 'nothing') }, folder), null);
  assert.equal(findK6({ PATH: folder }, folder), null);
  assert.equal(findK6({ K6_BIN: process.execPath }, folder), null);
});

test('only what a 2xx answer says was received counts as acknowledged', () => {
  const tally = new Tally();
  for (const [status, body] of [
    [201, '{"received":1,"ids":[1],"duplicates":1,"rejected":[]}'],
    [503, '{"received":2,"ids":[],"duplicates":0,"rejected":[]}'],
    [201, 'received 2'],
    [200, '{"received":0,"ids":[],"duplicates":1}'],
    [201, '{"received":"1","ids":[8],"duplicates":0}'],
  ] as const)
    tally.answered(status, body, tally.sent(2, 100));
  tally.sent(1, 1);
  const sent = tally.result({ errors: 1, generator_cpu_us: 1 });
  assert.deepEqual([sent.received_events, sent.non_2xx], [1, 3]);
  assert.deepEqual(sent.status_codes, { '200': 1, '201': 3, '503': 1 });
  assert.deepEqual([sent.requests, sent.sent_events, sent.sent_bytes], [6, 11, 501]);
  assert.equal(tally.requests - tally.answers, 1);
});

test('a latency counts from the moment a request was due, and keeps what is below a millisecond', () => {
  const tally = new Tally();
  const due = tally.sent(1, 10, 1000.25);
  tally.answered(201, '{"received":1}', due, 1050.75);
  const { latency, duration_ms } = tally.result({ errors: 0, generator_cpu_us: 0 });
  assert.deepEqual([latency!.max_ms, duration_ms], [50.5, 50.5]);
  const none = new Tally().result({ errors: 0, generator_cpu_us: 0 });
  assert.deepEqual([none.latency, none.generator_delay, none.duration_ms], [null, null, 0]);
});
