/**
 * Tests exports of many rows in NDJSON and Arrow (rule FMT-09): bounded memory, an exact end, cut connections,
 * failures.
 *
 * Memory is bounded when it does not depend on the number of rows. An export of twice as many rows may take
 * `MOST_GROWN_MB` more, less than half of the additional rows' size on the wire. V8 collects the garbage of pages at
 * arbitrary times, so one of several tries must pass. The same applies to a reader that pauses.
 */
import assert from 'node:assert/strict';
import { arrowNumbers } from '@twin-ingest/testkit/codecs/arrow.ts';
import type { Format } from '@twin-ingest/testkit/codecs/format.ts';
import { type ApiClient, event } from '@twin-ingest/testkit/http/api-client.ts';
import type { RunningServer } from '@twin-ingest/testkit/servers/server.ts';
import Database from 'better-sqlite3';
import LIMITS from '../../../contract/limits.json' with { type: 'json' };
import TUNING from '../../../contract/tuning.json' with { type: 'json' };
import { ExportReader } from '../../src/export-reader.ts';
import { memoryMb, processorMs, requireProc, resetMostMemory } from '../../src/process-figures.ts';
import { type ScenarioContext, until } from '../../src/scenario.ts';

type ExportFormat = Extract<Format, 'ndjson' | 'arrow'>;

const FORMATS: readonly ExportFormat[] = ['ndjson', 'arrow'];
const BATCH = 10_000;
const TEXT = 'x'.repeat(600);
const ALL = `/api/events?order=asc&limit=${LIMITS.export_max}`;

const ROWS = 200_000;
const MOST_GROWN_MB = 32;
const WARM_UPS = 2;
const TRIES = 4;
const MOST_LIVEZ_MS = 1_000;

export async function boundedMemory(context: ScenarioContext): Promise<void> {
  requireProc(context);
  const server = await context.start();
  await fill(context.client(server), ROWS);
  const some = `/api/events?limit=${ROWS / 2}`;
  for (const format of FORMATS) {
    const half = [];
    for (let count = 0; count < WARM_UPS; count++)
      half.push(await mostDuring(server, () => readAll(server, some, format)));
    const halfMb = Math.max(...half.map(({ mb }) => mb));
    const whole = await lowest(halfMb + MOST_GROWN_MB, () =>
      mostDuring(server, () => readAll(server, ALL, format)),
    );
    const sentMb = (whole.result - half[0]!.result) / 2 ** 20;
    assert.ok(sentMb > 2 * MOST_GROWN_MB, `${format}: ${sentMb} MB more are too few to show anything`);
    const grownMb = whole.mb - halfMb;
    assert.ok(grownMb < MOST_GROWN_MB, `${format}: twice as many rows took ${grownMb.toFixed(0)} MB more`);
    const held = await lowest(halfMb + MOST_GROWN_MB, () => mostDuring(server, () => hold(server, format)));
    const heldMb = held.mb - halfMb;
    assert.ok(heldMb < MOST_GROWN_MB, `${format}: a reader that stops took ${heldMb.toFixed(0)} MB more`);
    context.note(
      `${format}: ${halfMb.toFixed(0)} MB with ${ROWS / 2} rows, ${whole.mb.toFixed(0)} MB with ${ROWS}, ${held.mb.toFixed(0)} MB with a reader that stops`,
    );
  }
}

/** Returns the first attempt with less memory than this, or the last attempt. */
async function lowest<T extends { readonly mb: number }>(
  mostMb: number,
  attempt: () => Promise<T>,
): Promise<T> {
  let found = await attempt();
  for (let count = 1; count < TRIES && found.mb >= mostMb; count++) found = await attempt();
  return found;
}

/** Starts an export whose reader pauses after the head, and waits until the server is idle. */
async function hold(server: RunningServer, format: ExportFormat): Promise<void> {
  const reader = await ExportReader.open(server.port, ALL, format);
  reader.pause();
  await idle(server);
  reader.cut();
}

/** Returns the result of some work, and the server's peak memory during it. */
async function mostDuring<T>(
  server: RunningServer,
  work: () => Promise<T>,
): Promise<{ result: T; mb: number }> {
  resetMostMemory(server.pid);
  const result = await work();
  return { result, mb: memoryMb(server.pid, 'VmHWM') };
}

/** Reads an export up to its end; returns its bytes. */
async function readAll(server: RunningServer, path: string, format: ExportFormat): Promise<number> {
  const reader = await ExportReader.open(server.port, path, format);
  assert.ok(await reader.isWhole, `${path} as ${format} is whole`);
  return reader.bytes;
}

/** Waits until the server is idle. */
async function idle(server: RunningServer): Promise<void> {
  let before = -1;
  let same = 0;
  await until(() => {
    const now = processorMs(server.pid);
    same = now === before ? same + 1 : 0;
    before = now;
    return same >= 20;
  }, 'the server to be idle');
}

const HELD_ROWS = 60_000;
/** Number of paused exports, more than there are database readers. */
const HELD = 2 * TUNING.readers;
const MEANWHILE = 20;

