import assert from 'node:assert/strict';
import { test } from 'node:test';
import { INVALID, skipValue } from '../scanner.ts';
import { children, skipInSlices } from './json-scan.ts';

function skip(text: string, depth: number, levels: number): { end: number; pauses: number } {
  const walk = skipInSlices(Buffer.from(text), 0, depth, levels);
  let pauses = 0;
  let step = walk.next();
  for (; !step.done; step = walk.next()) pauses++;
  return { end: step.value, pauses };
}

test('a scan in slices finds the same end as a whole scan', () => {
  const texts = [
    '{}',
    '[]',
    ' ',
    '{"a":1,"b":[{"c":[]},"d",null]}',
    '[1 , {"a" : [ 2 ]}\n]',
    '{"a":1,}',
    '{"a" 1}',
    '{a:1}',
    '[1,]',
    '[1 2]',
    '{"a":[1}',
    '[[[[]]]]',
    '"a"',
    '{"a":"b',
  ];
  for (const text of texts) {
    for (const depth of [0, 2, 3, 128]) {
      const expected = skipValue(Buffer.from(text), 0, depth);
      for (const levels of [0, 1, 2, 6]) assert.equal(skip(text, depth, levels).end, expected, text);
    }
  }
  assert.equal(skip('[', 128, 6).end, INVALID);
});

test('a long list is scanned in slices, and its items come one by one', () => {
  const item = `"${'x'.repeat(1 << 17)}"`;
  const text = `{"a":[${Array.from({ length: 9 }, () => item).join(',')}]}`;
  assert.deepEqual(skip(text, 128, 6), { end: text.length, pauses: 3 });
  assert.equal(skip(text, 128, 1).pauses, 1);
  const bytes = Buffer.from('[1,[2],{"a":3}]');
  const found = [...children(bytes, 0, 128, 1)].map((child) =>
    bytes.toString('utf8', child?.start, child?.end),
  );
  assert.deepEqual(found, ['1', '[2]', '{"a":3}']);
});
