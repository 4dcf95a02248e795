/**
 * Attachments beyond one request: the folder, uploads that end early, and what a start removes.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ApiClient, event } from '@twin-ingest/testkit/http/api-client.ts';
import { Connection } from '@twin-ingest/testkit/http/http-client.ts';
import Database from 'better-sqlite3';
import {
  attach,
  beginUpload,
  brokenFilesOf,
  exchange,
  filesOf,
  readAttachment,
  sha256,
} from '../src/attachment-client.ts';
import { type ScenarioContext, type ScenarioFile, until } from '../src/scenario.ts';

export const ATTACHMENTS: ScenarioFile = {
  name: 'attachments',
  about: 'the folder of attachments, uploads that end early, and what a start removes',
  scenarios: [
    {
      name: 'the folder is made with the first attachment, for its owner alone',
      rules: ['ATT-09', 'STO-09'],
      uses: 'each',
      run: folderOnDemand,
    },
    {
      name: 'a private database takes its attachments with it',
      rules: ['ATT-09'],
      uses: 'each',
      run: privateFolder,
    },
    {
      name: 'an upload that ends early leaves no file and gives its room back',
      rules: ['ATT-01', 'ATT-04', 'ATT-05', 'ATT-09'],
      uses: 'each',
      run: cutUploads,
    },
    {
      name: 'an upload that does not go on is 408 and leaves no file',
      rules: ['ATT-09', 'HTT-11'],
      uses: 'each',
      waits: true,
      run: stalledUpload,
    },
    {
      name: 'uploads at once are admitted by their declared lengths',
      rules: ['ATT-04'],
      uses: 'each',
      run: admission,
    },
    {
      name: 'the same bytes from several clients at once are one file',
      rules: ['ATT-01', 'ATT-09'],
      uses: 'each',
      run: sameBytes,
    },
    {
      name: 'a start removes temporary files and what no row refers to',
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
      name: 'a payload that is not kept is a warning',
      rules: ['ATT-10'],
      uses: 'each',
      run: payloadWarning,
    },
  ],
};

async function newEvent(client: ApiClient): Promise<number> {
  return (await client.ingest([event()])).ids[0]!;
}

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

const ROOM = 300_000;

async function cutUploads(context: ScenarioContext): Promise<void> {
  const server = await context.start({
    flags: ['--attachments-bytes', String(ROOM), '--max-attachment-bytes', String(ROOM)],
  });
  const { port } = server;
  const id = await newEvent(context.client(server));
  const empty = (): boolean => filesOf(context.db()).length === 0;
  const whole = Buffer.alloc(ROOM, 'w');
  const half = whole.subarray(0, ROOM / 2);

  // The client leaves.
  const cut = await beginUpload(port, id, 'cut', ROOM, half);
  await until(() => !empty(), 'a temporary file');
  cut.close();
  await until(empty, 'no temporary file of a client that left');

  // A chunked body grows above the limit.
  const head = `PUT /api/events/${id}/attachments/long HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nTransfer-Encoding: chunked\r\n\r\n`;
  const long = Buffer.alloc(ROOM + 1, 'l');
  const chunked = Buffer.concat([
    Buffer.from(`${long.length.toString(16)}\r\n`),
    long,
    Buffer.from('\r\n0\r\n\r\n'),
  ]);
  const grown = await exchangeRaw(port, head, chunked);
  assert.equal(grown, 413);
  await until(empty, 'no temporary file of a body above the limit');

  // The digest is another's.
  const mismatch = await exchange(port, 'PUT', `/api/events/${id}/attachments/digest`, whole, [
    ['content-digest', 'sha-256=:AAAA:'],
  ]);
  assert.equal(mismatch?.status, 422);
  await until(empty, 'no temporary file of other bytes');

  // All of the room is there again.
  assert.equal(await attach(port, id, 'whole', whole), 201);
  assert.equal(await attach(port, id, 'more', Buffer.from('m')), 507);
  assert.equal(filesOf(context.db()).length, 1);
  assert.deepEqual(brokenFilesOf(context.db()), []);
  assert.deepEqual(await readAttachment(port, sha256(whole)), whole);
}

async function exchangeRaw(port: number, head: string, body: Buffer): Promise<number | undefined> {
  const connection = await Connection.open(port);
  const outgoing = { method: 'PUT', head: Buffer.from(head), body, awaitContinue: false };
  const answer = await connection.exchange(outgoing);
  connection.close();
  return answer.kind === 'response' ? answer.response.status : undefined;
}

async function stalledUpload(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const id = await newEvent(context.client(server));
  const stalled = await beginUpload(server.port, id, 'stalled', 1_000_000, Buffer.alloc(500_000));
  context.atEnd(() => stalled.close());
  await until(() => filesOf(context.db()).length === 1, 'a temporary file');
  const nothing = { method: 'PUT', head: Buffer.alloc(0), body: Buffer.alloc(0), awaitContinue: false };
  const answer = await stalled.exchange(nothing, 20_000);
  assert.equal(answer.kind === 'response' && answer.response.status, 408);
  assert.ok(await stalled.closedWithin(5_000), 'closed');
  await until(() => filesOf(context.db()).length === 0, 'no temporary file of a stalled upload');
}

async function admission(context: ScenarioContext): Promise<void> {
  const size = 100_000;
  const flags = ['--max-attachment-bytes', String(size), '--attachments-bytes', String(2 * size + 1)];
  const server = await context.start({ flags });
  const { port } = server;
  const id = await newEvent(context.client(server));
  const begun = await Promise.all(
    ['a', 'b'].map((name) => beginUpload(port, id, name, size, Buffer.from('x'))),
  );
  await until(() => filesOf(context.db()).length === 2, 'two uploads that were admitted');
  assert.equal(await attach(port, id, 'c', Buffer.alloc(2)), 507, 'their declared lengths take the room');
  assert.equal(await attach(port, id, 'd', Buffer.alloc(1, 'd')), 201, 'what is left is one byte');
  begun[0]!.close();
  await until(() => filesOf(context.db()).length === 2, 'one upload less');
  assert.equal(
    await attach(port, id, 'e', Buffer.alloc(size, 'e')),
    201,
    'an upload that ended gave its room back',
  );
  begun[1]!.close();
  await until(() => filesOf(context.db()).length === 2, 'no upload');
  await server.stop();
  // A start counts each content once.
  const again = await context.start({ flags });
  assert.equal(await attach(again.port, id, 'f', Buffer.alloc(size, 'f')), 201);
  assert.equal(await attach(again.port, id, 'g', Buffer.from('g')), 507);
}

async function sameBytes(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  const ids = (await client.ingest(Array.from({ length: 8 }, () => event()))).ids;
  const body = Buffer.alloc(700_000, 'same');
  const names = ['one', 'one', 'two'];
  const statuses = await Promise.all(
    ids.flatMap((id) => names.map((name) => attach(server.port, id, name, body))),
  );
  const count = (status: number): number => statuses.filter((one) => one === status).length;
  assert.deepEqual([count(201), count(200)], [2 * ids.length, ids.length], statuses.join(' '));
  // Other bytes for a name, all at once: the first one wins.
  const rivals = Array.from({ length: 6 }, (_, at) => Buffer.alloc(300_000, `rival ${at}`));
  const outcomes = await Promise.all(rivals.map((rival) => attach(server.port, ids[0]!, 'rival', rival)));
  assert.deepEqual([...outcomes].sort(), [201, 409, 409, 409, 409, 409]);
  const winner = rivals[outcomes.indexOf(201)]!;
  await until(() => filesOf(context.db()).length === 2, 'no file of those that lost');
  assert.deepEqual(brokenFilesOf(context.db()), []);
  assert.deepEqual(await readAttachment(server.port, sha256(winner)), winner);
  assert.deepEqual(await readAttachment(server.port, sha256(body)), body);
}

async function sweep(context: ScenarioContext): Promise<void> {
  const db = context.db();
  const folder = `${db}.attachments`;
  const [shared, single] = [Buffer.alloc(1_000, 'shared'), Buffer.alloc(2_000, 'single')];
  const flags = ['--attachments-bytes', '3000', '--max-attachment-bytes', '2000'];
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
  // What has another name is the user's own.
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
  // A file that lost its end, as a file system may after the loss of power.
  writeFileSync(join(`${context.db()}.attachments`, filesOf(context.db())[0]!), 'half');
  assert.equal((await exchange(first.port, 'GET', `/api/attachments/${sha256(body)}`))?.status, 404);
  assert.equal(await attach(first.port, id, 'a', body), 200);
  assert.deepEqual(await readAttachment(first.port, sha256(body)), body);
}

/** Enough for the database and a small attachment. */
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

async function payloadWarning(context: ScenarioContext): Promise<void> {
  const flags = ['--keep-hook-payloads', '--max-metadata-bytes', '256'];
  const limits = ['--max-attachment-bytes', '1024', '--attachments-bytes', '1024'];
  const server = await context.start({ flags: [...flags, ...limits] });
  const client = context.client(server);
  const hook = (text: string): unknown => ({ session_id: 's', hook_event_name: 'Stop', text });
  for (const length of [2_000, 900, 300]) {
    const reply = await client.post('/api/hooks/claude-code', hook('x'.repeat(length)));
    assert.deepEqual([reply.status, reply.text], [200, '{}']);
  }
  const warnings = (): string[] =>
    server
      .stderr()
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as { readonly level: string; readonly code: string })
      .filter(({ level }) => level.toLowerCase() === 'warn')
      .map(({ code }) => code);
  await until(() => warnings().length >= 2, 'two warnings');
  assert.deepEqual(warnings(), ['payload_too_large', 'attachments_full']);
}
