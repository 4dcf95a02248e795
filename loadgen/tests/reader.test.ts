/** Tests the reader that runs during a soak: its requests, their rate, and its counts. */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Interrupted } from '@twin-ingest/testkit/process/failure.ts';
import { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { startReader } from '../src/observe/reader.ts';
import { listen } from './listening-server.ts';
import { lifetime } from './scratch.ts';

const ok = (_: number, response: ServerResponse) => void response.end('{}');

/** Starts a reader, and waits until it has asked for the totals so often. */
async function start(answer: Parameters<typeof listen>[0], times: number, own = lifetime) {
  const { url, paths, close } = await listen(answer);
  lifetime.add(async () => close());
  const totals = () => paths.filter((path) => path === '/api/stats').length;
  const reader = startReader(url, own, 20);
  while (totals() < times) await sleep(5);
  return { reader, asked: paths, totals };
}

test('totals every time, the rest every fifth time', async () => {
  const { reader, asked, totals } = await start(ok, 12);
  const sample = await reader.stop();
  const others = asked.filter((path) => path !== '/api/stats');
  const each = ['/api/sessions?limit=20', '/api/events?limit=50', '/api/stats/tools', '/api/stats/cost'];
  const expected = Array.from({ length: Math.ceil(totals() / 5) }, () => each).flat();
  assert.deepEqual(others.toSorted(), expected.toSorted());
  assert.deepEqual([sample.requests, sample.failed], [asked.length, 0]);
  assert.ok(sample.p50_ms! > 0 && sample.p50_ms! <= sample.p99_ms!);
});

test('what is not a 200 has failed, and is in no percentile', async () => {
  const { reader } = await start((number, response) => {
    if (number % 2 === 0) response.destroy();
    else response.writeHead(503).end('{}');
  }, 4);
  const sample = await reader.stop();
  const { requests } = sample;
  assert.deepEqual(sample, { requests, failed: requests, p50_ms: null, p99_ms: null });
  assert.ok(requests >= 4);
});

test('the end waits for the slowest answer', async () => {
  const held = Promise.withResolvers<void>();
  const { reader, asked } = await start(async (number, response) => {
    if (number === 1) await held.promise;
    ok(number, response);
  }, 5);
  const sampled = reader.stop();
  await sleep(200);
  held.resolve();
  const sample = await sampled;
  assert.deepEqual([sample.requests, sample.failed], [asked.length, 0]);
  assert.ok(sample.p99_ms! >= 200, String(sample.p99_ms));
});

test('an interrupted run ends the reader', async () => {
  const own = new Lifetime();
  const { reader } = await start(() => new Promise(() => undefined), 1, own);
  const stopping = reader.stop();
  own.interrupt();
  await assert.rejects(stopping, Interrupted);
  await own.end();
});
