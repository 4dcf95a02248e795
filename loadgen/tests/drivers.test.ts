/**
 * Tests what all load drivers have in common. Each event of a range arrives once with the same bytes. Failed answers are
 * reported apart, and no process outlives the run. wrk and k6 are skipped where they are not installed.
 */
import assert from 'node:assert/strict';
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Interrupted } from '@twin-ingest/testkit/process/failure.ts';
import { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { BenchFailure } from '../src/failure.ts';
import { batchBody, singleBody } from '../src/load/bodies.ts';
import type { Driver, Job, Sent } from '../src/load/drivers/driver.ts';
import { findK6, findWrk } from '../src/load/drivers/find.ts';
import type { Command } from '../src/load/drivers/generator-process.ts';
import { k6Driver } from '../src/load/drivers/k6.ts';
import { autocannonDriver, openDriver } from '../src/load/drivers/process-driver.ts';
import { wrkDriver } from '../src/load/drivers/wrk.ts';
import { loadPool } from '../src/load/pool.ts';
import { ANYWHERE, type Listening, listen } from './listening-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'twin-ingest-drivers-'));
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
const JOB: Job = { pool: source, endpoint: 'batch', batchSize: 10, connections: 4, timeout_s: 1 };
const pool = await loadPool(source);

interface Tested {
  readonly make: (own: Lifetime) => Driver;
  readonly rate: number | null;
  /** Whether a broken connection, and a missing answer, are errors of a request; otherwise they fail the order. */
  readonly breaks: boolean;
  readonly hangs: boolean;
  readonly model: 'closed' | 'open';
  readonly from: 'due' | 'sent';
  readonly skip: string | false;
}

const [k6, wrk] = [findK6(), findWrk()];
const CLOSED = {
  rate: null,
  breaks: true,
  hangs: false,
  model: 'closed',
  from: 'sent',
  skip: false,
} as const;
const OPEN = { rate: 500, breaks: true, hangs: true, model: 'open', from: 'due', skip: false } as const;
const DRIVERS: Readonly<Record<string, Tested>> = {
  autocannon: { ...CLOSED, make: (own) => autocannonDriver(ANYWHERE, own) },
  'open-loop': { ...OPEN, make: (own) => openDriver(ANYWHERE, own) },
  wrk: {
    ...CLOSED,
    breaks: false,
    skip: wrk === null && 'no wrk: put it on PATH, or set WRK_BIN',
    make: (own) => wrkDriver({ found: wrk!, placement: ANYWHERE, lifetime: own }),
  },
  k6: {
    ...OPEN,
    from: 'sent',
    skip: k6 === null && 'no k6: set K6_BIN, put it on PATH, or run pnpm k6:install',
    make: (own) => k6Driver({ found: k6!, placement: ANYWHERE, lifetime: own }),
  },
};

/** Sends a range to a server, and closes both afterwards. */
async function send({ make, rate }: Tested, server: Listening, job: Job, count: number): Promise<Sent> {
  const generator = await make(lifetime).prepare(job);
  const order = { url: server.url, range: { first: 40, count }, rate_events_per_s: rate };
  const sent = await generator.send(order, () => undefined);
  await generator.close();
  server.close();
  return sent;
}

for (const [name, tested] of Object.entries(DRIVERS)) {
  const { make, rate, breaks, hangs, model, from, skip } = tested;

  for (const endpoint of name === 'k6' ? (['batch'] as const) : (['batch', 'single'] as const)) {
    test(`${name} sends each event once, in the bytes of its number: ${endpoint}`, { skip }, async () => {
      const size = endpoint === 'single' ? 1 : 10;
      const range = { first: 40, count: 50 * size - (size >> 1) };
      const generator = await make(lifetime).prepare({ ...JOB, endpoint, batchSize: size });
      assert.equal(generator.pool.sha256, pool.facts.sha256);
      const expected = Array.from({ length: 50 }, (_, i) => {
        const first = range.first + i * size;
        const count = Math.min(size, range.first + range.count - first);
        return (size === 1 ? singleBody(pool, first) : batchBody(pool, { first, count })).toString();
      });
      // One generator serves many orders, each with its own server.
      for (const server of [await listen(), await listen()]) {
        const progress: number[] = [];
        const order = { url: server.url, range, rate_events_per_s: rate && rate / (10 / size) };
        const sent = await generator.send(order, (events) => progress.push(events));
        server.close();
        assert.deepEqual(server.bodies.toSorted(), expected.toSorted());
        const path = endpoint === 'single' ? '/api/events' : '/api/events/batch';
        assert.ok(server.paths.every((one) => one === path));
        const { requests, sent_events, received_events, errors, non_2xx, dropped_requests } = sent;
        assert.deepEqual([requests, sent_events, received_events], [50, range.count, range.count]);
        assert.deepEqual([errors, non_2xx, dropped_requests], [0, 0, 0]);
        assert.equal(sent.sent_bytes, Buffer.byteLength(expected.join('')));
        assert.equal(sent.latency?.samples, name === 'wrk' ? undefined : 50);
        // At 50 requests a second, the last one is due after 980 ms, independent of the speed of the machine.
        assert.ok(sent.duration_ms > (rate === null ? 0 : 900), String(sent.duration_ms));
        assert.ok(sent.generator_cpu_us > 0);
      }
      await generator.close();
      const { facts } = make(lifetime);
      assert.deepEqual([facts.name, facts.model, facts.latency_from], [name, model, from]);
      assert.match(facts.version, /^\d+\.\d+\.\d+$/);
    });
  }

  test(`${name} reports failed, unreadable and missing answers apart`, { skip }, async () => {
    const server = await listen((number, response) => {
      if (number === 3) response.writeHead(503).end('{"received":10,"duplicates":0,"rejected":[]}');
      if (number === 5) response.writeHead(201).end('received 10');
      if (number === 7 && breaks) response.destroy();
      if (number === 9 && hangs) return new Promise(() => undefined);
    });
    const sent = await send(tested, server, JOB, 200);
    const errors = Number(breaks) + Number(hangs);
    assert.deepEqual(
      [sent.requests, sent.non_2xx, sent.errors, sent.timeouts],
      [20, 2, errors, Number(hangs)],
    );
    assert.deepEqual(sent.status_codes, { '201': 19 - errors, '503': 1 });
    assert.equal(sent.received_events, (18 - errors) * 10);
  });
}

test('a server that is gone is errors or a failure, never throughput', async () => {
  // Port 1 of the loopback address: reserved, so nothing of a test listens there.
  const gone = { url: 'http://127.0.0.1:1', paths: [], bodies: [], close: () => undefined };
  const sent = await send(DRIVERS.autocannon!, gone, JOB, 50);
  assert.deepEqual([sent.received_events, sent.latency], [0, null]);
  assert.ok(sent.errors >= 5, String(sent.errors));
  if (wrk === null) return;
  await assert.rejects(send(DRIVERS.wrk!, gone, JOB, 50), isFailure);
});

test('an order for nothing, a wrong corpus and an ended generator', async () => {
  const own = new Lifetime();
  const generator = await autocannonDriver(ANYWHERE, own).prepare(JOB);
  const order = { url: 'http://127.0.0.1:1', range: { first: 0, count: 0 }, rate_events_per_s: null };
  const sent = await generator.send(order, () => undefined);
  assert.deepEqual([sent.requests, sent.errors, sent.duration_ms], [0, 0, 0]);
  await own.end();
  await assert.rejects(
    generator.send(order, () => undefined),
    isFailure,
  );
  const wrong = autocannonDriver(ANYWHERE, lifetime).prepare({
    ...JOB,
    pool: { ...source, corpus: import.meta.filename },
  });
  await assert.rejects(wrong, /line 1 of the corpus is not JSON/);
});

function isFailure(error: unknown): boolean {
  return error instanceof BenchFailure && error.code === 'generator_failed';
}

for (const name of ['autocannon', 'open-loop', 'k6']) {
  const { make, rate, skip } = DRIVERS[name]!;
  const order = (url: string) => ({ url, range: { first: 0, count: 10_000_000 }, rate_events_per_s: rate });

  test(`an interrupted run ends ${name}`, { skip }, async () => {
    const own = new Lifetime();
    const server = await listen(() => own.interrupt());
    const generator = await make(own).prepare(JOB);
    await assert.rejects(
      generator.send(order(server.url), () => undefined),
      Interrupted,
    );
    await own.end();
    await silence(server);
    server.close();
  });

  test(`${name} ends with its parent, also in the middle of an order`, { skip }, async () => {
    let arrived: () => void;
    const begun = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const server = await listen(() => arrived());
    const parent = name === 'k6' ? k6Parent(order(server.url)) : await generatorOf(name, order(server.url));
    await begun;
    const ended = once(parent, 'exit');
    if (parent.connected) parent.disconnect();
    else parent.kill('SIGKILL');
    await ended;
    await silence(server);
    server.close();
  });
}

/** Starts the process of a generator, with this process as its parent. */
async function generatorOf(name: string, order: Extract<Command, { kind: 'send' }>['order']) {
  const program = `../src/load/drivers/${name === 'autocannon' ? 'autocannon' : 'open'}-main.ts`;
  const child = fork(fileURLToPath(new URL(program, import.meta.url)));
  child.send({ kind: 'prepare', job: JOB } satisfies Command);
  await once(child, 'message');
  child.send({ kind: 'send', order } satisfies Command);
  return child;
}

/** Starts a process that sends by k6. */
function k6Parent(order: object) {
  const lifetimeModule = JSON.stringify(import.meta.resolve('@twin-ingest/testkit/process/lifetime.ts'));
  const driver = JSON.stringify(new URL('../src/load/drivers/k6.ts', import.meta.url));
  const program = `
    const { k6Driver } = await import(${driver});
    const { Lifetime } = await import(${lifetimeModule});
    const context = { ...${JSON.stringify({ found: k6, placement: ANYWHERE })}, lifetime: new Lifetime() };
    const generator = await k6Driver(context).prepare(${JSON.stringify(JOB)});
    await generator.send(${JSON.stringify(order)}, () => undefined);`;
  // The kill leaves a temporary folder behind, so that folder is made inside the folder of this test.
  const env = { ...process.env, TMPDIR: folder };
  return spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: 'inherit', env });
}

/** Resolves when no request arrives for half a second, in which 25 would be due. */
async function silence({ bodies }: Listening): Promise<void> {
  for (let count = -1; count !== bodies.length; ) {
    count = bodies.length;
    await sleep(500);
  }
}
