/** Tests the reader that runs during a soak: its requests, their rate, and its counts. */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Interrupted } from '@twin-ingest/testkit/process/failure.ts';
import { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { startReader } from '../src/observe/reader.ts';
import { failsWith } from './fake-targets.ts';
import { listen } from './listening-server.ts';
import { lifetime } from './scratch.ts';

const ok = (_: number, response: ServerResponse) => void response.end('{}');

/** Starts a reader, and waits until it has asked for the totals so often. */
async function start(answer: Parameters<typeof listen>[0], times: number, own = lifetime) {
  const { url, paths, close } = await listen(answer);
  lifetime.add(async () => close());
  const totals = () => paths.filter((path) => path === '/api/stats').length;
  const stop = startReader(url, 'round 1', own, 20);
  while (totals() < times) await sleep(5);
  return { stop, asked: paths, totals };
}

test('totals every time, the rest every fifth time, and the end waits for the slowest answer', async () => {
  const held = Promise.withResolvers<void>();
  const { stop, asked, totals } = await start(async (number, response) => {
    if (number === 1) await held.promise;
    ok(number, response);
  }, 12);
  const sampled = stop();
  await sleep(200);
  held.resolve();
  const sample = await sampled;
  const others = asked.filter((path) => path !== '/api/stats');
  const each = ['/api/sessions?limit=20', '/api/events?limit=50', '/api/stats/tools', '/api/stats/cost'];
  const expected = Array.from({ length: Math.ceil(totals() / 5) }, () => each).flat();
  assert.deepEqual(others.toSorted(), expected.toSorted());
  assert.deepEqual([sample.requests, sample.failed], [asked.length, 0]);
  assert.ok(sample.p50_ms! > 0 && sample.p50_ms! < 200 && sample.p99_ms! >= 200, JSON.stringify(sample));
});

test('an answer that is no 200 has failed, and so has a connection that ends', async () => {
  const { stop } = await start((number, response) => {
    if (number === 2) response.destroy();
    else response.writeHead(number === 3 ? 503 : 200).end('{}');
  }, 4);
  await assert.rejects(stop(), failsWith('reads_failed', /^round 1: 2 of \d+ reads/));
});

test('an interrupted run ends the reader', async () => {
  const own = new Lifetime();
  const { stop } = await start(() => new Promise(() => undefined), 1, own);
  const stopping = stop();
  own.interrupt();
  await assert.rejects(stopping, Interrupted);
  await own.end();
});