export async function exactEnd(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  await fill(client, HELD_ROWS);
  let slowestMs = 0;
  for (const format of FORMATS) {
    const newest = Number(
      (await client.get('/api/snapshot/events?limit=1')).json<{ revision: string }>().revision,
    );
    const reader = await ExportReader.open(server.port, ALL, format, true);
    reader.pause();
    const others = await Promise.all(
      Array.from({ length: HELD }, () => ExportReader.open(server.port, ALL, format)),
    );
    for (const other of others) other.pause();
    for (let count = 0; count < MEANWHILE; count++) {
      const begun = performance.now();
      assert.equal((await client.get('/livez')).status, 200);
      slowestMs = Math.max(slowestMs, performance.now() - begun);
      await client.ingest([event(), event()]);
      assert.equal((await client.get('/api/events?tool_name=Bash&status=error')).status, 200);
    }
    for (const other of others) other.cut();
    assert.ok(reader.bytes < HELD_ROWS * TEXT.length, 'the export is held, or this shows nothing');
    reader.resume();
    assert.ok(await reader.isWhole);
    const ids = format === 'arrow' ? arrowNumbers(reader.body(), 'id') : idsOfLines(reader.body());
    assert.equal(ids.length, newest, format);
    assert.ok(
      ids.every((id, index) => id === index + 1),
      format,
    );
  }
  assert.ok(slowestMs < MOST_LIVEZ_MS, `/livez took ${Math.round(slowestMs)} ms`);
  context.note(`/livez within ${slowestMs.toFixed(1)} ms next to an export that is held`);
}

function idsOfLines(body: Buffer): number[] {
  const lines = body.toString('latin1').split('\n');
  assert.equal(lines.pop(), '', 'the last line ends with a line feed');
  return lines.map((line) => Number(/^\{"id":(\d+),/.exec(line)![1]));
}

/** Tests that the server answers other requests while exports run at full speed. */
export async function othersServed(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  await fill(client, HELD_ROWS);
  let running = FORMATS.length;
  const exported = FORMATS.map((format) => readAll(server, ALL, format).finally(() => running--));
  let [served, slowestMs] = [0, 0];
  while (running > 0) {
    const begun = performance.now();
    assert.equal((await client.get('/livez')).status, 200);
    await client.ingest([event()]);
    slowestMs = Math.max(slowestMs, performance.now() - begun);
    served++;
  }
  await Promise.all(exported);
  context.note(
    `${served} times /livez and an event next to two exports, the slowest ${Math.round(slowestMs)} ms`,
  );
  assert.ok(served >= MEANWHILE, `${served} requests were served`);
  assert.ok(slowestMs < MOST_LIVEZ_MS, `/livez and an event took ${Math.round(slowestMs)} ms`);
}

const CUTS = 2;

export async function cutConnections(context: ScenarioContext): Promise<void> {
  requireProc(context);
  const server = await context.start();
  const client = context.client(server);
  await fill(client, HELD_ROWS);
  for (const format of FORMATS) {
    await idle(server);
    const begunMs = processorMs(server.pid);
    for (let count = 0; count < CUTS; count++) await readAll(server, ALL, format);
    const wholeMs = processorMs(server.pid) - begunMs;
    for (let count = 0; count < CUTS; count++) {
      const reader = await ExportReader.open(server.port, ALL, format);
      await reader.begun;
      reader.cut();
      assert.equal(await reader.isWhole, false);
    }
    await idle(server);
    const cutMs = processorMs(server.pid) - begunMs - wholeMs;
    context.note(
      `${format}: ${CUTS} exports take ${wholeMs} ms of processor time, as many cut ones ${cutMs} ms`,
    );
    assert.ok(cutMs < wholeMs / 2, `${format}: ${cutMs} ms; whole exports take ${wholeMs}`);
    assert.ok((await readAll(server, ALL, format)) > HELD_ROWS * TEXT.length);
    await client.ingest([event()]);
  }
}

export async function failures(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  await fill(client, HELD_ROWS);
  const file = new Database(context.db(), { fileMustExist: true, timeout: 2_000 });
  context.atEnd(() => file.close());
  // The view of rows keeps reading the renamed table.
  file.pragma('legacy_alter_table = ON');
  for (const format of FORMATS) {
    const reader = await ExportReader.open(server.port, ALL, format);
    assert.equal(reader.status, 200);
    reader.pause();
    file.exec('ALTER TABLE events RENAME TO gone');
    reader.resume();
    assert.equal(await reader.isWhole, false, `${format}: the client sees that the end is missing`);
    assert.ok(reader.bytes > 0 && reader.bytes < HELD_ROWS * TEXT.length, `${reader.bytes} bytes`);
    const refused = await client.send('GET', ALL, undefined, [['accept', 'application/x-ndjson']]);
    assert.deepEqual([refused.status, refused.json<{ code: string }>().code], [500, 'internal']);
    assert.equal((await client.get('/livez')).status, 200);
    file.exec('ALTER TABLE gone RENAME TO events');
    assert.ok((await readAll(server, ALL, format)) > HELD_ROWS * TEXT.length, `${format} is whole again`);
    await client.ingest([event()]);
  }
}

async function fill(client: ApiClient, rows: number): Promise<void> {
  const one = JSON.stringify(
    event({ tool_name: 'Bash', branch: 'main', tokens_in: 7, metadata: { text: TEXT } }),
  );
  const body = Buffer.from(`{"events":[${Array.from({ length: BATCH }, () => one).join()}]}`);
  for (let stored = 0; stored < rows; stored += BATCH) {
    const reply = await client.send('POST', '/api/events/batch', body, []);
    assert.equal(reply.status, 201, reply.text.slice(0, 300));
  }
}
