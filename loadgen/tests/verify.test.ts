/** Tests how the settings and the answers of a server are read and compared with those of the other server. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { BenchFailure, type FailureCode } from '../src/failure.ts';
import { checkSameSettings, type Health, readHealth } from '../src/verify/health.ts';
import { compareSmoke, type Exchange } from '../src/verify/smoke.ts';

const HEALTH: Health = {
  runtime: 'rust',
  version: '0.1.0',
  contract: '1.0.0',
  durability: 'process',
  sqlite_version: '3.54.1',
  journal_mode: 'wal',
  synchronous: 'normal',
  compile_options: ['COMPILER=gcc-12.2.0', 'THREADSAFE=1'],
  pragmas: { journal_mode: 'wal', cache_size: -32_000, synchronous: 1, page_size: 4096 },
};

const fails = (code: FailureCode, text: RegExp) => (error: unknown) =>
  error instanceof BenchFailure &&
  error.code === code &&
  text.test([error.message, ...error.details].join('\n'));

/** Returns the result of reading from a server that gives this answer. */
async function readFrom(answer: object): Promise<Health> {
  const server = createServer((_, response) => response.end(JSON.stringify(answer)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await readHealth(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

const compare = (other: Health) => checkSameSettings(['rs', HEALTH], ['ts', other]);

test('the answer is read with its compile options and pragmas', async () => {
  assert.deepEqual(await readFrom({ status: 'ok', uptime: 1, ...HEALTH }), HEALTH);
});

test('an answer without compile options or pragmas is a failure that names what is missing', async () => {
  const { compile_options, pragmas, ...rest } = HEALTH;
  await assert.rejects(readFrom({ ...rest, pragmas }), fails('server_failed', /says no compile_options/));
  await assert.rejects(readFrom({ ...rest, compile_options }), fails('server_failed', /says no pragmas/));
  for (const wrong of [[], 'THREADSAFE=1', [1], null]) {
    await assert.rejects(
      readFrom({ ...HEALTH, compile_options: wrong }),
      fails('server_failed', /says no compile_options/),
    );
  }
  for (const wrong of [{}, ['wal'], { page_size: null }, 'wal']) {
    await assert.rejects(readFrom({ ...HEALTH, pragmas: wrong }), fails('server_failed', /says no pragmas/));
  }
});

test('servers may be built differently, but not run with different pragmas', () => {
  compare({ ...HEALTH, compile_options: ['THREADSAFE=2'] });
  assert.throws(
    () => compare({ ...HEALTH, pragmas: { ...HEALTH.pragmas, cache_size: -2000 } }),
    fails('health_differs', /^pragma cache_size: rs -32000, ts -2000$/m),
  );
  const { page_size: _, ...fewer } = HEALTH.pragmas;
  assert.throws(
    () => compare({ ...HEALTH, pragmas: fewer }),
    fails('health_differs', /^pragma page_size: rs 4096, ts nothing$/m),
  );
  assert.throws(
    () => compare({ ...HEALTH, synchronous: 'full' }),
    fails('health_differs', /^synchronous: rs normal, ts full$/m),
  );
});

test('an answer that differs in body, status or content type is shown from both', () => {
  const exchange: Exchange = {
    name: 'row',
    request: 'GET /api/events/1',
    status: 200,
    contentType: 'a',
    body: '{"id":1}',
  };
  compareSmoke(
    new Map([
      ['rs', [exchange]],
      ['ts', [{ ...exchange }]],
    ]),
  );
  for (const other of [{ body: '{"id":2}' }, { status: 201 }, { contentType: 'b' }]) {
    const both = new Map([
      ['rs', [exchange]],
      ['ts', [{ ...exchange, ...other }]],
    ]);
    assert.throws(
      () => compareSmoke(both),
      fails('parity_difference', /GET \/api\/events\/1\nrs: 200 a .*\nts: /),
    );
  }
});
