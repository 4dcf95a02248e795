/**
 * Tests wrk as a driver: it sends the same bytes as every other driver, each event once, and reports the counts of the
 * responses.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { BenchFailure } from '../src/failure.ts';
import { batchBody, singleBody } from '../src/load/bodies.ts';
import type { Job } from '../src/load/drivers/driver.ts';
import { findWrk } from '../src/load/drivers/find.ts';
import { wrkDriver } from '../src/load/drivers/wrk.ts';
import { loadPool } from '../src/load/pool.ts';

const wrk = findWrk();
const skip = wrk === null && 'no wrk: put it on PATH, or set WRK_BIN';
const placement = { pinned: false, server_cpus: null, generator_cpus: null, reason: 'test' };
const source = { corpus: undefined, seed: 7, most: 1000, ids: 'random' } as const;
const job: Job = { pool: source, endpoint: 'batch', batchSize: 10, connections: 8, timeout_s: 5 };
const lifetime = new Lifetime();

let url = '';
const bodies: string[] = [];
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString();
  bodies.push(body);
  const parsed = JSON.parse(body) as { events?: unknown[] };
  const received = parsed.events?.length ?? 1;
  // Every seventh batch is refused, so that the counts of sent and acknowledged events differ.
  const refused = bodies.length % 7 === 0;
  response.writeHead(refused ? 503 : 201, { 'content-type': 'application/json' });
  response.end(refused ? '{"error":{}}' : JSON.stringify({ received, ids: [], duplicates: 0, rejected: [] }));
});
before(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(async () => {
  server.closeAllConnections();
  server.close();
  await lifetime.end();
});

for (const endpoint of ['batch', 'single'] as const) {
  test(`every body is sent once, and answers are counted: ${endpoint}`, { skip }, async () => {
    bodies.length = 0;
    const own: Job = { ...job, endpoint, batchSize: endpoint === 'single' ? 1 : job.batchSize };
    const generator = await wrkDriver({ wrk: wrk!, placement, lifetime }).prepare(own);
    const range = { first: 5, count: 1003 };
    const sent = await generator.send({ url, range, rate_events_per_s: null }, () => undefined);
    await generator.close();
    const pool = await loadPool(source);
    const expected = Array.from({ length: Math.ceil(range.count / own.batchSize) }, (_, number) => {
      const first = range.first + number * own.batchSize;
      const count = Math.min(own.batchSize, range.first + range.count - first);
      return (endpoint === 'single' ? singleBody(pool, first) : batchBody(pool, { first, count })).toString();
    });
    assert.deepEqual(bodies.toSorted(), expected.toSorted());
    assert.equal(sent.requests, expected.length);
    assert.equal(sent.non_2xx, Math.floor(expected.length / 7));
    assert.equal(sent.status_codes['503'], sent.non_2xx);
    assert.ok(sent.received_events < range.count && sent.received_events > range.count / 2);
    assert.ok(sent.duration_ms > 0 && sent.generator_cpu_us > 0);
    assert.equal(
      sent.sent_bytes,
      expected.reduce((sum, body) => sum + Buffer.byteLength(body), 0),
    );
  });
}

test('a server that is gone is a failure that says so', { skip }, async () => {
  const gone = createServer();
  await once(gone.listen(0, '127.0.0.1'), 'listening');
  const { port } = gone.address() as AddressInfo;
  gone.close();
  const generator = await wrkDriver({ wrk: wrk!, placement, lifetime }).prepare(job);
  const order = { url: `http://127.0.0.1:${port}`, range: { first: 0, count: 10 }, rate_events_per_s: null };
  await assert.rejects(
    generator.send(order, () => undefined),
    (error: unknown) => error instanceof BenchFailure && error.code === 'generator_failed',
  );
  await generator.close();
});
