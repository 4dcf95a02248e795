/** Tests that matching is strict: each of these differences must be detected. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HEADER_SETS, matchHeaders, matchJson, matchText } from '../src/match.ts';
import { WILDCARDS } from '../src/wildcards.ts';

const DATE = 'Sat, 21 Nov 2026 01:41:29 GMT';
const BODY = { length: 15, absent: false };

test('only equal values match', () => {
  const value = { a: [1, 'x', null, { b: true }] };
  assert.deepEqual(matchJson(value, structuredClone(value)), []);
  const others: unknown[] = [
    { a: [1, 'x', null, { b: false }] },
    { a: [1, 'x', null] },
    { a: [1, 'x', null, { b: true }], c: 1 },
    { a: ['1', 'x', null, { b: true }] },
    { a: [1, 'x', undefined, { b: true }] },
    [],
    null,
  ];
  for (const other of others) assert.equal(matchJson(value, other).length, 1, JSON.stringify(other));
  assert.deepEqual(matchJson(0, -0).length, 1);
});

test('the order of keys counts', () => {
  const [difference] = matchJson({ a: 1, b: 2 }, { b: 2, a: 1 });
  assert.deepEqual(difference, { where: 'body keys', expected: 'a b', got: 'b a' });
});

test('a difference names its place', () => {
  const [difference] = matchJson({ events: [{ id: 1 }] }, { events: [{ id: 2 }] });
  assert.deepEqual(difference, { where: 'body/events/0/id', expected: '1', got: '2' });
});

test('wildcards check type and form', () => {
  const samples: Readonly<Record<string, readonly [good: unknown, bad: readonly unknown[]]>> = {
    '<any-id>': [7, [0, -1, 1.5, '7', null]],
    '<any-integer>': [0, [-1, 0.5, '0']],
    '<any-pid>': [4711, [0, '1']],
    '<any-timestamp>': ['2026-02-18T18:06:41.231Z', ['2026-02-18T18:06:41Z', '2026-02-18 18:06:41.231Z', 1]],
    '<any-milliseconds>': [1_771_438_001_231, [1_771_438_001, '1771438001231', -1_771_438_001_231]],
    '<any-day>': ['2026-02-18', ['2026-2-18', '2026-02-18T00:00:00.000Z', 20260218]],
    '<any-hour>': ['2026-02-18T18:00:00.000Z', ['2026-02-18T18:06:00.000Z']],
    '<any-quarter>': ['2026-02-18T18:45:00.000Z', ['2026-02-18T18:06:00.000Z', '2026-02-18T18:45:01.000Z']],
    '<any-place>': ['1771438001231.7', ['1771438001231', '1771438001231.0', '1771438001231.07', 1.5]],
    '<any-uuid>': ['0b0e0b7e-98a5-4e3c-9c5e-2f5f5a4b3c2d', ['0B0E0B7E-98A5-4E3C-9C5E-2F5F5A4B3C2D', 'x']],
    '<any-epoch>': ['0b0e0b7e-98a5-4e3c-9c5e-2f5f5a4b3c2d', ['']],
    '<any-revision>': ['18446744073709551615', ['', '-1', '01', '1.0', '+1', '20000000000000000000', 1]],
    '<any-version>': ['3.54.1', ['3.54', 'v3.54.1', 3]],
    '<any-options>': [
      ['COMPILER=gcc-12.2.0', 'ENABLE_FTS5', 'THREADSAFE=2'],
      [[], ['ENABLE_FTS5'], ['THREADSAFE=2', 1], ['THREADSAFE=2', 'x'], 'THREADSAFE=2', null],
    ],
    '<any-runtime>': ['node', ['deno', '']],
    '<any-date>': [DATE, ['2026-11-21', 'Sat, 21 Nov 2026 01:41:29 UTC']],
    '<any-cookie>': [`1790604800.${'0a'.repeat(32)}`, ['1790604800', `1790604800.${'0A'.repeat(32)}`, '']],
    '<any-duration>': ['12.345', ['12', '.345', '12.3456', '']],
    '<any-length>': ['15', ['-1', '015', '']],
  };
  assert.deepEqual(Object.keys(samples), Object.keys(WILDCARDS), 'every wildcard is tested');
  for (const [name, [good, bad]] of Object.entries(samples)) {
    assert.deepEqual(matchJson(name, good), [], name);
    for (const value of bad)
      assert.equal(matchJson(name, value).length, 1, `${name} ${JSON.stringify(value)}`);
  }
});

test('an unknown wildcard is an error, not a text', () => {
  assert.throws(() => matchJson('<any-thing>', 'x'), /is no wildcard/);
  assert.throws(() => matchText('a <any-thing>', 'a x'), /is no wildcard/);
});

test('wildcards work inside exact text', () => {
  assert.deepEqual(matchText('{"ids":[<any-id>],"a":"."}', '{"ids":[12],"a":"."}'), []);
  assert.equal(matchText('{"ids":[<any-id>],"a":"."}', '{"ids":[12],"a":"x"}').length, 1);
  assert.equal(matchText('{"ids":[<any-id>]}', '{"ids":[0]}').length, 1);
  assert.equal(matchText('abc', 'abc\n').length, 1);
});

test('headers are compared as a whole set, with case-insensitive names', () => {
  const good = [
    ['Content-Type', 'application/json; charset=utf-8'],
    ['content-length', '15'],
    ['Date', DATE],
  ] as const;
  const set = HEADER_SETS.json!;
  assert.deepEqual(matchHeaders(set, good, BODY), []);
  assert.equal(matchHeaders(set, [...good, ['etag', 'x']], BODY)[0]?.where, 'header etag');
  assert.equal(matchHeaders(set, [...good, ['date', DATE]], BODY)[0]?.where, 'header date');
  assert.equal(matchHeaders(set, good.slice(0, 2), BODY)[0]?.got, '(absent)');
  assert.equal(
    matchHeaders(set, good, { length: 14, absent: false }).length,
    1,
    'the length must be that of the body',
  );
  assert.deepEqual(matchHeaders(set, good, { length: 0, absent: true }), []);
});
