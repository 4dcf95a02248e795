/** Tests storage that fails while the server runs. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  statfsSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type ApiClient, event, type Reply } from '@twin-ingest/testkit/http/api-client.ts';
import Database from 'better-sqlite3';
import { runCommand } from '../src/command-line.ts';
import { parsePrometheus, valuesOf } from '../src/prometheus-text.ts';
import { type ScenarioContext, type ScenarioFile, until } from '../src/scenario.ts';
import { holdWriteLock } from '../src/write-lock.ts';

export const STORAGE: ScenarioFile = {
  name: 'storage',
  about: 'storage that fails while the server runs',
  scenarios: [
    {
      name: 'an I/O error ends the server, and acknowledged events are stored',
      rules: ['STO-06', 'STO-03', 'ING-08'],
      uses: 'each',
      faults: ['F7'],
      run: failing,
    },
    {
      name: 'corruption that the full check finds stops writes',
      rules: ['STO-06', 'HEA-01'],
      uses: 'each',
      faults: ['F11'],
      run: corrupt,
    },
    {
      name: 'a start after a crash checks every table, and reports it',
      rules: ['STO-06'],
      uses: 'each',
      run: checked,
    },
    {
      name: 'a database that is deleted is lost',
      rules: ['STO-06'],
      faults: ['F12'],
      uses: 'each',
      run: deleted,
    },
    {
      name: 'a full disk is 507, reads continue, and the server recovers',
      rules: ['STO-05', 'ING-08', 'HEA-01', 'HEA-02', 'HEA-04'],
      uses: 'each',
      waits: true,
      faults: ['F6'],
      run: full,
    },
    {
      name: 'an idle server detects a full disk, and its end',
      rules: ['HEA-02', 'HEA-04'],
      uses: 'each',
      waits: true,
      faults: ['F6'],
      run: fullWhileIdle,
    },
    {
      name: 'an idle server ends when its file becomes immutable',
      rules: ['HEA-02', 'STO-06'],
      uses: 'each',
      waits: true,
      faults: ['F8'],
      run: immutable,
    },
    {
      name: 'a server whose write lock another process holds is not ready until it is released',
      rules: ['HEA-01', 'HEA-02'],
      uses: 'each',
      waits: true,
      faults: ['F9'],
      run: locked,
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
  // A log makes the next start one after a crash.
  const second = await context.start();
  await context.client(second).ingest([event()]);
  await second.kill();
  // The header, the schema and the end of the table stay intact, so that the server starts.
  const file = openSync(context.db(), 'r+');
  const middle = Math.floor(fstatSync(file).size / PAGE_BYTES / 2) * PAGE_BYTES;
  writeSync(file, Buffer.alloc(PAGE_BYTES, 0xff), 0, PAGE_BYTES, middle);
  closeSync(file);
  const third = await context.start();
  const client = context.client(third);
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
  await third.stop();
  // After a clean stop the start reads no whole file; the command does.
  const last = context.client(await context.start());
  await pause(UNCHECKED_MS);
  assert.equal((await last.get('/api/health')).status, 200);
  const verified = await runCommand(context.target, ['verify', context.db()], { cwd: context.folder });
  assert.equal(verified.exit, 65);
  assert.match(verified.stderr, /events\.db is corrupt; /);
}

async function checked(context: ScenarioContext): Promise<void> {
  const first = await context.start();
  await context.client(first).ingest(Array.from({ length: 50 }, () => event()));
  await first.kill();
  const second = await context.start();
  await until(() => checksIn(second.stderr()).length > 0, 'the report of the full check');
  const file = new Database(context.db(), { readonly: true });
  const tables = file.prepare("SELECT count(*) FROM sqlite_schema WHERE type = 'table'").pluck().get();
  file.close();
  assert.deepEqual(checksIn(second.stderr()), [{ level: 'INFO', tables }]);
  await second.stop();
  const third = await context.start();
  await pause(UNCHECKED_MS);
  assert.deepEqual(checksIn(third.stderr()), [], 'no check after a clean stop');
}

/** Returns the reports of full checks that found no problem. */
function checksIn(stderr: string): { level: string; tables: number }[] {
  return stderr
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { level: string; message: string; tables: number; ms: number })
    .filter(({ message, ms }) => message === 'the full check found no problem' && Number.isInteger(ms))
    .map(({ level, tables }) => ({ level, tables }));
}

/** Longer than a check of this small file takes. */
const UNCHECKED_MS = 300;

/** Size of a disk that holds the schema and some events. */
const DISK = '3m';

