import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RawEvents } from './event.ts';

test('a table of events frees its previous memory and keeps its spans when it grows', () => {
  const raw = new RawEvents();
  const { buffer, length } = raw.spans;
  let last = 0;
  for (let item = 0; raw.spans.length === length; item++) {
    last = raw.add();
    raw.spans[last] = item + 1;
  }
  assert.ok(buffer.detached);
  for (let index = 0; index < raw.count; index++) assert.equal(raw.spans[raw.at(index)], index + 1);
  assert.equal(raw.at(raw.count - 1), last);
});
