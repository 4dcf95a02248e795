import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RawEvents } from '../event.ts';
import { readLine, readLines } from './ndjson.ts';

function read(body: Buffer, maxItems: number): { count: number; raw: RawEvents } {
  const raw = new RawEvents();
  const steps = readLines(body, raw, maxItems);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return { count: step.value, raw };
}

test('line numbers count empty lines, and a line that is not JSON affects no other line', () => {
  const body = Buffer.from('\r\n{}\n \t\n[1]\r\n{\n\xff\n{"a":\n1}\n{} ', 'latin1');
  const { count, raw } = read(body, 9);
  assert.equal(count, 7);
  assert.deepEqual(raw.lines, [2, 4, 5, 6, 7, 8, 9]);
  const first = Array.from({ length: count }, (_, index) => body[raw.spans[raw.at(index)]!]);
  assert.deepEqual(first, [0x7b, 0x5b, undefined, undefined, undefined, undefined, 0x7b]);
  assert.deepEqual(
    Array.from({ length: count }, (_, index) => raw.isJson(index)),
    [true, true, false, false, false, false, true],
  );
});

test('lines above the limit are counted but not kept', () => {
  const { count, raw } = read(Buffer.from('{}\n\n{}\n?\n \n{}'), 1);
  assert.deepEqual([count, raw.count], [4, 1]);
  assert.equal(read(Buffer.alloc(0), 1).count, 0);
});

test('a body with one event has exactly one line', () => {
  assert.equal(readLine(Buffer.from('\n{}\n\n'), new RawEvents()), true);
  for (const body of ['', '\n', '{}\n{}', '{}{}', '?']) {
    assert.equal(readLine(Buffer.from(body), new RawEvents()), false, body);
  }
});
