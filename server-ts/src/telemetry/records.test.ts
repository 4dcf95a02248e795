import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Failure } from '../error.ts';
import type { Format } from '../formats/index.ts';
import { requestOf } from './otlp.ts';
import type { Record } from './record.ts';
import { Records } from './records.ts';

function run<T>(steps: Generator<undefined, T>): T {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

function recordsOf(path: string, format: Format, body: Buffer): Record[] {
  const records = run(Records.read(body, format, requestOf(path)));
  const found: Record[] = [];
  for (const group of records.groups(() => true)) {
    for (const place of group?.records ?? [])
      if (place !== undefined) found.push(records.record(group!, place));
  }
  return found;
}

function codeOf(path: string, text: string): string {
  try {
    recordsOf(path, 'json', Buffer.from(text));
    return 'read';
  } catch (error) {
    return (error as Failure).code;
  }
}

/** Returns a length-delimited Protobuf field. */
function field(number: number, ...values: (Buffer | string)[]): Buffer {
  const value = Buffer.concat(values.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
  const length = value.length < 0x80 ? [value.length] : [(value.length & 0x7f) | 0x80, value.length >> 7];
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...length]), value]);
}

const hex = (text: string): Buffer => Buffer.from(text, 'hex');

/** Returns the value of one log's one attribute, read from each encoding. */
function valueIn(json: string, bytes: Buffer | undefined): (string | undefined)[] {
  const text = `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"attributes":[{"key":"a","value":${json}}]}]}]}]}`;
  const found = [recordsOf('/v1/logs', 'json', Buffer.from(text))[0]!.attributes.get('a')];
  if (bytes !== undefined) {
    const record = field(2, field(6, field(1, 'a'), field(2, bytes)));
    found.push(recordsOf('/v1/logs', 'protobuf', field(1, field(2, record)))[0]!.attributes.get('a'));
  }
  return found;
}

test('a value is the same in both encodings', () => {
  const cases: [json: string, protobuf: string, expected: string | undefined][] = [
    ['{"stringValue":"a\\u0041\\/"}', '0a0361412f', '"aA/"'],
    ['{"stringValue":""}', '0a00', '""'],
    ['{"boolValue":true}', '1001', 'true'],
    ['{"intValue":"-9223372036854775808"}', '1880808080808080808001', '-9223372036854775808'],
    ['{"intValue":7.0}', '1807', '7'],
    ['{"doubleValue":0.5}', '21000000000000e03f', '0.5'],
    ['{"doubleValue":-0.0}', '210000000000000080', '0'],
    ['{"doubleValue":"NaN"}', '21000000000000f87f', 'null'],
    ['{"doubleValue":1e999}', '21000000000000f07f', 'null'],
    ['{"arrayValue":{"values":[{"intValue":1},{"boolValue":false}]}}', '2a080a0218010a021000', '[1,false]'],
    ['{"arrayValue":{"values":[{"intValue":1},{}]}}', '2a060a0218010a00', undefined],
    ['{"arrayValue":{}}', '2a00', '[]'],
    [
      '{"kvlistValue":{"values":[{"key":"a","value":{"intValue":1}},{"key":"b"},{"key":"a","value":{"intValue":2}}]}}',
      '32170a070a0161120218010a030a01620a070a016112021802',
      '{"a":2}',
    ],
    ['{"bytesValue":"AQI="}', '3a020102', '"AQI="'],
    ['{}', '', undefined],
    ['{"stringValue":"\\u0000","intValue":1}', '0a01001801', '1'],
    ['{"intValue":1,"stringValue":"x"}', '18010a0178', '"x"'],
  ];
  for (const [json, protobuf, expected] of cases) {
    assert.deepEqual(valueIn(json, hex(protobuf)), [expected, expected], json);
  }
});

test('values of another type are absent', () => {
  for (const json of [
    '{"stringValue":7}',
    '{"stringValue":"\\ud800"}',
    '{"stringValue":null}',
    '{"boolValue":"true"}',
    '{"intValue":"9223372036854775808"}',
    '{"intValue":"000000000000000000001"}',
    '{"intValue":9007199254740992}',
    '{"intValue":"+1"}',
    '{"intValue":1.5}',
    '{"doubleValue":"1"}',
    '{"arrayValue":[]}',
    '{"arrayValue":{"values":[7]}}',
    '7',
  ]) {
    assert.deepEqual(valueIn(json, undefined), [undefined], json);
  }
});

