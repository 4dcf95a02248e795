/**
 * Tests k6 as a driver: it sends the same bytes as every other driver, each event once, and leaves no process running.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Interrupted } from '@twin-ingest/testkit/process/failure.ts';
import { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import {
  batchBody as k6BatchBody,
  singleBody as k6SingleBody,
  PLACE_WORDS,
  type PoolFiles,
} from '../k6/bodies.ts';
import { BenchFailure } from '../src/failure.ts';
import { batchBody, singleBody } from '../src/load/bodies.ts';
import type { Job } from '../src/load/drivers/driver.ts';
import { findK6 } from '../src/load/drivers/find.ts';
import { k6Driver } from '../src/load/drivers/k6.ts';
import { type PoolFilePaths, sharedPool, writePoolFiles } from '../src/load/drivers/k6-pool.ts';
import { loadPool } from '../src/load/pool.ts';

const k6 = findK6();
const skip = k6 === null && 'no k6: set K6_BIN, put it on PATH, or run pnpm k6:install';
const placement = { pinned: false, server_cpus: null, generator_cpus: null, reason: 'test' };
const folder = mkdtempSync(join(tmpdir(), 'twin-ingest-k6-'));
const lifetime = new Lifetime();
after(async () => {
  await lifetime.end();
  rmSync(folder, { recursive: true, force: true });
});

// Events with non-ASCII text and without an id, in runs of one session. The size of the pool is no multiple of a batch
// size.
const corpus = join(folder, 'corpus.ndjson');
const lines = Array.from({ length: 47 }, (_, i) => {
  const id = i % 5 === 0 ? {} : { event_id: `e${i}` };
  const session = { session_id: i % 7 === 3 ? 's' : `s${i >> 3}` };
  const rest = { agent_type: 'codex', event_type: 'tool_use', metadata: { text: 'é√😀'.repeat(i) } };
  return JSON.stringify(i % 2 ? { ...id, ...session, ...rest } : { ...rest, ...session, ...id });
});
writeFileSync(corpus, lines.join('\n'));
const source = { corpus, seed: 7, most: 1000, ids: 'random' } as const;
const job: Job = { pool: source, endpoint: 'batch', batchSize: 10, connections: 1, timeout_s: 5 };

let url = '';
let answer: RequestListener;
const bodies: Buffer[] = [];
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  bodies.push(Buffer.concat(chunks));
  answer(request, response);
});
const acknowledge: RequestListener = (_request, response) => {
  const { events } = JSON.parse(bodies.at(-1)!.toString()) as { events: unknown[] };
  response.writeHead(201).end(JSON.stringify({ received: events.length, duplicates: 0, rejected: [] }));
};
before(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});

for (const ids of ['random', 'time'] as const) {
  test(`the bodies inside k6 are those of every other driver, byte for byte: ${ids} ids`, async () => {
    const other = await loadPool({ ...source, ids });
    const files = inMemory(await writePoolFiles(other, folder));
    const shared = sharedPool(other);
    for (const first of [0, 1, 46, 47, 93, 1e6, 2 ** 31 - 20, 2 ** 32 - 200, 2 ** 32 + 5]) {
      for (const count of [1, 10, 50, 150]) {
        const range = { first, count };
        const made = await k6BatchBody(shared, files, range);
        assert.ok(batchBody(other, range).equals(made), `${first} ${count}`);
      }
      assert.ok(singleBody(other, first).equals(await k6SingleBody(shared, files, first)), `${first}`);
    }
  });
}

/** Returns the files as k6 reads them. */
function inMemory(paths: PoolFilePaths): PoolFiles {
  const places = readFileSync(paths.places_file);
  const bytes = readFileSync(paths.bytes_file);
  const size = PLACE_WORDS * 4;
  return {
    async places(first, count) {
      return new Uint32Array(Uint8Array.from(places.subarray(first * size, (first + count) * size)).buffer);
    },
    bytes: async (from, to) => Uint8Array.from(bytes.subarray(from, to)),
  };
}

for (const ids of ['random', 'time'] as const) {
  test(`every event of the range arrives once, at the rate asked for: ${ids} ids`, { skip }, async () => {
    const ownPool = await loadPool({ ...source, ids });
    bodies.length = 0;
    answer = acknowledge;
    const generator = await k6Driver({ k6: k6!, placement, lifetime }).prepare({
      ...job,
      pool: { ...source, ids },
    });
    const range = { first: 40, count: 996 };
    const progress: number[] = [];
    const sent = await generator.send({ url, range, rate_events_per_s: 500 }, (events) =>
      progress.push(events),
    );
    await generator.close();
    const digest = (body: Uint8Array) => createHash('sha256').update(body).digest('hex');
    const expected = Array.from({ length: 100 }, (_, i) => {
      const first = range.first + i * 10;
      return batchBody(ownPool, { first, count: Math.min(10, range.first + range.count - first) });
    });
    assert.deepEqual(bodies.map(digest).sort(), expected.map(digest).sort());
    assert.equal(generator.pool.sha256, ownPool.facts.sha256);
    const { requests, sent_events, received_events, dropped_requests, errors, non_2xx } = sent;
    assert.deepEqual(
      { requests, sent_events, received_events, dropped_requests, errors, non_2xx },
      { requests: 100, sent_events: 996, received_events: 996, dropped_requests: 0, errors: 0, non_2xx: 0 },
    );
    assert.equal(
      sent.sent_bytes,
      expected.reduce((sum, body) => sum + body.length, 0),
    );
    assert.equal(sent.latency!.samples, 100);
    // At 50/s, the last of 100 requests is due after 1.98 s, independent of the speed of the machine.
    assert.ok(sent.duration_ms >= 1900, String(sent.duration_ms));
    assert.ok(sent.generator_cpu_us > 0);
    assert.equal(progress[0], 0);
    assert.equal(progress.at(-1), 996);
  });
}

