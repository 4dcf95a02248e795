/**
 * Tests the parts of typed calls that need no server: MessagePack from JSON text, and the two ways to read values.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCalls } from './index.ts';
import { packJson } from './pack.ts';
import { METHODS, methodNamed } from './schema.ts';
import type { Work } from './work.ts';

test('every method of the schema has a service', () => {
  const names = [...METHODS.keys()];
  assert.deepEqual(names.slice(0, 5), [
    'events.ingest',
    'events.query',
    'stats.get',
    'sessions.list',
    'snapshot.get',
  ]);
  for (const [name, { service, isBench }] of METHODS) {
    const isEcho = name.startsWith('echo.');
    assert.deepEqual([service === 'echo', isBench], [isEcho, isEcho], name);
    assert.equal(methodNamed(name, false) === undefined, isEcho, name);
  }
});

test('values have their shortest form in MessagePack', () => {
  const cases: readonly [text: string, hex: string][] = [
    ['null', 'c0'],
    [' [ true , false ] ', '92c3c2'],
    ['[]', '90'],
    ['{ }', '80'],
    ['127', '7f'],
    ['128', 'cc80'],
    ['-1.0', 'ff'],
    ['-32', 'e0'],
    ['-33', 'd0df'],
    ['-32769', 'd2ffff7fff'],
    ['1e2', '64'],
    ['4294967295', 'ceffffffff'],
    ['4294967296', 'cf0000000100000000'],
    ['-0', 'cb8000000000000000'],
    ['0.5', 'cb3fe0000000000000'],
    ['9007199254740991', 'cf001fffffffffffff'],
    ['-9007199254740991', 'd3ffe0000000000001'],
    ['9007199254740992', 'cb4340000000000000'],
    ['{"b":[{}],"a":"","a":[1,[2,3],4]}', '83a1629180a161a0a161930192020304'],
    ['"\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041"', 'a9225c2f080c0a0d0941'],
    ['"\\ud83d\\ude00"', 'a4f09f9880'],
    ['"\\ud83dx"', 'a4efbfbd78'],
    ['"\\ude00\\ud83d"', 'a6efbfbdefbfbd'],
  ];
  for (const [text, hex] of cases) assert.equal(packJson(Buffer.from(text)).toString('hex'), hex, text);
});

test('a container with many elements has a longer header', () => {
  for (const [count, head] of [
    [15, '9f'],
    [16, 'dc0010'],
    [65_535, 'dcffff'],
    [65_536, 'dd00010000'],
  ] as const) {
    const packed = packJson(Buffer.from(`[${'1,'.repeat(count - 1)}1]`));
    assert.equal(packed.toString('hex'), head + '01'.repeat(count));
  }
});

/** Returns the work of a body's one call. */
function workOf(params: string, before = ''): Work {
  const text = `{${before}"jsonrpc":"2.0","method":"echo.nestedDicts","params":${params},"id":1}`;
  const { calls } = readCalls(Buffer.from(text), 'json', { hasBench: true, keepsMinusZero: false });
  return calls[0]!.work;
}

test('a value that prints as sent has the result of any other spelling', () => {
  const item = (text: string): string => {
    const nested = `{"str":"${text}","d":1e-7,"b":false}`;
    return `{"topStr":"${text}","topD":0.1,"topB":true,"nested":${nested}}`;
  };
  for (const count of [0, 1, 999, 1000, 1001, 2500]) {
    for (const text of ['', 'x', 'é😀']) {
      const value = `[${Array.from({ length: count }, () => item(text)).join(',')}]`;
      const sent = workOf(`[${value}]`);
      const spaced = workOf(`[ ${value.replaceAll(',', ', ')}]`);
      for (const work of [sent, spaced, workOf(`[${value}]`, '"é":"😀",')]) {
        assert.ok(work.kind === 'echo');
        assert.equal(Buffer.from(work.result).toString(), value);
      }
    }
  }
});

test('bytes after a value that prints as sent are checked', () => {
  const deep = `${'['.repeat(200)}${']'.repeat(200)}`;
  const text = `{"jsonrpc":"2.0","method":"echo.longs","params":[${deep}],"params":[[1]],"id":1}`;
  const { calls } = readCalls(Buffer.from(text), 'json', { hasBench: true, keepsMinusZero: false });
  assert.deepEqual(calls[0]!.work, { kind: 'refused', refusal: { error: 'parse_error' } });
});

/** Returns the answer to a value of nested dicts, or its problem. */
function answered(params: string): string {
  const work = workOf(params);
  assert.ok(work.kind === 'echo' || work.kind === 'refused');
  if (work.kind === 'refused') return JSON.stringify(work.refusal);
  return Buffer.from(work.result).toString();
}

test('a long spelling of a value has the answer of a short one', () => {
  // The white space makes the arguments long enough for an extract.
  const pad = ' '.repeat(1 << 17);
  const good = '{"topStr":"a","topD":-0,"topB":true,"nested":{"str":"\\u0062","d":1e2,"b":false}}';
  const items = [
    good,
    good.replace('"topD":-0', '"x":[{},[[]]],"topD":[{}],"top\\u0044":7'),
    good.replace('"topD":-0', '"topD":7,"topD":[{}]'),
    good.replace('"topB":true,', ''),
    good.replace('"\\u0062"', '"\\ud800"'),
    good.replace('"d":1e2', '"d":1e999'),
    good.replace('{"str"', '[{"str"').replace('false}', 'false}]'),
    '{}',
    '[]',
    'null',
    '"text"',
  ];
  const values = [...items.map((item) => `[${item}]`), ...items.map((item) => `[${good},${item}]`), ...items];
  for (const value of [...values, '[]', '[[]]']) {
    for (const params of [`[${value}]`, `[${value},{}]`, `[${value},{},[]]`, '[]']) {
      assert.equal(answered(`[${pad}${params.slice(1)}`), answered(params), params);
    }
  }
});

test('a long text that is not JSON is refused at any position of the fault', () => {
  const pad = ' '.repeat(1 << 17);
  for (const fault of [
    '{"x":[1,]}',
    '{"x":01}',
    '[[],',
    '{"x":"\\q"}',
    `${'['.repeat(200)}${']'.repeat(200)}`,
  ]) {
    assert.match(answered(`[${pad}[${fault}]]`), /parse_error/, fault);
  }
});
