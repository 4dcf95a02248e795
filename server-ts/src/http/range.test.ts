import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Part, parseRange, wantedPart } from './range.ts';

test('a range is clipped to the existing bytes', () => {
  const cases: [range: string, size: number, part: Part][] = [
    ['bytes=0-0', 10, { first: 0, last: 0 }],
    ['bytes=-1', 10, { first: 9, last: 9 }],
    ['bytes=5-', 10, { first: 5, last: 9 }],
    ['BYTES=2-4 ', 10, { first: 2, last: 4 }],
    ['bytes=9-99999999999999999999999', 10, { first: 9, last: 9 }],
    ['bytes=-99999999999999999999999', 10, { first: 0, last: 9 }],
    ['bytes=0007-0008', 10, { first: 7, last: 8 }],
    ['bytes=10-', 10, 'nothing'],
    ['bytes=99999999999999999999999-', 10, 'nothing'],
    ['bytes=-0', 10, 'nothing'],
    ['bytes=0-', 0, 'nothing'],
    ['bytes=-1', 0, 'nothing'],
  ];
  for (const [range, size, part] of cases) assert.deepEqual(parseRange(range, size), part, range);
});

test('any other Range value is ignored', () => {
  const others = [
    '',
    'bytes',
    'bytes=',
    'bytes=-',
    'bytes=2-1',
    'bytes=010-9',
    'bytes=0-0,2-3',
    'bytes=0-0,',
  ];
  const malformed = [
    'bytes=a-',
    'bytes=+1-2',
    'bytes= 0-1',
    'bytes=0 -1',
    'bytes =0-1',
    'bytes=0-1-2',
    'lines=0-1',
  ];
  const reversed = 'bytes=99999999999999999999999-99999999999999999999998';
  for (const range of [...others, ...malformed, reversed, '0-1']) {
    assert.equal(parseRange(range, 10), undefined, range);
  }
});

test('a range applies only to its own tag', () => {
  const part = (range: readonly string[], ifRange?: string): Part => {
    const headers = new Map([['range', range]]);
    if (ifRange !== undefined) headers.set('if-range', [ifRange]);
    return wantedPart({ headers }, '"t"', 10);
  };
  const first = { first: 0, last: 0 };
  assert.deepEqual(part(['bytes=0-0']), first);
  assert.deepEqual(part(['bytes=0-0'], '"t"'), first);
  for (const other of ['W/"t"', '"u"', 't', '', 'Wed, 25 Nov 2026 10:00:00 GMT']) {
    assert.equal(part(['bytes=0-0'], other), 'whole', other);
  }
  assert.equal(part(['bytes=0-0', 'bytes=1-1']), 'whole');
  assert.equal(wantedPart({ headers: new Map() }, '"t"', 10), 'whole');
});
