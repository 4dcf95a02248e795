/**
 * Tests the count of events since the dashboard was opened: a hole is detected and filled, and nothing counts twice.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Received } from '../src/received.ts';

const rows = (from: number, to: number) =>
  Array.from({ length: from - to + 1 }, (_, i) => ({ id: from - i }));

test('earlier events do not count, and repeated ones count once', () => {
  const received = new Received(7);
  received.take(rows(7, 1));
  assert.equal(received.receipt, null);
  received.take(rows(9, 8));
  received.take(rows(10, 6));
  received.take([]);
  assert.deepEqual(received.receipt, { count: 3, missing: 0, first: 8, last: 10 });
});

test('a skipped id is missing until it arrives', () => {
  const received = new Received(0);
  received.take([{ id: 4 }, { id: 3 }, { id: 1 }]);
  assert.deepEqual(received.receipt, { count: 3, missing: 1, first: 1, last: 4 });
  received.take([{ id: 2 }]);
  received.take([{ id: 2 }]);
  assert.deepEqual(received.receipt, { count: 4, missing: 0, first: 1, last: 4 });
});

test('the first event after the opening may be missing', () => {
  const received = new Received(5);
  received.take(rows(9, 7));
  assert.deepEqual(received.receipt, { count: 3, missing: 1, first: 6, last: 9 });
});

test('a hole is filled piece by piece, from both ends and from its middle', () => {
  const received = new Received(0);
  received.take(rows(20, 20));
  for (const [from, to, missing] of [
    [19, 15, 14],
    [3, 1, 11],
    [9, 9, 10],
    [14, 4, 0],
    [20, 1, 0],
  ] as const) {
    received.take(rows(from, to));
    assert.deepEqual(received.receipt, { count: 20 - missing, missing, first: 1, last: 20 });
  }
});

test('holes are bounded; ids of a dropped hole stay missing', () => {
  const received = new Received(0);
  for (let id = 2; id <= 400; id += 2) received.take([{ id }]);
  received.take(rows(400, 1));
  assert.deepEqual(received.receipt, { count: 300, missing: 100, first: 1, last: 400 });
});
