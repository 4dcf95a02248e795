/**
 * Tests that no response and no command depends on what is sealed (rule STO-15). It asks before, after and in the middle
 * of it, also with the file of the other server.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mediaTypeOf } from '@twin-ingest/testkit/codecs/format.ts';
import { readSealedTexts } from '@twin-ingest/testkit/files/sealed-texts.ts';
import { type ApiClient, event } from '@twin-ingest/testkit/http/api-client.ts';
import { seededRandom } from '@twin-ingest/testkit/random.ts';
import type { RunningServer } from '@twin-ingest/testkit/servers/server.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import Database from 'better-sqlite3';
import { runCommand } from '../src/command-line.ts';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';
import { countSealed, everyByte, sealableBlocks, untilSealed } from '../src/sealed-file.ts';
import { holdWriteLock } from '../src/write-lock.ts';

export const SEALED_TEXTS: ScenarioFile = {
  name: 'sealed-texts',
  about: 'the metadata of older rows in compressed blocks',
  scenarios: [
    {
      name: 'every response is the same before and after rows are sealed, in both servers',
      rules: ['STO-15', 'GET-13', 'GET-15', 'FMT-09'],
      uses: 'each',
      waits: true,
      run: sameResponses,
    },
    {
      name: 'the other server continues after a kill and after a stop in the middle of it',
      rules: ['STO-15', 'BAK-04', 'BAK-05', 'BAK-06'],
      uses: 'each',
      waits: true,
      run: continued,
    },
    {
      name: 'a client deletes sealed rows, and no byte of them is left',
      rules: ['STO-15', 'RET-04', 'RET-07', 'BAK-06'],
      uses: 'each',
      waits: true,
      run: deleted,
    },
    {
      name: 'pages have each row once with its metadata while rows are sealed',
      rules: ['STO-15', 'GET-01'],
      uses: 'each',
      waits: true,
      run: readMeanwhile,
    },
  ],
};

const FIRST_EVENTS = 1_500;
const EVENTS = 4_500;
const BATCH = 500;
const BLOCK = 256;
const FLAGS = ['--max-metadata-bytes', '200000'];
/** The row of 60 KB of metadata, in a block that is sealed. */
const LARGE_ROW = 700;
/** A word that one sealed row has. */
const NEEDLE = 'needle-in-one-row';
/** A text of every row of the session that is deleted, and of no other. */
const MARKER = 'PRIVATE-MARKER';
const PRIVATE = 'private-session';

const WORDS = [
  ...[
    'cargo test',
    'git push',
    'src/Main.rs',
    'C:\\Temp\\a.txt',
    'say "hi"',
    'line\nbreak',
    'é',
    'naïve',
    '水',
  ],
  ...['😀', 'Read the file', 'a result that varies', '/home/user/project', 'error[E0308]', '{"nested":true}'],
];

/** Returns events as agents send them, with every kind of metadata. */
function events(seed: number): Record<string, unknown>[] {
  const random = seededRandom(seed);
  const text = (words: number): string => Array.from({ length: words }, () => random.pick(WORDS)).join(' ');
  return Array.from({ length: EVENTS }, (_, at) => {
    const id = at + 1;
    const session_id = id % 50 === 0 ? PRIVATE : `session-${id % 17}`;
    const metadata = {
      n: id,
      tool_input: { command: text(3), file_path: `/home/user/project/src/file-${random.below(400)}.ts` },
      output: text(random.below(30)),
      ...(session_id === PRIVATE ? { secret: `${MARKER} ${id}` } : {}),
      ...(id === 333 ? { note: NEEDLE } : {}),
      ...(id === LARGE_ROW ? { large: text(8_000) } : {}),
    };
    const isShort = random.chance(0.1);
    return event({
      session_id,
      tool_name: random.pick(['Bash', 'Read', 'Edit']),
      branch: id % 600 === 0 ? 'a-rare-branch' : 'main',
      ...(id % 37 === 0 ? { event_id: `deadbeef-0000-4000-8000-${String(id).padStart(12, '0')}` } : {}),
      ...(id % 41 === 0 ? { event_id: `Text-Id-${id}`, call_id: `call-${id}` } : {}),
      // Some rows are late.
      ...(id % 100 === 7 ? { client_timestamp: new Date(Date.UTC(2026, 0, 1) + id).toISOString() } : {}),
      ...(isShort && session_id !== PRIVATE ? (id % 2 === 0 ? { metadata: {} } : {}) : { metadata }),
    });
  });
}

/** Stores all events, and holds the write lock, so that none is sealed until it is released. */
async function filled(
  context: ScenarioContext,
): Promise<{ server: RunningServer; client: ApiClient; release: () => void }> {
  const server = await context.start({ flags: FLAGS });
  const client = context.client(server);
  const all = events(context.options.seed);
  const store = async (some: readonly unknown[]): Promise<void> => {
    for (let at = 0; at < some.length; at += BATCH) await client.ingest(some.slice(at, at + BATCH));
  };
  await store(all.slice(0, FIRST_EVENTS));
  await store(all.slice(FIRST_EVENTS));
  const { release } = holdWriteLock(context.db());
  context.atEnd(release);
  assert.equal(countSealed(context.db()), 0, 'nothing is sealed yet');
  return { server, client, release };
}

