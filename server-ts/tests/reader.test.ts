/** Tests the reader pool with reads that run until the test releases them (rule GET-10). */
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { MessageChannel } from 'node:worker_threads';
import { LIMITS } from '../src/contract.ts';
import { openConnection } from '../src/store/connection.ts';
import type { JsonRead, ReaderData, ReadResult } from '../src/store/read.ts';
import { type Asker, Readers, ReadFailed } from '../src/store/reader.ts';
import { runReader } from '../src/store/reader-thread.ts';
import { createSchema } from '../src/store/schema.ts';
import type { GateData } from './reader-thread.ts';

const READERS = 3;
const LONG: JsonRead = { kind: 'get_session', id: 's', limit: 1 };
const BRIEF: JsonRead = { kind: 'get_event', id: 1 };
const ENTRY = new URL('./reader-thread.ts', import.meta.url);
const DATA: ReaderData = {
  role: 'reader',
  path: 'none.db',
  durability: 'process',
  nativeBinding: undefined,
  sessionTimeoutMinutes: 30,
  waitingStaleHours: 12,
};

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

let gate: Int32Array;
let readers: Readers;

beforeEach(() => {
  gate = new Int32Array(new SharedArrayBuffer(8));
  readers = readersFrom(ENTRY);
});

afterEach(async () => {
  openGate();
  await readers.close();
});

function readersFrom(entry: URL): Readers {
  const data: GateData = { ...DATA, gate };
  return new Readers(entry, data, READERS);
}

function openGate(): void {
  Atomics.store(gate, 0, 1);
  Atomics.notify(gate, 0);
}

function begun(): number {
  return Atomics.load(gate, 1);
}

/** Returns the failure of a read. */
async function failure(read: Promise<unknown>): Promise<ReadFailed> {
  const error = await read.then(
    () => assert.fail('it was answered'),
    (error: unknown) => error,
  );
  assert.ok(error instanceof ReadFailed, String(error));
  return error;
}

test('unbounded reads leave one reader to bounded ones', async () => {
  const longs = [1, 2, 3].map(() => readers.json(LONG));
  await readers.json(BRIEF);
  openGate();
  await Promise.all(longs);
  assert.equal(begun(), 4);
});

test('a waiting read does not run after its client disconnects', async () => {
  const client: Mutable<Asker> = { destroyed: false };
  const longs = [1, 2].map(() => readers.json(LONG));
  const gone = failure(readers.json(LONG, client));
  const next = readers.json(LONG, { destroyed: false });
  client.destroyed = true;
  openGate();
  await Promise.all([...longs, next]);
  const { code, isDropped } = await gone;
  assert.deepEqual([code, isDropped, begun()], ['storage_busy', true, 3]);
});

test('a read that waits too long fails as busy', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const longs = [1, 2].map(() => readers.json(LONG));
  const late = failure(readers.json(LONG));
  t.mock.timers.tick(LIMITS.reader_wait_ms - 1);
  const later = readers.json(LONG);
  t.mock.timers.tick(1);
  const { code, isDropped } = await late;
  assert.deepEqual([code, isDropped], ['storage_busy', true]);
  openGate();
  await Promise.all([...longs, later]);
  assert.equal(begun(), 3);
});

const SEARCH: JsonRead = {
  kind: 'list_events',
  format: 'json',
  filter: { fields: {}, text: 'x', order: 'desc', limit: 1 },
};

test('a search that runs ends when its client disconnects, and leaves two readers to others', async () => {
  const client = Object.assign(new EventEmitter(), { destroyed: false });
  const gone = failure(readers.json(SEARCH, client));
  const next = readers.json(SEARCH, { destroyed: false });
  await readers.json(BRIEF);
  // The first search has a thread of its own, which may begin later than the brief read ends.
  while (begun() < 2) await setImmediate();
  assert.equal(begun(), 2, 'one of three readers may search');
  client.emit('close');
  const { code, isDropped } = await gone;
  assert.deepEqual([code, isDropped], ['storage_busy', true]);
  openGate();
  await next;
  assert.deepEqual([begun(), client.listenerCount('close')], [3, 0]);
});

test('a search that takes too long fails as busy', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const late = failure(readers.json(SEARCH));
  t.mock.timers.tick(LIMITS.search_run_ms);
  assert.equal((await late).code, 'storage_busy');
  openGate();
});

test('a read fails as busy when its thread cannot start', async () => {
  await readers.close();
  readers = readersFrom(new URL('./no-such-thread.ts', import.meta.url));
  const { code, isDropped } = await failure(readers.json(BRIEF));
  assert.deepEqual([code, isDropped], ['storage_busy', false]);
});

test('a reader that cannot open its file fails as busy, then retries', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ingest-reader-'));
  const path = join(folder, 'events.db');
  const { port1, port2 } = new MessageChannel();
  const ask = (): Promise<ReadResult> =>
    new Promise((resolve) => {
      port1.once('message', resolve);
      port1.postMessage(BRIEF);
    });
  try {
    runReader(port2, { ...DATA, path });
    const failed = await ask();
    assert.deepEqual([failed.kind, failed.kind === 'failed' && failed.code], ['failed', 'storage_busy']);
    writeFileSync(path, '');
    const db = openConnection({ ...DATA, path });
    createSchema(db);
    db.close();
    assert.equal((await ask()).kind, 'json');
  } finally {
    port1.postMessage('close');
    rmSync(folder, { recursive: true, force: true });
  }
});
