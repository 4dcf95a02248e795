import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Keys } from './json.ts';
import { originalBytes, truncateMetadata, truncatePayload, truncateRecord } from './truncate.ts';

function truncate(text: string, limit: number): string | undefined {
  const bytes = Buffer.from(text);
  return truncateMetadata(bytes, 0, bytes.length, limit);
}

test('a summary keeps the keys that fit in the order of the contract', () => {
  const big = 'x'.repeat(300);
  const text = `{"type":"t","other":"${big}","query":"${big}","error": {"a":1},"\\u0065rror":2.50}`;
  const expected = `{"_truncated":true,"_original_bytes":${text.length},"error":2.50,"type":"t"}`;
  assert.equal(truncate(text, 256), expected);
});

test('a summary may fill its limit to the last byte, counted in UTF-8', () => {
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

test('of equal keys the last counts, even when it does not fit', () => {
  const text = JSON.stringify({ path: 'a', query: 'q' }).replace(
    '"query"',
    `"path":"${'b'.repeat(300)}","query"`,
  );
  assert.equal(truncate(text, 256), `{"_truncated":true,"_original_bytes":${text.length},"query":"q"}`);
});

test('truncated metadata that is not an object keeps no values', () => {
  const text = JSON.stringify(['é'.repeat(200)]);
  assert.equal(truncate(text, 256), '{"_truncated":true,"_original_bytes":404}');
  assert.equal(truncate('[1]', 256), undefined);
});

test('a record loses no member to a long one', () => {
  const long = 'y'.repeat(300);
  const text = `{"a":1,"long":"${long}","b":{"c":[2 ]},"error":"e","other":"${long}"}`;
  const cutAt = (y: string) =>
    `{"_truncated":true,"_original_bytes":${text.length},"error":"e","a":1,"b":{"c":[2 ]},"long":"${y}…"}`;
  const bytes = Buffer.from(text);
  const expected = cutAt('y'.repeat(256 - Buffer.byteLength(cutAt(''))));
  assert.equal(truncateRecord(bytes, 0, bytes.length, 256), expected);
  assert.equal(truncateRecord(bytes, 0, bytes.length, bytes.length), undefined);
});

test('a summary names the size of its text as a plain integer', () => {
  for (const [rest, expected] of [
    ['7}', 7],
    ['0,"a":1}', 0],
    ['9007199254740991}', Number.MAX_SAFE_INTEGER],
    ['9007199254740992}', null],
    ['99999999999999999999999}', null],
    ['07}', null],
    ['7 }', null],
    ['7.0}', null],
    ['7e1}', null],
    ['-7}', null],
    ['"7"}', null],
    ['null}', null],
  ] as const)
    assert.equal(originalBytes(`{"_truncated":true,"_original_bytes":${rest}`), expected, rest);
  assert.equal(originalBytes('{}'), null);
});

function payload(text: string, limit: number): string | undefined {
  const bytes = Buffer.from(text);
  return truncatePayload(bytes, 0, bytes.length, limit, new Keys(['name', 'id']));
}

test('a truncated payload has its summary keys first, then other keys, and cuts values that do not fit', () => {
  const long = 'y'.repeat(300);
  const text = `{"a":1,"id":2,"input":{"o":{"x":"${long}"},"p":"/q","c":"${long}"},"name":"n"}`;
  const cutAt = (c: string) =>
    `{"_truncated":true,"_original_bytes":${text.length},"name":"n","id":2,"a":1,"input":{"p":"/q","c":"${c}…"}}`;
  assert.equal(payload(text, 120), cutAt('y'.repeat(120 - Buffer.byteLength(cutAt('')))));
  assert.equal(payload(text, text.length), undefined);
  // Of equal keys the last counts among `keys`; all others are kept as often as they occur.
  const twice = `{"\\u0069d":1,"a":1,"id":2,"\\u0061":[2 ],"z":[${'0,'.repeat(60)}0]}`;
  const kept = `{"_truncated":true,"_original_bytes":${twice.length},"id":2,"a":1,"\\u0061":[2 ]}`;
  assert.equal(payload(twice, 100), kept);
});

test('a cut splits no character and leaves no empty value', () => {
  const units = ['x', 'é', '€', '😀', '\\n', '\\u00e9', '\\uD83D\\uDE00', '\\ud800', '\\udc00'];
  const markers = (text: string) => `{"_truncated":true,"_original_bytes":${Buffer.byteLength(text)}`;
  for (const unit of units) {
    const text = `{"c":"${unit.repeat(200)}"}`;
    const before = `${markers(text)},"c":`.length;
    for (let limit = before; limit < before + 40; limit++) {
      const count = Math.max(0, Math.floor((limit - before - 6) / Buffer.byteLength(unit)));
      const expected = count > 0 ? `${markers(text)},"c":"${unit.repeat(count)}…"}` : `${markers(text)}}`;
      assert.equal(payload(text, limit), expected, `${unit} in ${limit}`);
    }
  }
  const lone = `{"c":"\\ud800\\ud83d\\ude00${'x'.repeat(100)}"}`;
  const before = `${markers(lone)},"c":`.length;
  assert.equal(payload(lone, before + 1 + 18), `${markers(lone)},"c":"\\ud800…"}`);
});
