import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Packr } from 'msgpackr/pack';
import { Buffers } from '../buffers.ts';
import { VOCABULARY } from '../contract.ts';
import type { Failure } from '../error.ts';
import { RawEvents } from '../event.ts';
import { FIELD, type FieldName } from '../field.ts';
import type { Places } from './batch.ts';
import type { Fault } from './fault.ts';
import { readMsgpackBatch, readMsgpackEvent } from './msgpack.ts';
import { checkBatch, checkEvent } from './msgpack-check.ts';

const packr = new Packr({ useRecords: false, variableMapSize: true });
const buffers = new Buffers();
const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex');

function faultOf(check: () => void): string | undefined {
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

/** Returns the tokens of the fields of one event. */
function tokensOf(packed: Buffer, ...names: FieldName[]): string[] {
  const raw = new RawEvents();
  const body = readMsgpackEvent(packed, raw, buffers);
  return names.map((name) =>
    body.toString('utf8', raw.spans[FIELD[name].span], raw.spans[FIELD[name].span + 1]),
  );
}

test('the check names the first broken rule', () => {
  const cases: [hex: string, fault: Fault][] = [
    ['', 'truncated'],
    ['9201', 'truncated'],
    ['0102', 'trailing'],
    ['c1', 'reserved'],
    ['c403010203', 'binary'],
    ['c4', 'binary'],
    ['c70105aa', 'extension'],
    ['d6ff00000000', 'extension'],
    ['a2c328', 'utf8'],
    ['81c32801', 'key'],
    ['810102', 'key'],
    ['81c001', 'key'],
    ['81c101', 'key'],
    ['8191', 'truncated'],
    ['819101', 'key'],
    ['cb7ff8000000000000', 'finite'],
    ['cbfff0000000000000', 'finite'],
    ['ca7f800000', 'finite'],
    ['ca7f', 'truncated'],
    ['dbffffffff61', 'truncated'],
    ['c6ffffffff61', 'binary'],
    ['ddffffffff01', 'truncated'],
    ['dfffffffffa16101', 'truncated'],
    ['81a161', 'truncated'],
    ['dd01ffffffdd01ffffffdd01ffffffdd01ffffff', 'truncated'],
  ];
  for (const [hex, fault] of cases) {
    assert.equal(
      faultOf(() => checkEvent(bytes(hex))),
      VOCABULARY.format_messages[fault],
      hex,
    );
  }
  for (const hex of [
    'c0',
    '80',
    '90',
    '82a16101a16102',
    '92c3c2',
    'cb8000000000000000',
    'cfffffffffffffffff',
  ]) {
    assert.equal(
      faultOf(() => checkEvent(bytes(hex))),
      undefined,
      hex,
    );
  }
});

test('a body nests 128 deep and no deeper', () => {
  const nested = (marker: string, depth: number): Buffer => bytes(`${marker.repeat(depth)}c0`);
  for (const marker of ['91', '81a161', 'dc0001']) {
    assert.equal(
      faultOf(() => checkEvent(nested(marker, 128))),
      undefined,
      marker,
    );
    assert.equal(
      faultOf(() => checkEvent(nested(marker, 129))),
      VOCABULARY.format_messages.depth,
      marker,
    );
  }
  for (const last of ['dc', '90', '80']) {
    const body = bytes(`${'91'.repeat(128)}${last}`);
    assert.equal(
      faultOf(() => checkEvent(body)),
      VOCABULARY.format_messages.depth,
      last,
    );
  }
});

test('events above the limit are counted and not kept, and of a key given twice the last counts', () => {
  const places = run(checkBatch(bytes('82a66576656e7473c0a66576656e7473938001c0'), 2));
  assert.deepEqual(places, { events: [17, 18, 18, 19], count: 3 });
  for (const hex of [
    'c0',
    '80',
    '90',
    '81a66576656e747380',
    '82a66576656e747390a66576656e747301',
    '81a77865' + '76656e747390',
  ]) {
    assert.equal(run(checkBatch(bytes(hex), 2)), undefined, hex);
  }
});

test('the check stops between slices within values, names and events', () => {
  const count = 1 << 21;
  const zeros = Buffer.alloc(count);
  const names = Buffer.alloc(count, bytes('a000'));
  const noEvents = bytes('a66576656e747390');
  const events = bytes('81a66576656e7473dd00200000');
  const cases: [what: string, body: Buffer, places: Places][] = [
    [
      'one value of another key',
      Buffer.concat([bytes('82a178dd00200000'), zeros, noEvents]),
      { events: [], count: 0 },
    ],
    ['names', Buffer.concat([bytes('df00100001'), names, noEvents]), { events: [], count: 0 }],
    ['events', Buffer.concat([events, zeros]), { events: [13, 14], count }],
  ];
  for (const [what, body, places] of cases) {
    const check = checkBatch(body, 1);
    let slices = 0;
    let step = check.next();
    for (; !step.done; step = check.next()) slices++;
    assert.ok(slices === 15 || slices === 16, `${what}: ${slices} slices`);
    assert.deepEqual(step.value, places, what);
  }
});

test('values become tokens', () => {
  const event = {
    session_id: 'a"\n',
    agent_type: 'a\\b',
    branch: 'nul\0',
    tokens_in: 7,
    tokens_out: 2n ** 64n - 1n,
    cost_usd: 0.5,
    project: [1, { a: 2 }],
    model: 'm'.repeat(100),
    metadata: ' {"b" : 1}\n',
  };
  const names: FieldName[] = [
    'session_id',
    'agent_type',
    'branch',
    'tokens_in',
    'tokens_out',
    'cost_usd',
    'project',
    'model',
    'metadata',
  ];
  assert.deepEqual(tokensOf(packr.pack(event), ...names), [
    '"a"\n"',
    '"a\\\\b"',
    '"nul\\u0000"',
    '7',
    '18446744073709551615',
    '0.5',
    '[',
    `"${'m'.repeat(100)}"`,
    '{"b" : 1}',
  ]);
});

test('metadata that is no string becomes canonical', () => {
  const metadata = new Map<string, unknown>([
    ['b', [1, -1, 1.5, true, null, 2n ** 63n]],
    ['a\u{1f600}', '\u0001"'],
    ['a\uffff', new Map()],
    ['__proto__', 1],
    ['1', 2],
  ]);
  const packed = packr.pack(new Map([['metadata', metadata]]));
  const expected = `{"1":2,"__proto__":1,"a\u{1f600}":"\\u0001\\"","a\uffff":{},"b":[1,-1,1.5,true,null,9223372036854775808]}`;
  assert.deepEqual(tokensOf(packed, 'metadata'), [expected]);
  const twice = Buffer.concat([bytes('81a8'), Buffer.from('metadata'), bytes('83a16202a16101a16203')]);
  assert.deepEqual(tokensOf(twice, 'metadata'), ['{"a":1,"b":3}']);
});

test('names are ordered by UTF-16 code units, and of equal ones the last stays', () => {
  const names = [
    '',
    'a',
    'ab',
    'b',
    'é',
    '\u07ff',
    '\u0800',
    '\ud7ff',
    '\ue000',
    '\uffff',
    '\u{10000}',
    '\u{10ffff}',
    'aa',
    'z"\\\n',
  ];
  // A fixed order that is not theirs.
  const shuffled = [...names, ...names].sort(
    (one, other) =>
      ((one.length * 7 + one.charCodeAt(0)) % 5) - ((other.length * 7 + other.charCodeAt(0)) % 5),
  );
  const last = new Map(shuffled.map((name, at) => [name, at]));
  const members = shuffled.map((name, at) => Buffer.concat([packr.pack(name), packr.pack(at)]));
  const head = Buffer.from([0x81, 0xa8, ...Buffer.from('metadata'), 0xde, 0, shuffled.length]);
  const expected = `{${[...last.keys()]
    .sort()
    .map((name) => `${JSON.stringify(name)}:${last.get(name)}`)
    .join(',')}}`;
  assert.deepEqual(tokensOf(Buffer.concat([head, ...members]), 'metadata'), [expected]);
});

test('control characters grow a text sixfold', () => {
  const metadata = { a: '\u0001'.repeat(5000), b: ['\b\f\n\r\t"\\\u007f\u2028', '\ufeff'] };
  assert.deepEqual(tokensOf(packr.pack({ metadata }), 'metadata'), [JSON.stringify(metadata)]);
});

test('numbers of every width are printed the ECMAScript way', () => {
  const hex =
    'dc0010' +
    '7f' +
    'ff' +
    'ccff' +
    'cdffff' +
    'ceffffffff' +
    'cfffffffffffffffff' +
    'd080' +
    'd18000' +
    'd280000000' +
    'd38000000000000000' +
    'ca3dcccccd' +
    'cb3fb999999999999a' +
    'cb8000000000000000' +
    'cb444b1ae4d6e2ef50' +
    'c3' +
    'c0';
  const packed = Buffer.concat([bytes('81a8'), Buffer.from('metadata'), bytes(hex)]);
  const expected =
    '[127,-1,255,65535,4294967295,18446744073709551615,-128,-32768,-2147483648,-9223372036854775808,0.10000000149011612,0.1,0,1e+21,true,null]';
  assert.deepEqual(tokensOf(packed, 'metadata'), [expected]);
});

test('a byte order mark stays at the beginning of texts of every length', () => {
  for (const length of [0, 28, 58, 59, 60, 61, 62, 63, 300, 70_000]) {
    const text = `\ufeff${'x'.repeat(length)}`;
    const packed = packr.pack({ metadata: { a: text, b: [text], [text]: 1 } });
    assert.deepEqual(
      tokensOf(packed, 'metadata'),
      [`{"a":"${text}","b":["${text}"],"${text}":1}`],
      String(length),
    );
    const raw = new RawEvents();
    const batch = run(
      readMsgpackBatch(packr.pack({ events: [{ branch: text }, { branch: 'x' }] }), raw, 2, buffers),
    );
    const at = raw.at(1) + FIELD.branch.span;
    assert.equal(batch.body.toString('utf8', raw.spans[at], raw.spans[at + 1]), '"x"');
  }
});

test('a value that is no map is no event', () => {
  const raw = new RawEvents();
  const { body, count } = run(
    readMsgpackBatch(packr.pack({ events: [[], 1, 'x', null, {}] }), raw, 5, buffers),
  );
  const first = Array.from({ length: count }, (_, index) => body[raw.spans[raw.at(index)]!]);
  assert.deepEqual(first, [0x5b, 0x5b, 0x5b, 0x5b, 0x7b]);
});
