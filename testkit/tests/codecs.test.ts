/** Tests the codecs with known bytes and with a round trip through the libraries. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  Bool,
  type DataType,
  Dictionary,
  Field,
  Float64,
  Int8,
  Int16,
  Int64,
  makeData,
  RecordBatch,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  Table,
  TimestampMillisecond,
  tableFromArrays,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';
import { batchBody, decodeAnswer, eventBody } from '../src/codecs/codecs.ts';
import { COLUMNS } from '../src/codecs/columns.ts';
import { formatOf, mediaTypeOf } from '../src/codecs/format.ts';

const EVENT = { session_id: 's', agent_type: 'a', event_type: 'tool_use' };

test('the smallest event has the bytes of the contract', () => {
  assert.equal(eventBody('protobuf', EVENT).toString('hex'), '0a01731201611801');
  assert.equal(batchBody('protobuf', [EVENT]).toString('hex'), '0a080a01731201611801');
  const map =
    '83aa73657373696f6e5f6964a173aa6167656e745f74797065a161aa6576656e745f74797065a8746f6f6c5f757365';
  assert.equal(eventBody('msgpack', EVENT).toString('hex'), map);
  assert.equal(batchBody('msgpack', [EVENT]).toString('hex'), `81a66576656e747391${map}`);
});

test('metadata is JSON text, inserted unchanged in JSON', () => {
  const event = { session_id: 's', metadata: '{ "a":1.0}' };
  assert.equal(eventBody('json', event).toString(), '{"session_id":"s","metadata":{ "a":1.0}}');
  assert.equal(
    batchBody('ndjson', [event, { session_id: 't' }])
      .toString()
      .split('\n').length,
    3,
  );
  assert.deepEqual(decodeAnswer('msgpack', eventBody('msgpack', event), 'page'), event);
});

test('MessagePack keeps __proto__, and whole numbers above 32 bits are integers', () => {
  const decoded = decodeAnswer('msgpack', Buffer.from('81a95f5f70726f746f5f5f01', 'hex'), 'page');
  assert.deepEqual(Object.entries(decoded as object), [['__proto__', 1]]);
  assert.match(eventBody('msgpack', { tokens_in: 2 ** 53 - 1 }).toString('hex'), /d3001fffffffffffff$/);
});

test('Protobuf answers are read in the order of their bytes', () => {
  const page = Buffer.from('0a0a0a017318019801078001001007', 'hex');
  assert.throws(() => decodeAnswer('protobuf', page.subarray(0, 9), 'page'));
  const good = Buffer.from('0a080a017318019801071007', 'hex');
  assert.deepEqual(decodeAnswer('protobuf', good, 'page'), {
    events: [{ session_id: 's', event_type: 'tool_use', id: 7 }],
    next: 7,
  });
  const snapshot = Buffer.from('0a016518073200', 'hex');
  assert.deepEqual(decodeAnswer('protobuf', snapshot, 'snapshot'), {
    topic: 'e',
    revision: 7,
    data: { events: [] },
  });
});

test('NDJSON answers end each line', () => {
  assert.deepEqual(decodeAnswer('ndjson', Buffer.from('{"a":1}\n2\n'), 'page'), [{ a: 1 }, 2]);
  assert.throws(() => decodeAnswer('ndjson', Buffer.from('{"a":1}'), 'page'), /no line feed/);
});

test('an Arrow stream has the schema of the contract and dictionaries in row order', () => {
  const row = (id: number, agent: string) => ({ id, agent_type: agent, created_at: 1_700_000_000_000 });
  const rows = [row(1, 'b'), row(2, 'a'), row(3, 'b')];
  const decoded = decodeAnswer('arrow', arrowStream(rows), 'page') as {
    metadata: unknown;
    batches: Record<string, unknown>[][];
  };
  assert.deepEqual(decoded.metadata, { contract: '1.1.0' });
  assert.deepEqual(
    decoded.batches.map((batch) => batch.map((one) => [one.id, one.agent_type, one.created_at])),
    [rows.map((one) => [one.id, one.agent_type, one.created_at])],
  );
  assert.throws(() => decodeAnswer('arrow', arrowStream(rows).subarray(0, -8), 'page'), /no end/);
  const other = Buffer.from(
    RecordBatchStreamWriter.writeAll(tableFromArrays({ id: [1n] })).toUint8Array(true),
  );
  assert.throws(() => decodeAnswer('arrow', other, 'page'), /the schema is id: Int64/);
});

test('media types name their formats, aliases too', () => {
  assert.equal(mediaTypeOf('msgpack'), 'application/vnd.msgpack');
  assert.equal(formatOf('Application/X-Protobuf; encoding=binary'), 'protobuf');
  assert.equal(formatOf('text/html'), undefined);
});

const TYPES: Readonly<Record<string, () => DataType>> = {
  dictionary: () => new Dictionary(new Utf8(), new Int16()),
  int64: () => new Int64(),
  int8: () => new Int8(),
  float64: () => new Float64(),
  bool: () => new Bool(),
  timestamp: () => new TimestampMillisecond('UTC'),
  utf8: () => new Utf8(),
};
const VALUES: Readonly<Record<string, unknown>> = {
  int64: 0n,
  int8: 0,
  float64: 0,
  bool: false,
  timestamp: 0,
};

/** Returns a stream with the schema of the contract; absent members are null, or zero. */
function arrowStream(rows: readonly Readonly<Record<string, unknown>>[]): Buffer {
  const fields = COLUMNS.map(({ name, arrow, isNullable }) => new Field(name, TYPES[arrow]!(), isNullable));
  const vectors = COLUMNS.map(({ name, arrow, isNullable }, index) => {
    const values = rows.map((row) => row[name] ?? (isNullable ? null : (VALUES[arrow] ?? 'x')));
    const given = arrow === 'int64' ? values.map((value) => value && BigInt(Number(value))) : values;
    return vectorFromArray(given, fields[index]!.type);
  });
  const schema = new Schema(fields, new Map([['contract', '1.1.0']]));
  const children = vectors.map((vector) => vector.data[0]!);
  const data = makeData({ type: new Struct(fields), length: rows.length, nullCount: 0, children });
  const table = new Table(schema, new RecordBatch(schema, data));
  return Buffer.from(RecordBatchStreamWriter.writeAll(table).toUint8Array(true));
}