const SEARCHES = [
  ...[
    'cargo test',
    'CARGO Test',
    NEEDLE,
    'no row has this',
    'deadbe',
    'ef',
    '00000333',
    'a',
    'é',
    '😀',
    '水',
  ],
  ...[
    'say "hi"',
    'C:\\Temp',
    'line\nbreak',
    'Text-Id-8',
    'call-41',
    'a-rare-branch',
    'session-3',
    'Edit',
    MARKER,
  ],
];

/** The requests whose responses must not change. */
function queries(): string[] {
  const orders = ['order=asc', 'order=desc'];
  const searched = SEARCHES.flatMap((q) => {
    const text = `q=${encodeURIComponent(q)}`;
    return [
      ...orders.map((order) => `${text}&${order}&limit=1000`),
      `${text}&order=asc&after=300&limit=7`,
      `${text}&before=${BLOCK * 3 + 9}&limit=7`,
      `${text}&session_id=session-5&limit=200`,
      `${text}&tool_name=Bash&order=asc&limit=50`,
    ];
  });
  const pages = orders.flatMap((order) => [
    `${order}&limit=1000`,
    `${order}&limit=300&session_id=session-2`,
    `${order}&order_by=time&limit=300`,
  ]);
  return [...pages, ...searched, 'after=100&limit=800', 'before=260&limit=20'].map(
    (query) => `/api/events?${query}`,
  );
}

const PATHS = [
  ...queries(),
  ...[1, 255, 256, 257, 333, LARGE_ROW, 3_000, EVENTS].map((id) => `/api/events/${id}`),
  '/api/sessions/session-4?limit=1000',
  '/api/snapshot/events?limit=1000',
];

/** Returns the response to each request, and each export. */
async function responses(client: ApiClient): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const path of PATHS) {
    const { status, text } = await client.get(path);
    assert.equal(status, 200, `${path}: ${text}`);
    found.set(path, text);
  }
  for (const format of ['ndjson', 'msgpack', 'protobuf', 'arrow'] as const) {
    const isExport = format === 'ndjson' || format === 'arrow';
    const path = `/api/events?order=asc&limit=${isExport ? 10_000 : 1_000}`;
    const { status, body } = await client.send('GET', path, undefined, [['accept', mediaTypeOf(format)]]);
    assert.equal(status, 200, format);
    found.set(format, body.toString('base64'));
  }
  return found;
}

function requireSame(found: ReadonlyMap<string, string>, expected: ReadonlyMap<string, string>): void {
  for (const [path, text] of expected) assert.equal(found.get(path), text, path);
}

async function sameResponses(context: ScenarioContext): Promise<void> {
  const { server, client, release } = await filled(context);
  const before = await responses(client);
  assert.ok(before.get(`/api/events?q=${NEEDLE}&order=asc&limit=1000`)!.includes('"id":333,'));
  assert.equal(countSealed(context.db()), 0, 'nothing is sealed before the responses');
  release();
  await untilSealed(context.db(), EVENTS);
  requireSame(await responses(client), before);
  await server.stop();
  const other = await context.start({ target: context.other, flags: FLAGS });
  // Two encoders of Arrow arrange the same rows differently.
  const equal = new Map([...before].filter(([format]) => format !== 'arrow'));
  requireSame(await responses(context.client(other)), equal);
  context.note(`${before.size} responses, ${countSealed(context.db())} sealed blocks`);
}

/** Waits until some blocks are sealed. It does not pause, so that others are not sealed yet. */
function untilSomeSealed(file: string, more: number): void {
  const end = performance.now() + 20_000;
  while (countSealed(file) < more) if (performance.now() > end) throw new Error('nothing is sealed');
}

async function continued(context: ScenarioContext): Promise<void> {
  const file = context.db();
  const { server, client, release } = await filled(context);
  const before = await responses(client);
  release();
  untilSomeSealed(file, 2);
  await server.kill();
  const killedAt = countSealed(file);
  const first = await dumpOfBoth(context, file);
  assert.equal(countTexts(first), countLong(file), 'the dump has the text of each row');

  const next = await context.start({ target: context.other, flags: FLAGS });
  if (killedAt < sealableBlocks(EVENTS)) untilSomeSealed(file, killedAt + 1);
  await next.stop();
  const stoppedAt = countSealed(file);
  assert.equal(await dumpOfBoth(context, file), first);

  const last = await context.start({ flags: FLAGS });
  requireSame(await responses(context.client(last)), before);
  await untilSealed(file, EVENTS);
  requireSame(await responses(context.client(last)), before);
  await last.stop();
  assert.equal(await dumpOfBoth(context, file), first);
  await verifyWithBoth(context, file);
  for (const target of [context.target, context.other]) {
    const loaded = context.db(`loaded-${target}.db`);
    const result = await runCommand(target, ['load', '--db', loaded], { cwd: context.folder, input: first });
    assert.equal(result.exit, 0, result.stderr);
    assert.equal(countSealed(loaded), 0);
    assert.equal(await dumpOfBoth(context, loaded), first);
  }
  context.note(`killed after ${killedAt} blocks, stopped after ${stoppedAt}`);
}