/** Mounts a small file system; returns its folder. */
function mountDisk(context: ScenarioContext): string {
  const disk = join(context.folder, 'disk');
  mkdirSync(disk);
  const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK},mode=0700`, 'tmpfs', disk], {
    encoding: 'utf8',
  });
  if (mount.status !== 0)
    context.skip(`a small file system cannot be mounted: ${(mount.stderr ?? String(mount.error)).trim()}`);
  context.atEnd(() => spawnSync('umount', ['-l', disk]));
  return disk;
}

/** How long a fault may stay unnoticed: the interval of the watch, and some time for a busy machine. */
const NOTICED_MS = 3_000;

/** Waits until `/readyz` is 503 with this code. */
async function untilNotReady(client: ApiClient, code: string, text: string): Promise<void> {
  let reply: Reply | undefined;
  await until(
    async () => {
      reply = await client.get('/readyz');
      return reply.status !== 200;
    },
    `the fault ${code}`,
    NOTICED_MS,
  );
  assert.equal(reply?.status, 503);
  assert.equal(reply.text, `{"error":"${text}","code":"${code}"}`);
  assert.equal(await metric(client, 'ingest_ready'), 0);
}

async function untilReady(client: ApiClient): Promise<void> {
  await until(async () => (await client.get('/readyz')).status === 200, 'readiness', NOTICED_MS);
  assert.equal(await metric(client, 'ingest_ready'), 1);
}

async function metric(client: ApiClient, key: string): Promise<number | undefined> {
  return valuesOf(parsePrometheus((await client.get('/metrics')).text)).get(key);
}

interface Health {
  readonly status: string;
  readonly reason?: string;
  readonly disk_free_bytes: number;
  readonly disk_low: boolean;
  readonly last_fault: { readonly code: string; readonly at: string } | null;
}

async function full(context: ScenarioContext): Promise<void> {
  const disk = mountDisk(context);
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
  const noticed = performance.now();
  await untilNotReady(client, 'storage_full', 'Storage is full');
  assert.ok(performance.now() - noticed < 1_000, 'within a second');
  const read = await client.get('/api/events?limit=1000');
  assert.equal(read.status, 200, 'reads go on');
  assert.equal(
    read.json<{ events: unknown[] }>().events.length,
    stored,
    'nothing of what was refused is stored',
  );
  const health = await client.get('/api/health');
  assert.equal(health.status, 503);
  const { status, reason, last_fault: fault, disk_low: isLow, ...more } = health.json<Health>();
  assert.deepEqual({ status, reason }, { status: 'degraded', reason: 'storage_full' });
  assert.equal(fault?.code, 'storage_full');
  assert.ok(Math.abs(Date.now() - Date.parse(fault.at)) < 60_000, fault.at);
  assert.equal(isLow, true, String(more.disk_free_bytes));
  unlinkSync(ballast);
  await untilReady(client);
  await until(async () => (await client.post('/api/events', event())).status === 201, 'recovery', 15_000);
  const duplicate = await client.post('/api/events', event({ event_id: 'first' }));
  assert.equal(duplicate.status, 200);
}

async function fullWhileIdle(context: ScenarioContext): Promise<void> {
  const disk = mountDisk(context);
  const server = await context.start({ db: join(disk, 'events.db') });
  const client = context.client(server);
  await client.ingest([event()]);
  const healthy = (await client.get('/api/health')).json<Health>();
  const { bsize, bavail } = statfsSync(disk);
  assert.deepEqual(
    [healthy.disk_free_bytes, healthy.disk_low, healthy.last_fault],
    [bsize * bavail, false, null],
  );
  assert.equal(await metric(client, 'ingest_disk_free_bytes'), bsize * bavail);
  const ballast = join(disk, 'ballast');
  const written = spawnSync('dd', ['if=/dev/zero', `of=${ballast}`, 'bs=4096', 'count=1000000']);
  assert.notEqual(written.status, 0, 'the disk is full');
  await untilNotReady(client, 'storage_full', 'Storage is full');
  assert.equal((await client.get('/api/health')).json<Health>().disk_low, true);
  unlinkSync(ballast);
  await untilReady(client);
  await client.ingest([event()]);
}

async function immutable(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  await client.ingest([event()]);
  // SQLite takes this failure of the system for an I/O error.
  const files = [context.db(), `${context.db()}-wal`];
  const set = spawnSync('chattr', ['+i', ...files], { encoding: 'utf8' });
  context.atEnd(() => spawnSync('chattr', ['-i', ...files]));
  if (set.status !== 0) {
    context.skip(`a file cannot be made immutable: ${(set.stderr ?? String(set.error)).trim()}`);
  }
  const deadline = new Promise((resolve) => setTimeout(resolve, NOTICED_MS));
  assert.deepEqual(await Promise.race([server.exited, deadline]), { code: 74, signal: null });
}

async function locked(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  await client.ingest([event()]);
  const lock = holdWriteLock(context.db());
  context.atEnd(() => lock.release());
  const refused = await client.post('/api/events', event());
  assert.equal(refused.status, 503, refused.text);
  await untilNotReady(client, 'storage_busy', 'Storage is busy');
  const health = (await client.get('/api/health')).json<Health>();
  assert.deepEqual([health.status, health.reason], ['degraded', 'storage_busy']);
  // Probes run meanwhile, and do not end the fault.
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  await untilNotReady(client, 'storage_busy', 'Storage is busy');
  lock.release();
  await untilReady(client);
  const after = (await client.get('/api/health')).json<Health>();
  assert.equal(after.status, 'ok');
  assert.equal(after.last_fault?.code, 'storage_busy');
}
