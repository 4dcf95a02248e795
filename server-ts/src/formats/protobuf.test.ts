import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Buffers } from '../buffers.ts';
import { VOCABULARY } from '../contract.ts';
import type { Failure } from '../error.ts';
import { EventTable, RawEvents } from '../event.ts';
import { validator } from '../validate.ts';
import type { Fault } from './fault.ts';
import { readProtobufEvent } from './protobuf.ts';
import { checkBatch, checkEvent } from './protobuf-check.ts';

const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex');
const MESSAGES = VOCABULARY.field_messages;

function faultOf(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return (error as Failure).members.reason as string;
  }
}

function run<T>(steps: Generator<void, T>): T {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** Returns the problems of an event with these fields and the required ones. */
function problems(fields: Buffer): string[] {
  const buffers = new Buffers();
  const raw = new RawEvents();
  const event = Buffer.concat([bytes('0a01731201611801'), fields]);
  const body = readProtobufEvent(event, raw, buffers);
  const errors = validator(raw, new EventTable(body, 1, buffers), 10_240)(0) ?? [];
  return errors.map(({ field, message }) => `${field}: ${message}`);
}

function double(value: number): Buffer {
  const field = Buffer.alloc(9);
  field[0] = 0x79;
  field.writeDoubleLE(value, 1);
  return field;
}

test('the check names the first broken rule', () => {
  const cases: [hex: string, fault: Fault][] = [
    ['0affffffff0f61', 'truncated'],
    ['0affffffffffffffffff0161', 'truncated'],
    ['0a0561', 'truncated'],
    ['50', 'truncated'],
    ['5080', 'truncated'],
    ['790000', 'truncated'],
    ['50ffffffffffffffffffff01', 'varint'],
    ['50ffffffffffffffffff02', 'varint'],
    ['ffffffffff', 'tag'],
    ['8a808080808000', 'tag'],
    ['0200', 'field'],
    ['808080801000', 'field'],
    ['0f', 'wire_type'],
    ['0b', 'wire_type'],
    ['07', 'field'],
    ['c33e', 'wire_type'],
    ['0801', 'field_type'],
    ['1a00', 'field_type'],
    ['9d0100000000', 'field_type'],
    ['0a02c328', 'utf8'],
  ];
  for (const [hex, fault] of cases) {
    assert.equal(
      faultOf(() => checkEvent(bytes(hex))),
      VOCABULARY.format_messages[fault],
      hex,
    );
  }
  for (const hex of ['', '0a0161', '50ffffffffffffffffff01', '920102c328', 'c23e02c328', 'f8ffffff0f01']) {
    assert.equal(
      faultOf(() => checkEvent(bytes(hex))),
      undefined,
      hex,
    );
  }
});

test('events above the limit are counted but not kept', () => {
  const places = run(checkBatch(bytes('0a0012000a030a01610a00'), 2));
  assert.deepEqual(places, { events: [2, 2, 6, 9], count: 3 });
  assert.equal(
    faultOf(() => run(checkBatch(bytes('0801'), 2))),
    VOCABULARY.format_messages.field_type,
  );
  assert.equal(
    faultOf(() => run(checkBatch(bytes('0a020a0561'), 2))),
    VOCABULARY.format_messages.truncated,
  );
  assert.deepEqual(run(checkBatch(Buffer.alloc(0), 2)), { events: [], count: 0 });
});

test('the check pauses between slices, also within one event', () => {
  const fields = Buffer.alloc(3 << 20, bytes('a00600'));
  const check = checkBatch(Buffer.concat([bytes('0a8080c001'), fields]), 1);
  let slices = 0;
  let step = check.next();
  for (; !step.done; step = check.next()) slices++;
  assert.equal(slices, 23);
  assert.deepEqual(step.value, { events: [5, 5 + (3 << 20)], count: 1 });
});

test('values that JSON cannot express have the problems of their fields', () => {
  const cases: [fields: Buffer, problem: string][] = [
    [double(Number.NaN), `cost_usd: ${MESSAGES.number}`],
    [double(-1), `cost_usd: ${MESSAGES.number}`],
    [double(Number.POSITIVE_INFINITY), 'cost_usd: must be at most 1000000'],
    [bytes('2004'), 'status: must be one of: success, error, timeout'],
    [bytes('20ffffffffffffffffff01'), 'status: must be one of: success, error, timeout'],
    [bytes('1800'), `event_type: ${MESSAGES.string}`],
    [bytes('588080808080808010'), `tokens_in: ${MESSAGES.integer}`],
    [bytes('8001ffffffffffffffff7f'), `client_timestamp: ${MESSAGES.timestamp}`],
    [bytes('920102c328'), `metadata: ${MESSAGES.json_text}`],
    [bytes('9201017b'), `metadata: ${MESSAGES.json_text}`],
  ];
  for (const [fields, problem] of cases)
    assert.deepEqual(problems(fields), [problem], fields.toString('hex'));
});

test('zeros, unknown fields and server fields count as absent', () => {
  const cases = [
    bytes('2000'),
    bytes('920100'),
    bytes('9201020a20'),
    bytes('c23e0178'),
    bytes('b00105'),
    double(-0),
  ];
  for (const fields of cases) assert.deepEqual(problems(fields), [], fields.toString('hex'));
  assert.deepEqual(problems(bytes('58ffffffffffffff0f')), []);
});
