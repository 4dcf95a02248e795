/**
 * Tests all load drivers. Each event of a range arrives once with the same bytes. Failed answers are reported apart, and
 * no process outlives the run. wrk and k6 are skipped where they are not installed; the last tests use a program that
 * prints what k6 would print.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Interrupted } from '@twin-ingest/testkit/process/failure.ts';
import { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { decodeFromCompressedBase64 as decode } from 'hdr-histogram-js';
import { batchBody, singleBody } from '../src/load/bodies.ts';
import type { Driver, Job } from '../src/load/drivers/driver.ts';
import { k6Driver } from '../src/load/drivers/k6.ts';
import { closedLoop, prepareOpenLoop } from '../src/load/drivers/node-generator.ts';
import { findK6, findWrk } from '../src/load/drivers/program.ts';
import { wrkDriver } from '../src/load/drivers/wrk.ts';
import { loadPool } from '../src/load/pool.ts';
import { ANYWHERE, type Listening, listen } from './listening-server.ts';
import { folder, lifetime } from './scratch.ts';

// Events with non-ASCII text and without an id, in runs of one session. No batch size divides the size of the pool.
const corpus = join(folder, 'corpus.ndjson');
const lines = Array.from({ length: 47 }, (_, i) => {
  const id = i % 5 === 0 ? {} : { event_id: `e${i}` };
  const session = { session_id: i % 7 === 3 ? 's' : `s${i >> 3}` };
  const rest = { agent_type: 'codex', event_type: 'tool_use', metadata: { text: 'é√😀'.repeat(i) } };
  return JSON.stringify(i % 2 ? { ...id, ...session, ...rest } : { ...rest, ...session, ...id });
});
writeFileSync(corpus, lines.join('\n'));
const source = { corpus, seed: 7, most: 1000 } as const;
const JOB: Job = { pool: source, endpoint: 'batch', batchSize: 10, connections: 4, timeout_s: 1 };
const pool = await loadPool(source);

interface Tested {
  readonly driver: Driver;
  /** Events a second of an open loop; `null` in a closed loop. */
  readonly rate: number | null;
  /** Faults of an answer that are errors of a request, and do not fail the order: broken off, and missing. */
  readonly errors?: readonly ('broken' | 'missing')[];
  readonly skip?: string | false;
}

const [k6, wrk] = [findK6(), findWrk()];
const noWrk = wrk === null && 'no wrk: put it on PATH, or set WRK_BIN';
const noK6 = k6 === null && 'no k6: set K6_BIN, put it on PATH, or run pnpm k6:install';
const both = ['broken', 'missing'] as const;
const DRIVERS: Readonly<Record<'autocannon' | 'open-loop' | 'wrk' | 'k6', Tested>> = {
  autocannon: { rate: null, errors: ['broken'], driver: closedLoop() },
  'open-loop': { rate: 500, errors: both, driver: prepareOpenLoop },
  wrk: { rate: null, skip: noWrk, driver: (...how) => wrkDriver(wrk!)(...how) },
  k6: { rate: 500, errors: both, skip: noK6, driver: (...how) => k6Driver(k6!)(...how) },
};
const { autocannon: AUTOCANNON, 'open-loop': OPEN } = DRIVERS;

const start = ({ driver }: Tested, job: Job = JOB, own = lifetime) =>
  driver(job, { placement: ANYWHERE, lifetime: own });
const orderOf = ({ rate }: Tested, url: string, count: number) => ({
  url,
  range: { first: 40, count },
  rate_events_per_s: rate,
});

async function send(tested: Tested, server: Listening, count: number, job: Job = JOB) {
  const generator = await start(tested, job);
  const sending = generator.send(orderOf(tested, server.url, count));
  return sending.finally(() => generator.close()).finally(() => server.close());
}

