/** Tests storage that fails while the server runs. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, fstatSync, mkdirSync, openSync, unlinkSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { event, type Reply } from '@twin-ingest/testkit/http/api-client.ts';
import { type ScenarioContext, type ScenarioFile, until } from '../src/scenario.ts';

export const STORAGE: ScenarioFile = {
  name: 'storage',
  about: 'storage that fails while the server runs',
  scenarios: [
    {
      name: 'an I/O error ends the server, and acknowledged events are stored',
      rules: ['STO-06', 'STO-03', 'ING-08'],
      uses: 'each',
      run: failing,
    },
    {
      name: 'corruption that the full check finds stops writes',
      rules: ['STO-06', 'HEA-01'],
      uses: 'each',
      run: corrupt,
    },
    { name: 'a database that is deleted is lost', rules: ['STO-06'], uses: 'each', run: deleted },
    {
      name: 'a full disk is 507, reads continue, and the server recovers',
      rules: ['STO-05', 'ING-08'],
      uses: 'each',
      waits: true,
      run: full,
    },
  ],
};

async function deleted(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  await client.ingest([event()]);
  unlinkSync(context.db());
  const replies: Reply[] = [];
  await until(
    async () => {
      // The server may exit between two requests, so that a request gets no answer.
      const reply = await client.post('/api/events', event()).catch(() => undefined);
      if (reply) replies.push(reply);
      return reply === undefined || reply.status === 503;
    },
    '503 after the file is gone',
    5_000,
  );
  const refused = replies.filter((reply) => reply.status !== 201);
  // The server's watch over the file may detect the loss first. The server then already drains.
  const codes = refused.map((reply) => reply.json<{ readonly code: string }>().code);
  for (const code of codes) assert.ok(['storage_lost', 'draining'].includes(code), code);
  assert.deepEqual(await server.exited, { code: 74, signal: null });
}

/** File size limit in KiB. Writes beyond it fail as on a broken disk, and the test needs no permission to mount. */
const LARGEST_FILE_KIB = 600;
const LIMITED = ['sh', '-c', `trap '' XFSZ; ulimit -f ${LARGEST_FILE_KIB}; exec "$@"`, 'sh'];

async function failing(context: ScenarioContext): Promise<void> {
  const server = await context.start({ wrapper: LIMITED });
  const client = context.client(server);
  const acknowledged: string[] = [];
  let refused: Reply | undefined;
  for (let request = 0; !refused && request < 500; request += 1) {
    const events = [1, 2].map((place) =>
      event({ event_id: `${request}-${place}`, metadata: 'x'.repeat(9_000) }),
    );
    const reply = await client.post('/api/events/batch', { events });
    if (reply.status === 201) acknowledged.push(...events.map((one) => one.event_id as string));
    else refused = reply;
  }
  assert.equal(refused?.status, 503, refused?.text);
  assert.equal(refused.text, '{"error":"Storage failed","code":"storage_error"}');
  assert.deepEqual(await server.exited, { code: 74, signal: null });
  const again = context.client(await context.start());
  for (const id of acknowledged) {
    const reply = await again.post('/api/events', event({ event_id: id }));
    assert.equal(reply.status, 200, `${id} was acknowledged and is not there`);
  }
}

const PAGE_BYTES = 4_096;

async function corrupt(context: ScenarioContext): Promise<void> {
  const first = await context.start();
  const filling = context.client(first);
  for (let request = 0; request < 4; request += 1) {
    await filling.ingest(Array.from({ length: 50 }, () => event({ metadata: 'x'.repeat(2_000) })));
  }
  await first.stop();
  // The header, the schema and the end of the table stay intact, so that the server starts.
  const file = openSync(context.db(), 'r+');
  const middle = Math.floor(fstatSync(file).size / PAGE_BYTES / 2) * PAGE_BYTES;
  writeSync(file, Buffer.alloc(PAGE_BYTES, 0xff), 0, PAGE_BYTES, middle);
  closeSync(file);
  const client = context.client(await context.start());
  await until(async () => (await client.get('/api/health')).status === 503, 'the full check', 10_000);
  const health = (await client.get('/api/health')).json<{ status: string; reason: string }>();
  const { status, reason } = health;
  assert.deepEqual({ status, reason }, { status: 'degraded', reason: 'storage_corrupt' });
  assert.equal(Object.keys(health).at(-1), 'reason');
  const refused = await client.post('/api/events', event());
  assert.equal(refused.status, 503);
  assert.equal(refused.text, '{"error":"Storage is corrupt","code":"storage_corrupt"}');
  const read = await client.get('/api/events?limit=1');
  assert.equal(read.status, 200, 'what is whole can still be read');
}

/** Size of a disk that holds the schema and some events. */
const DISK = '3m';

async function full(context: ScenarioContext): Promise<void> {
  const disk = join(context.folder, 'disk');
  mkdirSync(disk);
  const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK},mode=0700`, 'tmpfs', disk], {
    encoding: 'utf8',
  });
  if (mount.status !== 0)
    context.skip(`a small file system cannot be mounted: ${(mount.stderr ?? String(mount.error)).trim()}`);
  context.atEnd(() => spawnSync('umount', ['-l', disk]));
  const server = await context.start({ db: join(disk, 'events.db') });
  const client = context.client(server);
  const first = await client.ingest([event({ event_id: 'first' })]);
  const ballast = join(disk, 'ballast');
  writeFileSync(ballast, Buffer.alloc(1_000_000));
  let stored = first.ids.length;
  let refused: Reply | undefined;
  for (let request = 0; !refused && request < 1_000; request += 1) {
    const reply = await client.post('/api/events/batch', {
      events: [1, 2].map(() => event({ metadata: 'x'.repeat(9_000) })),
    });
    if (reply.status === 201) stored += 2;
    else refused = reply;
  }
  assert.equal(refused?.status, 507, refused?.text);
  assert.equal(refused.text, '{"error":"Storage is full","code":"storage_full"}');
  const read = await client.get('/api/events?limit=1000');
  assert.equal(read.status, 200, 'reads go on');
  assert.equal(
    read.json<{ events: unknown[] }>().events.length,
    stored,
    'nothing of what was refused is stored',
  );
  const health = await client.get('/api/health');
  assert.equal(health.status, 503);
  const { status, reason } = health.json<{ status: string; reason: string }>();
  assert.deepEqual({ status, reason }, { status: 'degraded', reason: 'storage_full' });
  unlinkSync(ballast);
  await until(async () => (await client.post('/api/events', event())).status === 201, 'recovery', 15_000);
  const duplicate = await client.post('/api/events', event({ event_id: 'first' }));
  assert.equal(duplicate.status, 200);
}
