import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tableFromIPC } from 'apache-arrow';
import { COLUMNS } from '../field.ts';
import { arrowPage } from './arrow.ts';
import { MsgpackRows, msgpackSnapshot } from './msgpack.ts';
import { ndjsonHead } from './ndjson.ts';
import { ProtobufRows, protobufSnapshot } from './protobuf.ts';
import type { StoredRow, StoredValue, TextsById } from './stored.ts';

const texts: TextsById = {
  name: (id) => (id === 9 ? 'error' : `name ${id}`),
  session: (key) => `session ${key}`,
};

/** Returns a row with these values; all others are null. */
function rowOf(values: Record<string, StoredValue>): StoredRow {
  return COLUMNS.filter(({ kind }) => kind !== 'constant').map(({ name }) => values[name] ?? null);
}

const HEAD = { topic: 'events', epoch: 'e', revision: 7, since: 5 };

const END = { next: null, scannedTo: 0 };

test('Protobuf omits null and zero, and orders fields by number', () => {
  const rows = new ProtobufRows(texts);
  const values = {
    tokens_in: 0,
    duration_ms: 0,
    payload_truncated: 0,
    id: 300,
    status: 9,
    cost_usd: 0,
    client_timestamp: -1,
  };
  rows.push(rowOf({ ...values, metadata: '{}' }));
  const row = '20025000790000000000000000' + '8001ffffffffffffffffff01' + '9201027b7d9801ac02a00101';
  const page = `0a${(row.length / 2).toString(16)}${row}10051805`;
  assert.equal(Buffer.from(rows.page({ next: 5, scannedTo: 5 })).toString('hex'), page);
  const head = { topic: 'events', epoch: 'e', revision: 0, since: 0, isReset: true };
  const snapshot = protobufSnapshot(head, new Uint8Array(0));
  assert.equal(
    Buffer.from(snapshot).toString('hex'),
    `0a06${Buffer.from('events').toString('hex')}120165200028013200`,
  );
});

test('MessagePack values have their shortest form', () => {
  const cases: [column: string, value: StoredValue, hex: string][] = [
    ['tokens_in', 127, '7f'],
    ['tokens_in', 128, 'cc80'],
    ['tokens_in', 65_535, 'cdffff'],
    ['tokens_in', 65_536, 'ce00010000'],
    ['tokens_in', 4_294_967_295, 'ceffffffff'],
    ['tokens_in', 4_294_967_296, 'cf0000000100000000'],
    ['tokens_in', Number.MAX_SAFE_INTEGER, 'cf001fffffffffffff'],
    ['cost_usd', 2_000_000_000, '02'],
    ['cost_usd', 500_000_000, 'cb3fe0000000000000'],
    ['payload_truncated', 1, 'c3'],
    ['client_timestamp', 0, `b8${Buffer.from('1970-01-01T00:00:00.000Z').toString('hex')}`],
    ['metadata', '{}', 'a27b7d'],
    ['metadata', 'ä'.repeat(16), `d920${'c3a4'.repeat(16)}`],
    ['metadata', 'ä'.repeat(128), `da0100${'c3a4'.repeat(128)}`],
    [
      'event_id',
      Buffer.from('00112233445566778899aabbccddeeff', 'hex'),
      `d924${Buffer.from('00112233-4455-6677-8899-aabbccddeeff').toString('hex')}`,
    ],
  ];
  for (const [column, value, hex] of cases) {
    const rows = new MsgpackRows(texts);
    rows.push(rowOf({ [column]: value }));
    const key = Buffer.from(column).toString('hex');
    const page = rows.page(END).toString('hex');
    assert.ok(
      page.includes(`${(0xa0 + column.length).toString(16)}${key}${hex}`),
      `${column} ${hex}: ${page}`,
    );
    assert.ok(page.startsWith('83a66576656e747391de0025a26964c0a8'), page);
  }
  const scannedTo = `aa${Buffer.from('scanned_to').toString('hex')}`;
  const empty = '83a66576656e747390a46e657874';
  assert.equal(new MsgpackRows(texts).page(END).toString('hex'), `${empty}c0${scannedTo}00`);
  const page = new MsgpackRows(texts).page({ next: 7, scannedTo: 7 });
  assert.equal(page.toString('hex'), `${empty}07${scannedTo}07`);
  const bytes = msgpackSnapshot(HEAD, Buffer.of(0x80));
  const expected = Buffer.from(
    '\x85\xa5topic\xa6events\xa5epoch\xa1e\xa8revision\xa17\xa5since\xa15\xa4data\x80',
    'latin1',
  );
  assert.deepEqual(bytes, expected);
});

test('Arrow pages form one stream, each with its own dictionaries', () => {
  const pages = [
    [
      rowOf({
        id: 2 ** 40,
        session_id: 3,
        agent_type: 1,
        status: 9,
        created_at: -1,
        payload_truncated: 1,
        metadata: '{}',
        cost_usd: 1,
      }),
    ],
    [
      rowOf({ id: 2, session_id: 4, agent_type: 2, status: 9, created_at: 5, metadata: '"ä"', branch: 7 }),
      rowOf({ id: 1, session_id: 3, agent_type: 2, status: 9, created_at: 6, metadata: '1' }),
    ],
  ];
  const head = { ...HEAD, isReset: false };
  const bytes = pages.map((rows, at) =>
    arrowPage(rows, texts, { isFirst: at === 0, isLast: at === 1 }, at === 0 ? head : undefined),
  );
  const table = tableFromIPC(Buffer.concat(bytes));
  assert.deepEqual(
    table.batches.map(({ numRows }) => numRows),
    [1, 2],
  );
  assert.deepEqual([...table.schema.metadata.keys()], ['contract', 'topic', 'epoch', 'revision', 'since']);
  const column = (name: string): unknown[] => [...table.getChild(name)!];
  assert.deepEqual(column('id'), [2n ** 40n, 2n, 1n]);
  assert.deepEqual(column('session_id'), ['session 3', 'session 4', 'session 3']);
  assert.deepEqual(column('agent_type'), ['name 1', 'name 2', 'name 2']);
  assert.deepEqual(column('branch'), [null, 'name 7', null]);
  assert.deepEqual(column('created_at'), [-1, 5, 6]);
  assert.deepEqual(column('payload_truncated'), [true, false, false]);
  assert.deepEqual(column('cost_usd'), [1e-9, null, null]);
  assert.deepEqual(column('metadata'), ['{}', '"ä"', '1']);
  const empty = tableFromIPC(arrowPage([], texts, { isFirst: true, isLast: true }));
  assert.deepEqual([empty.numRows, empty.schema.fields.length], [0, COLUMNS.length]);
});

test('an NDJSON snapshot starts with its revision', () => {
  const line = '{"topic":"events","epoch":"e","revision":"7","reset":true}\n';
  assert.equal(ndjsonHead({ topic: 'events', epoch: 'e', revision: 7, isReset: true }), line);
});
