import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeString, percentDecode, trimText } from './text.ts';

function decode(inner: string): string | undefined {
  const bytes = Buffer.from(`"${inner}"`);
  return decodeString(bytes, 1, bytes.length - 1);
}

test('trimming removes ECMAScript white space', () => {
  assert.equal(trimText('\uFEFF\u00A0\u2028 a b \t\n\u3000'), 'a b');
  assert.equal(trimText('\u0085a\u180E'), '\u0085a\u180E');
});

test('decoding detects lone surrogates and NUL', () => {
  assert.equal(decode('a\\u0041\\/'), 'aA/');
  assert.equal(decode('\\ud83d\\ude00'), '😀');
  for (const inner of ['\\ud800', '\\udc00x', '\\ud800\\ud800', '\\u0000']) {
    assert.equal(decode(inner), undefined, inner);
  }
});

test('percent-encoding is resolved once', () => {
  assert.equal(percentDecode('a%2Fb+c', true), 'a/b c');
  assert.equal(percentDecode('a+%252F', false), 'a+%2F');
  for (const bad of ['%', '%2', '%zz', '%ff', '%c0%80', '%ed%a0%80']) {
    assert.equal(percentDecode(bad, true), undefined, bad);
  }
});