for (const [name, tested] of Object.entries(DRIVERS)) {
  const { rate, errors = [], skip = false } = tested;
  for (const endpoint of name === 'k6' ? (['batch'] as const) : (['batch', 'single'] as const)) {
    test(`${name} sends each event once, in the bytes of its number: ${endpoint}`, { skip }, async () => {
      const [size, path] = endpoint === 'single' ? [1, '/api/events'] : [10, '/api/events/batch'];
      const events = 50 * size - (size >> 1);
      const generator = await start(tested, { ...JOB, endpoint, batchSize: size });
      assert.equal(generator.facts.name, name);
      assert.match(generator.facts.version, /^\d+\.\d+\.\d+$/);
      assert.equal(generator.pool.sha256, pool.facts.sha256);
      const expected = Array.from({ length: 50 }, (_, i) => {
        const range = { first: 40 + i * size, count: Math.min(size, events - i * size) };
        return (size === 1 ? singleBody(pool, range.first) : batchBody(pool, range)).toString();
      });
      // One generator serves many orders, each with its own server.
      for (const server of [await listen(), await listen()]) {
        const order = orderOf({ ...tested, rate: rate && rate / (10 / size) }, server.url, events);
        const sent = await generator.send(order);
        server.close();
        assert.deepEqual(server.bodies.toSorted(), expected.toSorted());
        assert.ok(server.paths.every((one) => one === path));
        assert.deepEqual([sent.requests, sent.sent_events, sent.received_events], [50, events, events]);
        assert.deepEqual([sent.errors, sent.non_2xx, sent.dropped_requests], [0, 0, 0]);
        assert.equal(sent.sent_bytes, Buffer.byteLength(expected.join('')));
        assert.equal(sent.latency?.samples, name === 'wrk' ? undefined : 50);
        // At 50 requests a second, the last one is due after 980 ms, independent of the speed of the machine.
        assert.ok(sent.duration_ms > (rate === null ? 0 : 900), String(sent.duration_ms));
        assert.ok(sent.generator_cpu_us > 0);
      }
      await generator.close();
    });
  }

  test(`${name} reports failed, unreadable and missing answers apart`, { skip }, async () => {
    const server = await listen((number, response) => {
      if (number === 3) response.writeHead(503).end('{"received":10,"duplicates":0,"rejected":[]}');
      if (number === 5) response.writeHead(201).end('received 10');
      if (number === 7 && errors.includes('broken')) response.destroy();
      if (number === 9 && errors.includes('missing')) return new Promise(() => undefined);
    });
    const sent = await send(tested, server, 200);
    assert.deepEqual([sent.requests, sent.non_2xx, sent.errors], [20, 2, errors.length]);
    assert.deepEqual(sent.status_codes, { '201': 19 - errors.length, '503': 1 });
    assert.equal(sent.received_events, (18 - errors.length) * 10);
  });
}

/** Port 1 of the loopback address is reserved, so nothing of a test listens there. */
const GONE: Listening = { url: 'http://127.0.0.1:1', paths: [], bodies: [], close: () => undefined };

test('a server that is gone is errors or a failure, never throughput', async () => {
  const own = new Lifetime();
  const generator = await start(AUTOCANNON, JOB, own);
  const sent = await generator.send(orderOf(AUTOCANNON, GONE.url, 50));
  assert.deepEqual([sent.received_events, sent.latency], [0, null]);
  assert.ok(sent.errors >= 5, String(sent.errors));
  const { requests, errors, duration_ms } = await generator.send(orderOf(AUTOCANNON, GONE.url, 0));
  assert.deepEqual([requests, errors, duration_ms], [0, 0, 0], 'an order for nothing sends nothing');
  await own.end();
  await assert.rejects(generator.send(orderOf(AUTOCANNON, GONE.url, 10)), { code: 'generator_failed' });
  if (wrk !== null) await assert.rejects(send(DRIVERS.wrk, GONE, 50), { code: 'generator_failed' });
});

test('a stall of 300 ms shows in the latency of the 150 requests that were due meanwhile', async () => {
  let over: Promise<void> | undefined;
  const server = await listen((number) => {
    if (number >= 100) over ??= sleep(300);
    return over;
  });
  const job: Job = { ...JOB, endpoint: 'single', batchSize: 1, connections: 8, timeout_s: 60 };
  const sent = await send(OPEN, server, 500, job);
  const { received_events, duration_ms, latency, generator_delay } = sent;
  assert.equal(received_events, 500);
  assert.ok(duration_ms >= 499 * 2, `the last is due at 998 ms, not ${duration_ms}`);
  assert.deepEqual([latency!.samples, generator_delay!.samples], [500, 500]);
  // Each request that was due in the first 200 ms of the stall waits at least 100 ms. In a closed loop, only 8 would.
  const fewest_us = decode(latency!.histogram).getValueAtPercentile(100 - 94 / 5);
  assert.ok(fewest_us >= 95_000, `95 of 500 requests waited ${fewest_us} µs or longer`);
  assert.ok(latency!.max_ms >= 295, `max ${latency!.max_ms}`);
  // While 8 connections are busy, the other requests wait in the generator. This wait is no delay of the generator
  // itself. 150 requests waited 150 ms on average.
  const waited_ms = latency!.mean_ms - generator_delay!.mean_ms;
  assert.ok(waited_ms >= 30, `${waited_ms} ms on average`);
});

