import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';

import { Buffers } from '../src/buffers.ts';
import { EventTable, RawEvents } from '../src/event.ts';
import { scanBatch } from '../src/json.ts';
import { Meters } from '../src/meters.ts';
import { openConnection } from '../src/store/connection.ts';
import { startWriter, Writer } from '../src/store/writer.ts';
import { validator } from '../src/validate.ts';

/** A text that is longer than any shared buffer. */
const LONG = 'x'.repeat(100_000);

let folder = '';
let path = '';
let buffers: Buffers;
let meters: Meters;
let writer: Writer;
let signals: EventEmitter;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ingest-writer-'));
  path = join(folder, 'events.db');
  buffers = new Buffers();
  meters = new Meters();
  signals = new EventEmitter();
  const thread = startWriter(new URL('../src/main.ts', import.meta.url));
  const options = { path, durability: 'process', nativeBinding: undefined } as const;
  const opening = await Writer.open(thread, options, undefined, undefined, undefined, buffers, meters, {
    onWritten: () => {},
    onRefused: () => {},
    onStored: (newest) => signals.emit('stored', newest),
    onFailure: (code, reason) => signals.emit('error', new Error(`${code}: ${reason}`)),
    onDeleted: () => {},
    onFreed: () => {},
    onProbed: () => {},
    onCheckpoint: () => {},
    onWarning: () => {},
  });
  writer = opening.writer;
});

afterEach(async () => {
  await writer.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Returns valid events in memory of `buffers`, as the pipeline produces them. */
function tableOf(events: readonly object[]): EventTable {
  const text = JSON.stringify({ events });
  const body = buffers.bytes(Buffer.byteLength(text));
  body.write(text);
  const raw = new RawEvents();
  assert.ok(scanBatch(body, raw, events.length).next().done);
  const table = new EventTable(body, events.length, buffers);
  const validate = validator(raw, table, 1 << 20);
  for (let index = 0; index < events.length; index++) assert.equal(validate(index), undefined);
  return table;
}

const event = (more: object = {}) => ({ session_id: 's', agent_type: 'a', event_type: 'tool_use', ...more });

async function idsOf(events: readonly object[]): Promise<number[]> {
  const table = tableOf(events);
  const result = await writer.submit(table, 'events', false);
  table.release();
  assert.ok('ids' in result);
  return [...result.ids];
}

/** Returns the stored rows, in the order of ids. */
function stored(): unknown[] {
  const db = openConnection({ path, durability: 'process', nativeBinding: undefined, readonly: true });
  const rows = db.prepare('SELECT metadata FROM events_readable ORDER BY id').pluck().all();
  db.close();
  return rows;
}

test('each request of a group gets its own ids, and a duplicate none', async () => {
  const twice = '0a1b2c3d-4e5f-4a6b-8c7d-0123456789ab';
  const groups = await Promise.all([
    idsOf([event(), event({ event_id: twice })]),
    idsOf([event()]),
    idsOf([event({ session_id: 'ein\\u00e4' }), event(), event()]),
  ]);
  assert.deepEqual(groups, [[1, 2], [3], [4, 5, 6]]);
  assert.deepEqual(await Promise.all([idsOf([event()]), idsOf([event({ event_id: twice }), event()])]), [
    [7],
    [0, 8],
  ]);
});

test('reused memory holds the data of its current request', async () => {
  const sent: string[] = [];
  for (let turn = 0; turn < 50; turn++) {
    // The bodies are short, with text outside the body, longer than the last, and too long to share.
    const texts = [
      `{"n":${turn}}`,
      `{"t":"${'é'.repeat(turn * 40)}"}`,
      `{"l":"${turn % 10 === 0 ? LONG : ''}"}`,
    ];
    await Promise.all(texts.map((text) => idsOf([event({ project: ' p ', metadata: JSON.parse(text) })])));
    sent.push(...texts);
  }
  assert.deepEqual(stored(), sent);
});

test('memory that the thread may still read is not reused before its reply', async () => {
  const table = tableOf([event({ metadata: { kept: true } })]);
  const { memory } = table;
  const result = writer.submit(table, 'events', true);
  // From here on the group is in flight.
  await setImmediate();
  writer.giveUp('storage_error');
  assert.deepEqual(await result, { code: 'storage_error', isStillRead: true });
  const others = Array.from({ length: 10 }, () => buffers.take(1));
  assert.equal(others.includes(memory), false);
  await once(signals, 'stored');
  await setImmediate();
  assert.equal([buffers.take(1), buffers.take(1)].includes(memory), true);
  assert.deepEqual(await idsOf([event()]), [2]);
  assert.deepEqual(stored(), ['{"kept":true}', '{}']);
});

test('memory that was never sent to the thread stays with the caller', async () => {
  const result = writer.submit(tableOf([event()]), 'events', true);
  writer.giveUp('storage_error');
  assert.deepEqual(await result, { code: 'storage_error', isStillRead: false });
  assert.deepEqual(await idsOf([event()]), [1]);
});
