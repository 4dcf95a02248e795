/** Tests attachments beyond one request: the folder, the cleanup at a start, and failing files. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { event } from '@twin-ingest/testkit/http/api-client.ts';
import Database from 'better-sqlite3';
import { attach, exchange, filesOf, newEvent, readAttachment, sha256 } from '../src/attachment-client.ts';
import { type ScenarioContext, type ScenarioFile, until } from '../src/scenario.ts';

export const ATTACHMENTS: ScenarioFile = {
  name: 'attachments',
  about: 'the folder of attachments, what a start removes, and what a file that fails does',
  scenarios: [
    {
      name: 'the folder is made with the first attachment, for its owner alone',
      rules: ['ATT-09', 'STO-09'],
      uses: 'each',
      run: folderOnDemand,
    },
    {
      name: 'a private database is removed with its attachments',
      rules: ['ATT-09'],
      uses: 'each',
      run: privateFolder,
    },
    {
      name: 'a start removes temporary files and contents without a row',
      rules: ['ATT-09', 'ATT-04'],
      uses: 'each',
      run: sweep,
    },
    {
      name: 'a content without its file is 404 until it is sent again',
      rules: ['ATT-01', 'ATT-07'],
      uses: 'each',
      run: missingFile,
    },
    {
      name: 'a full disk refuses an attachment and nothing else',
      rules: ['STO-05', 'ATT-09'],
      uses: 'each',
      run: fullDisk,
    },
    {
      name: 'files that the server can neither keep nor remove are warnings',
      rules: ['ATT-09', 'RET-06'],
      uses: 'each',
      run: fileWarnings,
    },
  ],
};

async function folderOnDemand(context: ScenarioContext): Promise<void> {
  for (const durability of ['process', 'power']) {
    const db = context.db(`${durability}.db`);
    const server = await context.start({ db, flags: ['--durability', durability] });
    const client = context.client(server);
    const id = await newEvent(client);
    await exchange(server.port, 'PUT', `/api/events/${id}/attachments/%00`, Buffer.from('x'));
    const folder = `${db}.attachments`;
    assert.equal(existsSync(folder), false, 'a refused attachment makes no folder');
    const body = Buffer.from('content');
    assert.equal(await attach(server.port, id, 'a', body), 201);
    const name = sha256(body);
    assert.deepEqual(filesOf(db), [join(name.slice(0, 2), name)]);
    assert.equal(modeOf(folder), 0o700);
    assert.equal(modeOf(join(folder, name.slice(0, 2))), 0o700);
    assert.equal(modeOf(join(folder, name.slice(0, 2), name)), 0o600);
    await server.stop();
  }
}

function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}

async function privateFolder(context: ScenarioContext): Promise<void> {
  const temporary = join(context.folder, 'temporary');
  mkdirSync(temporary);
  const server = await context.start({ db: ':memory:', env: { TMPDIR: temporary } });
  const id = await newEvent(context.client(server));
  const body = Buffer.from('private');
  assert.equal(await attach(server.port, id, 'a', body), 201);
  assert.deepEqual(await readAttachment(server.port, sha256(body)), body);
  const folders = readdirSync(temporary, { recursive: true, encoding: 'utf8' });
  assert.ok(
    folders.some((path) => path.endsWith('events.db.attachments')),
    'the folder lies next to the file',
  );
  assert.deepEqual(await server.stop(), { code: 0, signal: null });
  assert.deepEqual(readdirSync(temporary), []);
}

async function sweep(context: ScenarioContext): Promise<void> {
  const db = context.db();
  const folder = `${db}.attachments`;
  const [shared, single] = [Buffer.alloc(1_000, 'shared'), Buffer.alloc(2_000, 'single')];
  // Each content takes a block.
  const flags = ['--attachments-bytes', '8192', '--max-attachment-bytes', '2000'];
  const first = await context.start({ flags });
  const [one, two] = (await context.client(first).ingest([event(), event()])).ids as [number, number];
  assert.equal(await attach(first.port, one, 'shared', shared), 201);
  assert.equal(await attach(first.port, two, 'shared', shared), 201);
  assert.equal(await attach(first.port, two, 'single', single), 201);
  await first.stop();

  const orphan = sha256(Buffer.from('orphan'));
  mkdirSync(join(folder, orphan.slice(0, 2)), { recursive: true });
  writeFileSync(join(folder, orphan.slice(0, 2), orphan), 'orphan');
  writeFileSync(join(folder, 'upload-7'), 'half');
  // A file with another name belongs to the user.
  writeFileSync(join(folder, 'notes.txt'), 'notes');
  writeFileSync(join(folder, orphan.slice(0, 2), 'notes.txt'), 'notes');
  deleteRow(db, one, 'shared');
  deleteRow(db, two, 'single');
  const placeOf = (name: string): string => join(name.slice(0, 2), name);
  const others = ['notes.txt', join(orphan.slice(0, 2), 'notes.txt')];

  const second = await context.start({ flags, target: context.other });
  assert.deepEqual(filesOf(db), [...others, placeOf(sha256(shared))].sort());
  assert.deepEqual(await readAttachment(second.port, sha256(shared)), shared, 'one reference is left');
  assert.equal(await readAttachment(second.port, sha256(single)), undefined);
  assert.equal(await attach(second.port, one, 'single', single), 201, 'its bytes are free again');
  assert.equal(await attach(second.port, one, 'more', Buffer.from('m')), 507);
  await second.stop();

  deleteRow(db, two, 'shared');
  const third = await context.start({ flags });
  assert.deepEqual(filesOf(db), [...others, placeOf(sha256(single))].sort());
  assert.equal(await readAttachment(third.port, sha256(shared)), undefined, 'no reference is left');
}

function deleteRow(path: string, id: number, name: string): void {
  const db = new Database(path);
  const { changes } = db.prepare('DELETE FROM attachments WHERE event = ? AND name = ?').run(id, name);
  db.close();
  assert.equal(changes, 1);
}

async function missingFile(context: ScenarioContext): Promise<void> {
  const body = Buffer.from('restored without its files');
  const first = await context.start();
  const id = await newEvent(context.client(first));
  assert.equal(await attach(first.port, id, 'a', body), 201);
  rmSync(`${context.db()}.attachments`, { recursive: true });
  const missing = await exchange(first.port, 'GET', `/api/attachments/${sha256(body)}`);
  assert.equal(missing?.status, 404);
  await until(() => first.stderr().includes('the file of an attachment is not there'), 'a log line');
  assert.equal(await attach(first.port, id, 'a', body), 200, 'the event has it already');
  assert.deepEqual(await readAttachment(first.port, sha256(body)), body);
  // Truncates a file, as a file system may after a power loss.
  writeFileSync(join(`${context.db()}.attachments`, filesOf(context.db())[0]!), 'half');
  assert.equal((await exchange(first.port, 'GET', `/api/attachments/${sha256(body)}`))?.status, 404);
  assert.equal(await attach(first.port, id, 'a', body), 200);
  assert.deepEqual(await readAttachment(first.port, sha256(body)), body);
}

/** Size of a disk that holds the database and a small attachment. */
const DISK = '4m';

