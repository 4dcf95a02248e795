/** Tests the reader that runs during a soak: its requests, their rate, and its counts. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Interrupted } from '@twin-ingest/testkit/process/failure.ts';
import { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { startReader } from '../src/observe/reader.ts';

const lifetime = new Lifetime();
let asked: string[] = [];
let answer: RequestListener;
let url = '';
const ok: RequestListener = (_request, response) => void response.end('{}');
const server = createServer((request, response) => {
  asked.push(request.url!);
  answer(request, response);
});

before(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(async () => {
  await lifetime.end();
  server.closeAllConnections();
  server.close();
});

const totals = () => asked.filter((path) => path === '/api/stats').length;

/** Starts a reader, and waits until it has asked for the totals so often. */
async function start(answering: RequestListener, times: number, own = lifetime) {
  asked = [];
  answer = answering;
  const reader = startReader(url, own, 20);
  while (totals() < times) await sleep(5);
  return reader;
}

test('totals every time, the rest every fifth time', async () => {
  const reader = await start(ok, 12);
  const sample = await reader.stop();
  const others = asked.filter((path) => path !== '/api/stats');
  const each = ['/api/sessions?limit=20', '/api/events?limit=50', '/api/stats/tools', '/api/stats/cost'];
  const expected = Array.from({ length: Math.ceil(totals() / 5) }, () => each).flat();
  assert.deepEqual(others.toSorted(), expected.toSorted());
  assert.deepEqual([sample.requests, sample.failed], [asked.length, 0]);
  assert.ok(sample.p50_ms! > 0 && sample.p50_ms! <= sample.p99_ms!);
});

test('what is not a 200 has failed, and is in no percentile', async () => {
  const reader = await start((request, response) => {
    if (totals() % 2 === 0) request.socket.destroy();
    else response.writeHead(503).end('{}');
  }, 4);
  const sample = await reader.stop();
  const { requests } = sample;
  assert.deepEqual(sample, { requests, failed: requests, p50_ms: null, p99_ms: null });
  assert.ok(requests >= 4);
});

test('the end waits for the slowest answer', async () => {
  let answerHeld: (() => void) | undefined;
  const reader = await start((request, response) => {
    if (answerHeld === undefined) answerHeld = () => ok(request, response);
    else ok(request, response);
  }, 5);
  const sampled = reader.stop();
  await sleep(200);
  answerHeld!();
  const sample = await sampled;
  assert.deepEqual([sample.requests, sample.failed], [asked.length, 0]);
  assert.ok(sample.p99_ms! >= 200, String(sample.p99_ms));
});

test('an interrupted run ends the reader', async () => {
  const own = new Lifetime();
  const reader = await start(() => undefined, 1, own);
  const stopping = reader.stop();
  own.interrupt();
  await assert.rejects(stopping, Interrupted);
  await own.end();
});