/** Returns the dump of a file, which both servers write equally. */
async function dumpOfBoth(context: ScenarioContext, file: string): Promise<string> {
  const dumps: string[] = [];
  for (const target of [context.target, context.other] satisfies TargetName[]) {
    const outputFile = context.db(`${target}.ndjson`);
    const { exit, stderr } = await runCommand(target, ['dump', '--db', file], {
      cwd: context.folder,
      outputFile,
    });
    assert.equal(exit, 0, stderr);
    dumps.push(readFileSync(outputFile, 'utf8'));
  }
  assert.equal(dumps[1], dumps[0], 'both servers write the same dump');
  return dumps[0]!;
}

function countTexts(dump: string): number {
  return dump.split('\n').filter((line) => line.startsWith('{"table":"event_texts"')).length;
}

function countLong(file: string): number {
  const db = new Database(file, { readonly: true });
  const count = db.prepare<[], number>('SELECT count(*) FROM events WHERE metadata IS NULL').pluck().get();
  db.close();
  return count!;
}

async function verifyWithBoth(context: ScenarioContext, file: string): Promise<void> {
  for (const target of [context.target, context.other]) {
    const { exit, stdout, stderr } = await runCommand(target, ['verify', file], { cwd: context.folder });
    assert.equal(exit, 0, `${target}: ${stdout}${stderr}`);
  }
}

async function deleted(context: ScenarioContext): Promise<void> {
  const file = context.db();
  const { server, client, release } = await filled(context);
  release();
  await untilSealed(file, EVENTS);
  const expected = new Map(metadataOf(file).filter(([id]) => id % 50 !== 0));
  const session = await client.send('DELETE', `/api/sessions/${PRIVATE}`, undefined, []);
  assert.deepEqual([session.status, session.json<{ deleted: number }>().deleted], [200, EVENTS / 50]);
  assert.deepEqual(await storedMetadata(client), [...expected]);
  const { text } = await client.get(`/api/events?q=${MARKER}&limit=1000`);
  assert.deepEqual(JSON.parse(text).events, []);

  const bound = BLOCK * 2 + 100;
  const before = await client.send('DELETE', `/api/events?before=${bound}`, undefined, []);
  assert.equal(before.status, 200, before.text);
  for (const id of expected.keys()) if (id < bound) expected.delete(id);
  assert.deepEqual(await storedMetadata(client), [...expected]);
  await server.stop();
  assert.ok(!everyByte(file).some((bytes) => bytes.includes(MARKER)), 'no byte of the session is left');
  assert.ok(!everyByte(file).some((bytes) => bytes.includes(NEEDLE)), 'no byte of a deleted row is left');
  assert.deepEqual(metadataOf(file), [...expected]);
  await verifyWithBoth(context, file);
  const other = await context.start({ target: context.other, flags: FLAGS });
  assert.deepEqual(await storedMetadata(context.client(other)), [...expected]);
}

/** Returns the id and the metadata of each row of a file. */
function metadataOf(file: string): [number, string][] {
  const db = new Database(file, { readonly: true });
  readSealedTexts(db);
  const rows = db.prepare('SELECT id, metadata FROM events_readable ORDER BY id').raw().all();
  db.close();
  return rows as [number, string][];
}

/** Returns the id and the metadata of each row, from pages. */
async function storedMetadata(client: ApiClient, limit = 1_000): Promise<[number, string][]> {
  const rows: [number, string][] = [];
  for (let after: number | null = 0; after !== null; ) {
    const reply = await client.get(`/api/events?order=asc&after=${after}&limit=${limit}`);
    assert.equal(reply.status, 200, reply.text);
    const page = reply.json<{ events: { id: number; metadata: object }[]; next: number | null }>();
    // Integers below 2^53 and texts are printed as they were sent.
    for (const { id, metadata } of page.events) rows.push([id, JSON.stringify(metadata)]);
    after = page.next;
  }
  return rows;
}

async function readMeanwhile(context: ScenarioContext): Promise<void> {
  const file = context.db();
  const { client, release } = await filled(context);
  const expected = await storedMetadata(client);
  assert.equal(expected.length, EVENTS);
  release();
  let passes = 0;
  for (const blocks = sealableBlocks(EVENTS); countSealed(file) < blocks; passes++)
    assert.deepEqual(await storedMetadata(client, 97), expected);
  assert.deepEqual(await storedMetadata(client, 97), expected);
  context.note(`${passes} passes over ${EVENTS} rows meanwhile`);
}
