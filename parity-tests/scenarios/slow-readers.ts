/**
 * Tests clients that send requests and do not read the answers. They cost other clients no time, and the server a bounded
 * number of bytes.
 */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { event } from '@twin-ingest/testkit/http/api-client.ts';
import { Connection } from '@twin-ingest/testkit/http/http-client.ts';
import LIMITS from '../../contract/limits.json' with { type: 'json' };
import { memoryMb, requireProc, resetMostMemory } from '../src/process-figures.ts';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';
import { SilentReader } from '../src/silent-reader.ts';
import { slowestLivez } from '../src/slowest-livez.ts';

export const SLOW_READERS: ScenarioFile = {
  name: 'slow-readers',
  about: 'clients that do not read their answers',
  scenarios: [
    {
      name: 'a thousand pipelined requests have their answers in order',
      rules: ['HTT-14'],
      attacks: ['X14'],
      uses: 'each',
      run: pipelinedOrder,
    },
    {
      name: 'many pipelined requests after an export of several pages have their answers',
      rules: ['HTT-14', 'FMT-09'],
      attacks: ['X14'],
      uses: 'each',
      run: pipelinedExports,
    },
    {
      name: 'pipelined requests of clients that do not read delay no other client',
      rules: ['HTT-14'],
      attacks: ['X14'],
      uses: 'each',
      measures: true,
      run: pipelinedFlood,
    },
    {
      name: 'answers that clients do not read take bounded memory, and other clients read theirs',
      rules: ['HTT-15', 'STR-08'],
      attacks: ['X14'],
      uses: 'each',
      measures: true,
      run: unreadAnswers,
    },
    {
      name: 'a client that takes no byte of its answer for 60 s is disconnected',
      rules: ['HTT-11'],
      attacks: ['X14'],
      uses: 'each',
      waits: true,
      run: stalled,
    },
  ],
};

const get = (port: number, path: string, headers: readonly string[] = []): string =>
  [`GET ${path} HTTP/1.1`, `host: 127.0.0.1:${port}`, ...headers, '', ''].join('\r\n');

async function openReader(context: ScenarioContext, port: number): Promise<SilentReader> {
  const reader = await SilentReader.open(port);
  context.atEnd(() => reader.close());
  return reader;
}

const PIPELINED = 1_000;
const ROWS = 50;