test('a record has its parts, the last of equal ones, in both encodings', () => {
  const json = `{"resourceSpans":[{
    "resource":{"attributes":[{"key":"r","value":{"intValue":1}}]},
    "scopeSpans":[],
    "scopeSpans":[{"spans":[{
      "traceId":"0AF7651916CD43DD8448EB211C80319C","spanId":"b7ad6b7169203331","parentSpanId":"0000000000000000",
      "name":"first","name":"step","startTimeUnixNano":"5","endTimeUnixNano":7,"status":{"code":2},
      "eventName":"none","body":{"stringValue":"none"},
      "attributes":[{"key":"a","value":{"intValue":1}},{"key":"","value":{"intValue":1}},7,
        {"key":"b","value":{"intValue":2}},{"key":"a","value":{"intValue":3}}]
    }],"scope":{"name":"s"}}]
  }]}`;
  const integer = (key: string, value: number): Buffer =>
    field(9, field(1, key), field(2, Buffer.from([0x18, value])));
  const span = Buffer.concat([
    ...[field(1, hex('0af7651916cd43dd8448eb211c80319c')), field(2, hex('b7ad6b7169203331'))],
    ...[field(4, Buffer.alloc(8)), field(5, 'first'), field(5, 'step')],
    ...[hex('390500000000000000'), hex('410700000000000000'), field(15, hex('1802'))],
    ...[integer('a', 1), integer('', 1), integer('b', 2), integer('a', 3)],
  ]);
  const resource = field(1, field(1, field(1, 'r'), field(2, hex('1801'))));
  const protobuf = field(1, field(2, field(2, span), field(1, field(1, 's'))), resource);
  const expected: Record = {
    signal: 'spans',
    scope: 's',
    resource: new Map([['r', '1']]),
    attributes: new Map([
      ['a', '3'],
      ['b', '2'],
    ]),
    name: 'step',
    body: undefined,
    times: ['5', '7'],
    traceId: '0af7651916cd43dd8448eb211c80319c',
    spanId: 'b7ad6b7169203331',
    parentSpanId: undefined,
    hasFailed: true,
  };
  assert.deepEqual(recordsOf('/v1/traces', 'json', Buffer.from(json)), [expected]);
  assert.deepEqual(recordsOf('/v1/traces', 'protobuf', protobuf), [expected]);
});

test('times are numbers or texts of 64 bits, and 0 is none', () => {
  const timeOf = (json: string): string | undefined => {
    const text = `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":${json}}]}]}]}`;
    return recordsOf('/v1/logs', 'json', Buffer.from(text))[0]!.times[0];
  };
  assert.equal(timeOf('"1795557523134000000"'), '1795557523134000000');
  assert.equal(timeOf('"18446744073709551615"'), '18446744073709551615');
  assert.equal(timeOf('1e3'), '1000');
  assert.equal(timeOf('9007199254740993'), '9007199254740992', 'a number is the double that it is');
  for (const none of ['"18446744073709551616"', '"-1"', '"0"', '0', '1.5', '1e20', '-1', 'null', '""'])
    assert.equal(timeOf(none), undefined, none);
});

test('a request that is not JSON and an envelope that is not OTLP are refused', () => {
  assert.equal(codeOf('/v1/logs', ' {} '), 'read');
  assert.equal(codeOf('/v1/logs', '{"resourceLogs":null,"other":[7]}'), 'read');
  assert.equal(codeOf('/v1/logs', '{"resourceLogs":7,"resourceLogs":[]}'), 'read');
  assert.equal(codeOf('/v1/logs', '{"resourceLogs":[{"resource":7,"scopeLogs":[{"scope":[]}]}]}'), 'read');
  for (const text of ['', '{', '{} 7', '{"a":01}', `${'['.repeat(129)}${']'.repeat(129)}`])
    assert.equal(codeOf('/v1/logs', text), 'invalid_json', text);
  for (const text of [
    '[]',
    '7',
    '{"resourceLogs":7}',
    '{"resourceLogs":[7]}',
    '{"resourceLogs":[{"scopeLogs":{}}]}',
    '{"resourceLogs":[{"scopeLogs":[null]}]}',
    '{"resourceLogs":[{"scopeLogs":[{"logRecords":"x"}]}]}',
    '{"resourceLogs":[{"scopeLogs":[{"logRecords":[[]]}]}]}',
  ])
    assert.equal(codeOf('/v1/logs', text), 'invalid_otlp', text);
});
