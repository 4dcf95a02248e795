import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultLine } from './json-fault.ts';

test('the line is that of the first wrong token', () => {
  for (const [text, line] of [
    ['', 1],
    ['{', 1],
    ['\n{\n', 3],
    ['{}\nx', 2],
    ['{}\n,', 2],
    ['\ufeff{}', 1],
    ['{\n"a": 1\n"b": 2}', 3],
    ['{"a": 1,\n}', 2],
    ['{"a"\n1}', 2],
    ['{\n\n"a": NaN}', 3],
    ['{\n"a": 01}', 2],
    ['{"a": [1,\n2,\n]}', 3],
    ['{"a": [1\n}', 2],
    ['{\n"a": "b\n', 2],
    ['{\n1: 2}', 2],
  ] as const) {
    assert.equal(faultLine(text), line, text);
  }
});
