/** Tests `pnpm cluster` with real servers and real nodes of NATS: one board, and an end that leaves nothing behind. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient, event } from '@twin-ingest/testkit/http/api-client.ts';
import { natsProgram } from '@twin-ingest/testkit/nats/program.ts';
import { start } from './run-script.ts';

const folder = mkdtempSync(join(tmpdir(), 'cluster-test-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const program = await natsProgram();
const skip = 'missing' in program ? program.missing : false;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('the servers share events, a leader may die, and SIGINT ends all with 0', { skip }, async () => {
  const { child, ended, shown } = start('main.ts', ['--no-build'], folder);
  const text = await shown('Ctrl-C ends');
  const ports = [...text.matchAll(/^server-\d .* http:\/\/127\.0\.0\.1:(\d+) /gm)].map(([, port]) =>
    Number(port),
  );
  const pids = [...text.matchAll(/ (\d+)$/gm)].map(([, pid]) => Number(pid));
  assert.deepEqual([ports.length, pids.length], [4, 7]);
  assert.deepEqual(
    [...text.matchAll(/^server-\d {2}(\w+)/gm)].map(([, runtime]) => runtime),
    ['Rust', 'TypeScript', 'Rust', 'TypeScript'],
  );
  const [first, ...others] = ports.map((port) => new ApiClient(port));
  const { ids } = await first!.ingest([event()]);
  process.kill(pids[0]!, 'SIGKILL');
  for (const client of others) {
    while ((await client.get(`/api/events/${ids[0]}`)).status !== 200) await sleep(20);
    while ((await client.post('/api/events', event())).status !== 201) await sleep(20);
  }
  for (const client of [first!, ...others]) client.close();
  child.kill('SIGINT');
  const { code, stderr } = await ended;
  assert.deepEqual([code, stderr], [0, '']);
  assert.deepEqual(pids.filter(isAlive), []);
  assert.deepEqual(readdirSync(folder), []);
});

test('a folder is kept, and the next run continues what it holds', { skip }, async () => {
  const argv = ['--no-build', '--folder', 'board', '--servers', '1', '--runtimes', 'ts'];
  for (const count of [1, 2]) {
    const { child, ended, shown } = start('main.ts', argv, folder);
    const [, port] = /^server-1 .* http:\/\/127\.0\.0\.1:(\d+) /m.exec(await shown('Ctrl-C ends'))!;
    const client = new ApiClient(Number(port));
    while ((await client.post('/api/events', event({ event_id: String(count) }))).status !== 201)
      await sleep(20);
    const { total_events } = (await client.get('/api/stats')).json<{ total_events: number }>();
    assert.equal(total_events, count);
    client.close();
    child.kill('SIGTERM');
    assert.equal((await ended).code, 0);
  }
  assert.deepEqual(readdirSync(join(folder, 'board')), ['nats-1', 'nats-2', 'nats-3', 'server-1']);
  rmSync(join(folder, 'board'), { recursive: true });
});

test('wrong flags are all reported, with exit 2', async () => {
  const argv = ['--servers', '0', '--runtimes', 'rs,go', '--port', 'x', 'word'];
  const { code, stderr } = await start('main.ts', argv, folder).ended;
  assert.equal(code, 2);
  assert.deepEqual(stderr.trimEnd().split('\n'), [
    'cluster: unexpected argument word',
    'cluster: --runtimes must be rs and ts, separated by commas, not rs,go',
    'cluster: --servers must be a number from 1 to 12, not 0',
    'cluster: --port must be a number from 0 to 65000, not x',
  ]);
});