test('a request that waits too long for a connection is an error as well', async () => {
  const server = await listen(() => new Promise(() => undefined));
  const sent = await send({ ...OPEN, rate: 1000 }, server, 60, { ...JOB, connections: 1, timeout_s: 0.2 });
  assert.deepEqual([sent.requests, sent.errors, sent.received_events, sent.latency], [6, 6, 0, null]);
});

const MODULES = import.meta.resolve('../src/load/drivers/');

// autocannon and wrk run in the same ways as these two.
for (const [name, prepared] of [
  ['open-loop', `(await import('${MODULES}node-generator.ts')).prepareOpenLoop`],
  ['k6', `(await import('${MODULES}k6.ts')).k6Driver(${JSON.stringify(k6)})`],
] as const) {
  const tested = DRIVERS[name];
  const { skip = false } = tested;
  const endless = (url: string) => orderOf(tested, url, 10_000_000);

  test(`an interrupted run ends ${name}`, { skip }, async () => {
    const own = new Lifetime();
    const server = await listen(() => own.interrupt());
    const generator = await start(tested, JOB, own);
    await assert.rejects(generator.send(endless(server.url)), Interrupted);
    await own.end();
    await silence(server);
  });

  test(`${name} ends with its parent, also in the middle of an order`, { skip }, async () => {
    const begun = Promise.withResolvers<void>();
    const server = await listen(() => begun.resolve());
    const program = `
      const { Lifetime } = await import('${import.meta.resolve('@twin-ingest/testkit/process/lifetime.ts')}');
      const context = { placement: ${JSON.stringify(ANYWHERE)}, lifetime: new Lifetime() };
      const generator = await (${prepared})(${JSON.stringify(JOB)}, context);
      await generator.send(${JSON.stringify(endless(server.url))});`;
    // The kill leaves temporary folders behind, so they are made inside the folder of this test.
    const env = { ...process.env, TMPDIR: folder };
    const argv = ['--input-type=module', '--eval', program];
    const parent = spawn(process.execPath, argv, { stdio: 'inherit', env });
    await begun.promise;
    const ended = once(parent, 'exit');
    parent.kill('SIGKILL');
    await ended;
    await silence(server);
  });
}

/** Resolves when no request arrives for half a second, in which 25 would be due. */
async function silence(server: Listening): Promise<void> {
  for (let count = -1; count !== server.bodies.length; ) {
    count = server.bodies.length;
    await sleep(500);
  }
  server.close();
}

/** Sends to no server by a program that prints these lines in place of k6. */
function sendByFake(lines: readonly string[]) {
  const binary = join(folder, 'fake-k6');
  const print = (line: string) => `echo '${line}'\nsleep 0.1\n`;
  writeFileSync(binary, `#!/bin/sh\n${lines.map(print).join('')}`, { mode: 0o755 });
  return send({ rate: 10, driver: k6Driver({ binary, version: '1.8.1' }) }, GONE, 50);
}

test('requests of k6 that were due and not sent are dropped', async () => {
  const answer = { events: 10, bytes: 800, status: 201, body: '{"received":10}', at_ms: 9, latency_ms: 1.5 };
  const sent = await sendByFake(['ready', JSON.stringify(answer), 'done']);
  assert.deepEqual([sent.requests, sent.dropped_requests, sent.received_events], [1, 4, 10]);
  assert.deepEqual([sent.duration_ms, sent.latency!.max_ms, sent.sent_bytes], [9, 1.5, 800]);
});

test('a k6 that ends early is a failure with what it printed, and one that does not run is no k6', async () => {
  const details = ['invalid duration'];
  await assert.rejects(sendByFake(['ready', ...details]), { code: 'generator_failed', details });
  assert.equal(findK6({ K6_BIN: join(folder, 'nothing') }, folder), null);
  assert.equal(findK6({ PATH: folder }, folder), null);
  assert.equal(findK6({ K6_BIN: process.execPath }, folder), null);
});