async function pipelinedOrder(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  await context.client(server).ingest(Array.from({ length: ROWS }, () => event()));
  const connection = await Connection.open(server.port);
  context.atEnd(() => connection.close());
  const ids = Array.from({ length: PIPELINED }, (_, at) => 1 + ((at * 7) % ROWS));
  const requests = ids.map((id) => get(server.port, `/api/events/${id}`));
  connection.write(`${requests.join('')}${get(server.port, '/livez', ['connection: close'])}`);
  assert.ok(await connection.closedWithin(30_000), 'the last answer closes the connection');
  const found = [...connection.unread.toString().matchAll(/\{"id":(\d+),/g)].map(([, id]) => Number(id));
  assert.deepEqual(found, ids);
}

async function pipelinedExports(context: ScenarioContext): Promise<void> {
  const server = await context.start({
    flags: ['--max-metadata-bytes', '16777216', '--max-body-bytes', '33554432'],
  });
  const metadata = 'x'.repeat(LIMITS.page_bytes);
  for (let row = 0; row < 2; row++) await context.client(server).ingest([event({ metadata })]);
  const connection = await Connection.open(server.port);
  context.atEnd(() => connection.close());
  // The pages of the first answer need several writes, while more requests wait than a parser may have read.
  const first = get(server.port, '/api/events', ['accept: application/x-ndjson']);
  const others = get(server.port, '/livez').repeat(OTHERS);
  connection.write(`${first}${others}${get(server.port, '/livez', ['connection: close'])}`);
  assert.ok(await connection.closedWithin(30_000), 'the last answer closes the connection');
  const text = connection.unread.toString('latin1');
  assert.equal(text.split('{"status":"ok"}').length - 1, OTHERS + 1);
}

const OTHERS = 40;
const FLOODS = 40;
/** Requests of one write: 700 KB, and a read of 64 KiB holds more than a thousand. */
const FLOOD_REQUESTS = 16_000;
/** Before, other clients waited for half a minute and longer. */
const MOST_WAIT_MS = 5_000;

async function pipelinedFlood(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  await client.ingest(Array.from({ length: ROWS }, () => event({ metadata: 'x'.repeat(9_000) })));
  for (const path of ['/livez', '/api/events', '/app.js']) {
    const flood = get(server.port, path).repeat(FLOOD_REQUESTS);
    const readers = await Promise.all(Array.from({ length: FLOODS }, () => openReader(context, server.port)));
    for (const reader of readers) reader.write(flood);
    const end = performance.now() + 4_000;
    const slowest = await slowestLivez(client, () => performance.now() > end);
    context.note(`${path}: the slowest /livez took ${Math.round(slowest)} ms`);
    assert.ok(slowest < MOST_WAIT_MS, `${path}: ${Math.round(slowest)} ms`);
    for (const reader of readers) reader.close();
  }
}

const LARGE_ROW = 12 << 20;
/** More than the kernel takes for a client that does not read. */
const LEAST_KEPT = LARGE_ROW / 2;
const PATHS: readonly [path: string, accept: string][] = [
  ['/api/events/1', '*/*'],
  ['/api/events?limit=1', '*/*'],
  ['/api/events?limit=1', 'application/vnd.msgpack'],
  ['/api/events?limit=1', 'application/x-ndjson'],
  ['/api/events?limit=1', 'application/vnd.apache.arrow.stream'],
  ['/api/snapshot/events?limit=1', '*/*'],
  ['/api/sessions/session', '*/*'],
  ['/api/stream?after=0', '*/*'],
];
const READERS = 10;
/** What the server needs besides the room: itself, the answers in progress, and what its allocator keeps. */
const MOST_OTHER_MB = 550;

async function unreadAnswers(context: ScenarioContext): Promise<void> {
  requireProc(context);
  const server = await context.start({
    flags: ['--max-metadata-bytes', '16777216', '--max-body-bytes', '33554432'],
  });
  const client = context.client(server);
  await client.ingest([event({ session_id: 'session', metadata: 'x'.repeat(LARGE_ROW) })]);
  resetMostMemory(server.pid);
  const readers: SilentReader[] = [];
  for (let turn = 0; turn < READERS; turn++) {
    for (const [path, accept] of PATHS) {
      const reader = await openReader(context, server.port);
      reader.write(get(server.port, path, [`accept: ${accept}`]));
      readers.push(reader);
    }
    await pause(300);
  }
  // A client that reads has the whole row, and small requests are not affected.
  const row = await client.get('/api/events/1');
  assert.equal(row.status, 200);
  assert.ok(row.text.length > LARGE_ROW);
  await client.ingest([event()]);
  const most = memoryMb(server.pid, 'VmHWM');
  const mostMb = LIMITS.answer_room_bytes / 2 ** 20 + MOST_OTHER_MB;
  context.note(`${readers.length} readers: ${Math.round(most)} MB`);
  assert.ok(most < mostMb, `${Math.round(most)} MB, at most ${mostMb}`);
  const sent = await Promise.all(readers.map((reader) => reader.read(2_000)));
  const cut = sent.filter(({ bytes, isClosed }) => isClosed && bytes < LARGE_ROW).length;
  const least = Math.floor((readers.length * LEAST_KEPT - LIMITS.answer_room_bytes) / LARGE_ROW);
  assert.ok(cut >= least, `${cut} of ${readers.length} were cut, at least ${least}`);
}

/** Longest time until a server notices that nothing is taken, on a busy machine. */
const CHECK_MS = 10_000;

async function stalled(context: ScenarioContext): Promise<void> {
  if (!context.options.slow) context.skip('takes 70 s: run it with --slow');
  const server = await context.start({
    flags: ['--max-metadata-bytes', '16777216', '--max-body-bytes', '33554432'],
  });
  const client = context.client(server);
  await client.ingest([event({ metadata: 'x'.repeat(LARGE_ROW) })]);
  const attached = await client.send('PUT', '/api/events/1/attachments/a', Buffer.alloc(LARGE_ROW), []);
  const { sha256 } = attached.json<{ readonly sha256: string }>();
  const answers = [get(server.port, '/api/events/1'), get(server.port, `/api/attachments/${sha256}`)];
  answers.push(get(server.port, '/api/events', ['accept: application/x-ndjson']));
  answers.push(get(server.port, '/app.js').repeat(200));
  const readers = await Promise.all(answers.map(() => openReader(context, server.port)));
  for (const [at, reader] of readers.entries()) reader.write(answers[at]!);
  await pause(LIMITS.request_timeout_ms + CHECK_MS);
  const sent = await Promise.all(readers.map((reader) => reader.read(2_000)));
  for (const [at, { bytes, isClosed }] of sent.entries()) {
    assert.ok(isClosed && bytes < LARGE_ROW, `${answers[at]!.slice(0, 40)}: ${bytes} bytes, ${isClosed}`);
  }
}
