/** Tests how the settings of a server are read, and compared with those of the other server. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EffectiveSettings, type Health, readHealth } from '../src/verify/health.ts';
import { failsWith } from './fake-targets.ts';
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

test('health is read with its settings, and an absent setting is a failure', async () => {
  let answer: object = { status: 'ok', uptime: 1, ...HEALTH };
  const server = await listen((_, response) => void response.end(JSON.stringify(answer)));
  assert.deepEqual(await readHealth(server.url), HEALTH);
  for (const name of ['compile_options', 'pragmas', 'durability'])
    for (const value of [undefined, null, []]) {
      answer = { ...HEALTH, [name]: value };
      const text = new RegExp(`says no ${name}`);
      await assert.rejects(readHealth(server.url), failsWith('server_failed', text));
    }
});

test('servers may be built differently, but not run with different settings', () => {
  const compare = (other: Health) => {
    const settings = new EffectiveSettings();
    settings.add('rs', HEALTH);
    settings.add('ts', other);
  };
  compare({ ...HEALTH, compile_options: ['THREADSAFE=2'] });
  compare({ ...HEALTH, durability: 'power', synchronous: 'full' });
  const { page_size: _, ...fewer } = HEALTH.pragmas;
  for (const [change, text] of [
    [{ pragmas: { ...HEALTH.pragmas, cache_size: -2000 } }, /pragma cache_size: rs -32000, ts -2000/],
    [{ pragmas: fewer }, /pragma page_size: rs 4096, ts nothing/],
    [{ synchronous: 'full' }, /synchronous: rs normal, ts full/],
  ] as const)
    assert.throws(() => compare({ ...HEALTH, ...change }), failsWith('health_differs', text));
});
