/** Tests the reader that runs during a soak: its requests, their rate, and its counts. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Interrupted } from '@twin-ingest/testkit/process/failure.ts';
import { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { BenchFailure } from '../src/failure.ts';
import { checkReads, startReader } from '../src/observe/reader/reader.ts';

const placement = { pinned: false, server_cpus: null, generator_cpus: null, reason: 'test' };
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

const start = (answering: RequestListener, own = lifetime) => {
  asked = [];
  answer = answering;
  return startReader({ url, placement, lifetime: own, interval_ms: 20 });
};
const totals = () => asked.filter((path) => path === '/api/stats').length;
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(5);
}

test('totals every time, the rest every fifth time', async () => {
  const reader = start(ok);
  await until(() => totals() >= 12);
  const sample = await reader.stop();
  const others = asked.filter((path) => path !== '/api/stats');
  const times = Math.ceil(totals() / 5);
  const each = ['/api/sessions?limit=20', '/api/events?limit=50', '/api/stats/tools', '/api/stats/cost'];
  const expected = Array.from({ length: times }, () => each).flat();
  assert.deepEqual(others.toSorted(), expected.toSorted());
  assert.equal(sample.requests, asked.length);
  assert.equal(sample.failed, 0);
  assert.ok(sample.p50_ms! > 0 && sample.p50_ms! <= sample.p99_ms!);
});

test('what is not a 200 has failed, and is in no percentile', async () => {
  const reader = start((request, response) => {
    if (totals() % 2 === 0) request.socket.destroy();
    else response.writeHead(503).end('{}');
  });
  await until(() => totals() >= 4);
  const sample = await reader.stop();
  assert.deepEqual(sample, {
    requests: sample.requests,
    failed: sample.requests,
    p50_ms: null,
    p99_ms: null,
    cpu_us: sample.cpu_us,
  });
  assert.ok(sample.requests >= 4 && sample.cpu_us > 0);
  assert.throws(
    () => checkReads(sample, 'round 1 of rs'),
    (error) => error instanceof BenchFailure && error.code === 'reads_failed',
  );
  checkReads({ requests: 8, failed: 0, p50_ms: 1, p99_ms: 1, cpu_us: 1 }, 'round 1 of rs');
});

test('the end waits for the slowest answer', async () => {
  let answerHeld: (() => void) | undefined;
  const reader = start((request, response) => {
    if (answerHeld === undefined) answerHeld = () => ok(request, response);
    else ok(request, response);
  });
  await until(() => totals() >= 5);
  const sampled = reader.stop();
  await sleep(200);
  answerHeld!();
  const sample = await sampled;
  assert.equal(sample.requests, asked.length);
  assert.equal(sample.failed, 0);
  assert.ok(sample.p99_ms! >= 200, String(sample.p99_ms));
});

test('a reader that is gone is a failure, and an interrupted run ends it', async () => {
  const own = new Lifetime();
  const reader = start(ok, own);
  await until(() => totals() >= 1);
  await own.end();
  await assert.rejects(
    reader.stop(),
    (error) => error instanceof BenchFailure && error.code === 'reader_failed',
  );
  const other = new Lifetime();
  const interrupted = start(() => undefined, other);
  await until(() => totals() >= 1);
  const stopping = interrupted.stop();
  other.interrupt();
  await assert.rejects(stopping, Interrupted);
});

test('the reader ends with its parent', { timeout: 30_000 }, async () => {
  const lifetimeModule = JSON.stringify(import.meta.resolve('@twin-ingest/testkit/process/lifetime.ts'));
  const source = (name: string) => JSON.stringify(new URL(`../src/${name}.ts`, import.meta.url));
  const program = `
    const { startReader } = await import(${source('observe/reader/reader')});
    const { Lifetime } = await import(${lifetimeModule});
    const context = ${JSON.stringify({ url, placement, interval_ms: 20 })};
    startReader({ ...context, lifetime: new Lifetime() });`;
  asked = [];
  answer = ok;
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: 'inherit' });
  await until(() => totals() >= 2);
  parent.kill('SIGKILL');
  await once(parent, 'close');
  // The reader's connection closes when its process ends.
  while ((await connections()) > 0) await sleep(10);
});

function connections(): Promise<number> {
  return new Promise((resolve, reject) =>
    server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );
}
