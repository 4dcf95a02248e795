import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { test } from 'node:test';
import { isUtf8Range } from './utf8.ts';

/** Bytes at the edges of the ranges of RFC 3629. */
const EDGES = [
  0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef,
];
const LEADS = [...EDGES, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xf8, 0xff];

test('short texts get the result of the native check', () => {
  for (const first of LEADS) {
    for (const second of EDGES) {
      for (const third of EDGES) {
        for (const fourth of EDGES) {
          const bytes = Buffer.of(0x61, first, second, third, fourth, 0x62);
          for (let end = 1; end <= bytes.length; end++) {
            const expected = isUtf8(bytes.subarray(0, end));
            assert.equal(isUtf8Range(bytes, 0, end), expected, bytes.toString('hex', 0, end));
          }
        }
      }
    }
  }
});

test('long texts are checked too', () => {
  const bytes = Buffer.from('ä'.repeat(100));
  assert.equal(isUtf8Range(bytes, 0, 200), true);
  assert.equal(isUtf8Range(bytes, 0, 199), false);
});