async function fullDisk(context: ScenarioContext): Promise<void> {
  const disk = join(context.folder, 'disk');
  mkdirSync(disk);
  const mounting = ['-t', 'tmpfs', '-o', `size=${DISK},mode=0700`, 'tmpfs', disk];
  const mount = spawnSync('mount', mounting, { encoding: 'utf8' });
  if (mount.status !== 0) {
    context.skip(`a small file system cannot be mounted: ${(mount.stderr ?? String(mount.error)).trim()}`);
  }
  context.atEnd(() => spawnSync('umount', ['-l', disk]));
  const db = join(disk, 'events.db');
  const server = await context.start({ db });
  const client = context.client(server);
  const id = await newEvent(client);
  const refused = await exchange(
    server.port,
    'PUT',
    `/api/events/${id}/attachments/large`,
    Buffer.alloc(8_000_000),
  );
  assert.equal(refused?.status, 507);
  assert.equal(refused.body.toString(), '{"error":"Storage is full","code":"storage_full"}');
  await until(() => filesOf(db).length === 0, 'no temporary file of a refused attachment');
  const small = Buffer.alloc(200_000, 's');
  assert.equal(await attach(server.port, id, 'small', small), 201, 'what fits is taken at once');
  assert.deepEqual(await readAttachment(server.port, sha256(small)), small);
  assert.equal((await client.get('/api/health')).status, 200, 'the database is well');
  assert.equal((await client.post('/api/events', event())).status, 201);
}

/** Folders in the way of files: even the superuser cannot rename onto them, or remove them as files. */
async function fileWarnings(context: ScenarioContext): Promise<void> {
  const folder = `${context.db()}.attachments`;
  const [kept, refused] = [Buffer.from('kept'), Buffer.from('refused')];
  const pathOf = (body: Buffer): string => join(folder, sha256(body).slice(0, 2), sha256(body));
  const first = await context.start();
  const client = context.client(first);
  const id = await newEvent(client);
  assert.equal(await attach(first.port, id, 'kept', kept), 201);
  assert.deepEqual(warningsOf(first.stderr()), []);

  writeFileSync(join(folder, sha256(refused).slice(0, 2)), 'a file in place of the folder');
  assert.equal(await attach(first.port, id, 'refused', refused), 503);
  rmSync(pathOf(kept));
  mkdirSync(pathOf(kept));
  const reply = await client.send('DELETE', `/api/events?before=${id + 1}`, undefined, []);
  assert.equal(reply.status, 200, reply.text);
  const notADirectory = 20;
  await until(() => warningsOf(first.stderr()).length >= 2, 'two warnings');
  assert.deepEqual(warningsOf(first.stderr()), [
    { os: notADirectory, message: 'an attachment was not kept' },
    { code: 'storage_error', message: 'a deleted attachment was not removed' },
  ]);
  await first.stop();

  const second = await context.start();
  await until(() => warningsOf(second.stderr()).length >= 1, 'a warning');
  assert.deepEqual(warningsOf(second.stderr()), [
    { code: 'storage_error', message: 'orphaned attachments were not removed' },
  ]);
  assert.equal((await context.client(second).get('/api/events')).status, 200);
}

/** Returns the lines at level warn about files of attachments, without the time and what else each line has. */
function warningsOf(stderr: string): Record<string, unknown>[] {
  const lines = stderr.split('\n').filter(Boolean);
  const parsed = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  return parsed
    .filter(({ level, message }) => level === 'WARN' && /attachments? w/.test(String(message)))
    .map(({ os, code, message }) => ({
      ...(os !== undefined && { os }),
      ...(code !== undefined && { code }),
      message,
    }));
}