test('failed, unreadable and late answers are reported apart', { skip }, async () => {
  bodies.length = 0;
  answer = (request, response) => {
    const n = bodies.length;
    if (n === 3) response.writeHead(503).end('{"received":10,"duplicates":0,"rejected":[]}');
    else if (n === 5) response.writeHead(201).end('received 10');
    else if (n === 7) request.socket.destroy();
    else if (n !== 9) acknowledge(request, response);
  };
  const generator = await k6Driver({ k6: k6!, placement, lifetime }).prepare({ ...job, timeout_s: 1 });
  const order = { url, range: { first: 0, count: 200 }, rate_events_per_s: 200 };
  const sent = await generator.send(order, () => undefined);
  await generator.close();
  assert.deepEqual(
    [sent.requests, sent.received_events, sent.non_2xx, sent.errors, sent.timeouts, sent.dropped_requests],
    [20, 160, 2, 2, 1, 0],
  );
  assert.deepEqual(sent.status_codes, { '201': 17, '503': 1 });
});

test('a server that stalls longer than there are users makes dropped requests', { skip }, async () => {
  bodies.length = 0;
  answer = () => undefined;
  const generator = await k6Driver({ k6: k6!, placement, lifetime }).prepare({ ...job, timeout_s: 5 });
  // One request a second: k6 starts two users, and may add two more. No request is answered.
  const order = { url, range: { first: 0, count: 50 }, rate_events_per_s: 10 };
  const sent = await generator.send(order, () => undefined);
  await generator.close();
  assert.ok(sent.dropped_requests > 0, String(sent.dropped_requests));
  assert.equal(sent.latency, null);
});

test('an interrupted run ends k6', { skip }, async () => {
  bodies.length = 0;
  answer = acknowledge;
  const own = new Lifetime();
  const generator = await k6Driver({ k6: k6!, placement, lifetime: own }).prepare(job);
  const order = { url, range: { first: 0, count: 1e6 }, rate_events_per_s: 500 };
  const sending = generator.send(order, (events) => {
    if (events > 0) own.interrupt();
  });
  await assert.rejects(sending, Interrupted);
  await own.end();
  assert.equal(await silence(), true);
});

test('k6 ends with its parent, however that ends', { skip }, async () => {
  bodies.length = 0;
  answer = acknowledge;
  const lifetimeModule = JSON.stringify(import.meta.resolve('@twin-ingest/testkit/process/lifetime.ts'));
  const source = (name: string) => JSON.stringify(new URL(`../src/${name}.ts`, import.meta.url));
  const order = { url, range: { first: 0, count: 1e6 }, rate_events_per_s: 500 };
  const program = `
    const { k6Driver } = await import(${source('load/drivers/k6')});
    const { Lifetime } = await import(${lifetimeModule});
    const context = { ...${JSON.stringify({ k6, placement })}, lifetime: new Lifetime() };
    const generator = await k6Driver(context).prepare(${JSON.stringify(job)});
    await generator.send(${JSON.stringify(order)}, () => undefined);`;
  const words = ['--input-type=module', '--eval', program];
  // The kill leaves its temporary folder behind, so that folder is made inside the folder of this test.
  const env = { ...process.env, TMPDIR: folder };
  const parent = spawn(process.execPath, words, { stdio: 'inherit', env });
  while (bodies.length === 0) await sleep(20);
  parent.kill('SIGKILL');
  await once(parent, 'close');
  assert.equal(await silence(), true);
});

/**
 * Resolves to whether requests stop: two samples half a second apart see no new request, though 50 a second are due.
 */
async function silence(): Promise<boolean> {
  for (let look = 0; look < 20; look++) {
    const before = bodies.length;
    await sleep(500);
    if (bodies.length === before) return true;
  }
  return false;
}

test('what k6 says is in the failure when it does not run', { skip }, async () => {
  const broken = { ...job, timeout_s: Number.NaN };
  const generator = await k6Driver({ k6: k6!, placement, lifetime }).prepare(broken);
  const order = { url, range: { first: 0, count: 10 }, rate_events_per_s: 10 };
  const failure = await generator.send(order, () => undefined).catch((error: unknown) => error);
  await generator.close();
  assert.ok(failure instanceof BenchFailure && failure.code === 'generator_failed', String(failure));
  assert.match(failure.details.join('\n'), /invalid duration/);
});

test('a k6 that does not run is none, and nothing else is taken in its place', () => {
  assert.equal(findK6({ K6_BIN: join(folder, 'nothing') }, folder), null);
  assert.equal(findK6({ PATH: folder }, folder), null);
  assert.equal(findK6({ K6_BIN: process.execPath }, folder), null);
});
