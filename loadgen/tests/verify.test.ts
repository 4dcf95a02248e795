/** Tests how the settings and the answers of a server are read and compared with those of the other server. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BenchFailure, type FailureCode } from '../src/failure.ts';
import { checkSameSettings, type Health, readHealth } from '../src/verify/health.ts';
import { listen } from './listening-server.ts';

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

const fails = (code: FailureCode, text: string) => (error: unknown) =>
  error instanceof BenchFailure &&
  error.code === code &&
  [error.message, ...error.details].join('\n').includes(text);

async function readFrom(answer: object): Promise<Health> {
  const server = await listen((_, response) => void response.end(JSON.stringify(answer)));
  return readHealth(server.url).finally(() => server.close());
}

const compare = (other: Health) => checkSameSettings(['rs', HEALTH], ['ts', other]);

test('the answer is read with its compile options and pragmas', async () => {
  assert.deepEqual(await readFrom({ status: 'ok', uptime: 1, ...HEALTH }), HEALTH);
});

test('an answer without a setting is a failure that names what is missing', async () => {
  for (const name of ['compile_options', 'pragmas', 'durability'])
    for (const value of [undefined, null, []])
      await assert.rejects(readFrom({ ...HEALTH, [name]: value }), fails('server_failed', `says no ${name}`));
});

test('servers may be built differently, but not run with different settings', () => {
  compare({ ...HEALTH, compile_options: ['THREADSAFE=2'] });
  const { page_size: _, ...fewer } = HEALTH.pragmas;
  for (const [change, text] of [
    [{ pragmas: { ...HEALTH.pragmas, cache_size: -2000 } }, 'pragma cache_size: rs -32000, ts -2000'],
    [{ pragmas: fewer }, 'pragma page_size: rs 4096, ts nothing'],
    [{ synchronous: 'full' }, 'synchronous: rs normal, ts full'],
  ] as const)
    assert.throws(() => compare({ ...HEALTH, ...change }), fails('health_differs', text));
});
