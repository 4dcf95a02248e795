import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { Buffers } from '../src/buffers.ts';
import { EventTable, RawEvents } from '../src/event.ts';
import { scanBatch } from '../src/json.ts';
import { type Connection, openConnection } from '../src/store/connection.ts';
import { EventWriter } from '../src/store/events.ts';
import { Newest } from '../src/store/newest.ts';
import type { SnapshotRead } from '../src/store/read.ts';
import { createSchema } from '../src/store/schema.ts';
import { validator } from '../src/validate.ts';

const EPOCH = '0a1b2c3d-4e5f-4a6b-8c7d-0123456789ab';
const NOW = Date.UTC(2026, 10, 24, 9, 0, 0);
const MOST_METADATA = 10_240;

let folder = '';
let db: Connection;
let events: EventWriter;
let newest: Newest;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ingest-newest-'));
  const path = join(folder, 'events.db');
  writeFileSync(path, '');
  const connection = { path, durability: 'process', nativeBinding: undefined } as const;
  db = openConnection({ ...connection, readonly: false });
  createSchema(db);
  events = new EventWriter(db);
  newest = new Newest(
    { role: 'reader', ...connection, sessionTimeoutMinutes: 5, waitingStaleHours: 12 },
    MOST_METADATA,
  );
});

afterEach(async () => {
  await newest.close();
  db.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Stores this many events as one group. */
function store(count = 1): number {
  const list = Array.from({ length: count }, () => {
    return { session_id: 's', agent_type: 'a', event_type: 'tool_use', model: 'm' };
  });
  const body = Buffer.from(JSON.stringify({ events: list }));
  const raw = new RawEvents();
  assert.ok(scanBatch(body, raw, count).next().done);
  const table = new EventTable(body, count, new Buffers());
  const validate = validator(raw, table, MOST_METADATA);
  for (let index = 0; index < count; index++) assert.equal(validate(index), undefined);
  events.insertGroup([{ ...table, ascii: true }], NOW);
  return events.newest;
}

interface Delta {
  readonly revision: string;
  readonly data: { readonly events: readonly { readonly id: number }[] };
}

const readOf = (since: number, more: Partial<SnapshotRead> = {}): SnapshotRead => ({
  kind: 'snapshot',
  topic: { kind: 'events', name: 'events' },
  format: 'json',
  epoch: EPOCH,
  limit: 50,
  since,
  isReset: false,
  known: [],
  ...more,
});

/** Returns the events above `since`, or undefined when the main thread does not read them. */
async function look(since: number, more: Partial<SnapshotRead> = {}): Promise<Delta | undefined> {
  const found = await newest.snapshot(readOf(since, more));
  return found?.data === undefined ? undefined : (JSON.parse(found.data) as Delta);
}

async function idsSince(since: number): Promise<number[] | undefined> {
  const delta = await look(since);
  if (delta === undefined) return undefined;
  assert.equal(delta.revision, String(events.newest));
  return delta.data.events.map(({ id }) => id);
}

test('a read returns the events above its revision, in any order of reads', async () => {
  store(3);
  for (const count of [1, 1, 0, 5, 1, 16, 1, 0, 2, 40, 1, 1, 1]) {
    if (count > 0) store(count);
    const top = events.newest;
    for (const back of [0, 1, 16, 3, 2, 16, 0, 7]) {
      const since = Math.max(0, top - back);
      const expected = Array.from({ length: top - since }, (_, at) => top - at);
      assert.deepEqual(await idsSince(since), expected, `${back} behind ${top}`);
    }
  }
});

test('a read of too many events goes to the readers', async () => {
  store(40);
  assert.equal(await look(events.newest - 17), undefined);
  assert.equal(await look(events.newest - 3, { limit: 2 }), undefined);
  assert.equal(newest.covers(readOf(events.newest - 17), events.newest, 0), false);
  assert.equal(newest.covers(readOf(events.newest - 16), events.newest, 0), true);
  assert.equal(newest.covers(readOf(events.newest, { isReset: true }), events.newest, 0), false);
  assert.equal(newest.covers(readOf(events.newest - 2), events.newest, events.newest - 1), false);
  assert.deepEqual(await idsSince(events.newest - 2), [40, 39]);
});

test('a snapshot has no state when the client holds its revision', async () => {
  store(2);
  const found = await newest.snapshot(readOf(1, { known: ['2'] }));
  assert.deepEqual(found, { revision: 2, data: undefined });
});
