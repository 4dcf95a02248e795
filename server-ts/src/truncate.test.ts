import assert from 'node:assert/strict';
import { test } from 'node:test';
import { truncateMetadata } from './truncate.ts';

function truncate(text: string, limit: number): string | undefined {
  const bytes = Buffer.from(text);
  return truncateMetadata(bytes, 0, bytes.length, limit);
}

test('keeps the keys that fit in the order of the contract', () => {
  const big = 'x'.repeat(300);
  const text = `{"type":"t","other":"${big}","query":"${big}","error": {"a":1},"\\u0065rror":2.50}`;
  const expected = `{"_truncated":true,"_original_bytes":${text.length},"error":2.50,"type":"t"}`;
  assert.equal(truncate(text, 256), expected);
});

test('fits to the last byte, in bytes', () => {
  for (const letter of ['p', 'é', '😀']) {
    const bytes = Buffer.byteLength(letter);
    for (let count = 1; count * bytes < 250; count++) {
      const text = JSON.stringify({ path: letter.repeat(count), z: 'z'.repeat(300) });
      const summary = truncate(text, 256)!;
      const markers = `{"_truncated":true,"_original_bytes":${Buffer.byteLength(text)}`;
      const whole = `${markers},"path":${JSON.stringify(letter.repeat(count))}}`;
      assert.equal(summary, Buffer.byteLength(whole) <= 256 ? whole : `${markers}}`);
    }
  }
});

test('of a key given twice the last counts, even when it does not fit', () => {
  const text = JSON.stringify({ path: 'a', query: 'q' }).replace(
    '"query"',
    `"path":"${'b'.repeat(300)}","query"`,
  );
  assert.equal(truncate(text, 256), `{"_truncated":true,"_original_bytes":${text.length},"query":"q"}`);
});

test('anything but an object becomes the markers', () => {
  const text = JSON.stringify(['é'.repeat(200)]);
  assert.equal(truncate(text, 256), '{"_truncated":true,"_original_bytes":404}');
  assert.equal(truncate('[1]', 256), undefined);
});
