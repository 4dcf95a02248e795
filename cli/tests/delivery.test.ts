/** Tests the count of delivered, missed, doubled and refused events. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Delivery } from '../src/demo/delivery.ts';

/** Returns the delivery of events with one-letter names. */
function deliveryOf({ sent = 'abcd', streamed = 'abcd', rejected = '' }): Delivery {
  const delivery = new Delivery();
  for (const id of sent) delivery.sent(id);
  for (const id of rejected) delivery.rejected(id);
  for (const id of streamed) delivery.streamed(id);
  return delivery;
}

test('delivery is correct when each event is once in the database and once on the stream', () => {
  const delivery = deliveryOf({});
  assert.ok(delivery.isComplete);
  assert.deepEqual(delivery.judge('abcd'), {
    sent: 4,
    rejected: 0,
    stored: 4,
    streamed: 4,
    doubled: 0,
    missed: 0,
    isSound: true,
  });
});

interface Case {
  readonly streamed?: string;
  readonly rejected?: string;
  readonly rows?: string;
  readonly missed?: number;
  readonly doubled?: number;
}
const CASES: Readonly<Record<string, Case>> = {
  'a row is missing': { rows: 'abd', missed: 1 },
  'a row is there twice': { rows: 'abbcd', doubled: 1 },
  'the stream leaves one out': { streamed: 'abd', missed: 1 },
  'the stream stops early': { streamed: 'ab', missed: 2 },
  'the stream shows one twice': { streamed: 'abbcd', doubled: 1 },
  'rows and stream miss the same one': { streamed: 'acd', rows: 'acd', missed: 1 },
  'nothing came': { streamed: '', rows: '', missed: 4 },
};
for (const [name, { streamed = 'abcd', rows = 'abcd', missed = 0, doubled = 0 }] of Object.entries(CASES)) {
  test(`delivery is incorrect when ${name}`, () => {
    const verdict = deliveryOf({ streamed }).judge(rows);
    assert.deepEqual([verdict.missed, verdict.doubled, verdict.isSound], [missed, doubled, false]);
  });
}

test('an event that the stream has passed is missed until it arrives after all', () => {
  const delivery = deliveryOf({ streamed: 'ad' });
  assert.equal(delivery.counts.missed, 2);
  delivery.streamed('c');
  assert.equal(delivery.counts.missed, 1);
  delivery.streamed('b');
  assert.deepEqual([delivery.counts.missed, delivery.isComplete], [0, true]);
});

test('a refused event need not arrive, before or after the stream has passed it', () => {
  for (const streamed of ['ad', 'a', 'd', '']) {
    const delivery = deliveryOf({ streamed: 'a', rejected: 'c' });
    delivery.rejected('c');
    for (const id of streamed) if (id !== 'a') delivery.streamed(id);
    delivery.rejected('b');
    assert.equal(delivery.counts.missed, 0);
    delivery.streamed('d');
    const verdict = delivery.judge('ad');
    assert.deepEqual([verdict.rejected, verdict.missed], [2, 0]);
  }
});

test('events of other clients do not count, and a delivery without events is incorrect', () => {
  const delivery = deliveryOf({ streamed: 'xabcdxx' });
  assert.ok(delivery.judge(['x', null, 'x', ...'abcd']).isSound);
  assert.equal(new Delivery().judge('').isSound, false);
  assert.equal(deliveryOf({ sent: 'a', rejected: 'a', streamed: '' }).judge('').isSound, false);
});
