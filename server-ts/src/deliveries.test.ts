import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Deliveries } from './deliveries.ts';

const notice = (id: string) => ({ id, body: '' });

test('a failed delivery waits longer each time and delays no other', () => {
  const queue = new Deliveries();
  assert.ok(queue.push(notice('a'), 0) && queue.push(notice('b'), 0));
  const delays: number[] = [];
  let now = 0;
  let delivery = queue.take(now)!;
  assert.equal(delivery.notice.id, 'a');
  while (queue.retry(delivery, now)) {
    assert.equal(queue.take(now)?.notice.id, now === 0 ? 'b' : undefined);
    const due = queue.nextDue()!;
    delays.push((due - now) / 1000);
    now = due;
    delivery = queue.take(now)!;
  }
  assert.deepEqual(delays, [1, 2, 4, 8, 16, 32, 64, 128, 256]);
  assert.equal(queue.nextDue(), undefined);
});

test('the queue is bounded', () => {
  const queue = new Deliveries();
  for (let count = 0; count < 256; count++) assert.ok(queue.push(notice('a'), 0));
  assert.ok(!queue.push(notice('b'), 0));
  assert.ok(queue.take(0) !== undefined && queue.push(notice('b'), 0));
});
