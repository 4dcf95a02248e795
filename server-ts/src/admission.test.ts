import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Admission, type Ticket } from './admission.ts';
import { LIMITS } from './contract.ts';

const ASSUMED = LIMITS.assumed_event_bytes;

/** Returns how many events the room admits without a wait. */
function freeEvents(admission: Admission): number {
  return admission.freeEvents.available;
}

test('a dropped ticket gives its room back', async () => {
  const admission = new Admission(10, 1000);
  const ticket = admission.ticket();
  await ticket.holdUnread(600, 5);
  assert.deepEqual([freeEvents(admission), admission.freeBytes.available, admission.events], [5, 400, 0]);
  await ticket.holdBytes(900);
  await ticket.holdEvents(7);
  assert.deepEqual([freeEvents(admission), admission.freeBytes.available, admission.events], [3, 100, 7]);
  await ticket.holdBytes(100);
  assert.equal(admission.freeBytes.available, 900);
  ticket.release();
  assert.deepEqual([freeEvents(admission), admission.freeBytes.available, admission.events], [10, 1000, 0]);
});

test('an unread body counts as many events as recent batches of its size', async () => {
  const admission = new Admission(1000, 1_000_000);
  const estimate = async (declared: number | undefined, events: number): Promise<number> => {
    const ticket = admission.ticket();
    await ticket.holdUnread(declared, 500);
    const held = 1000 - freeEvents(admission);
    ticket.noteBatch(events);
    ticket.release();
    return held;
  };
  assert.equal(await estimate(ASSUMED * 10, 0), 10);
  assert.equal(await estimate(ASSUMED * 10, 20), 10);
  assert.equal(await estimate(ASSUMED * 10, 1), 20, 'a denser batch counts at once');
  const sparse = await estimate(ASSUMED * 10, 0);
  assert.ok(sparse > 1 && sparse < 20, `a sparser batch counts by and by, ${sparse}`);
  assert.equal(await estimate(999_999, 0), 500, 'a batch has no more');
  assert.equal(await estimate(undefined, 0), 1);
});

test('a small request does not pass a large one before it', async () => {
  const admission = new Admission(10, 1000);
  const first = admission.ticket();
  await first.holdEvents(10);
  const served: string[] = [];
  const waiter = async (name: string, events: number): Promise<void> => {
    await admission.ticket().holdUnread(events * ASSUMED, 10);
    served.push(name);
  };
  const waiters = [waiter('large', 8), waiter('small', 1)];
  await first.holdEvents(5);
  assert.deepEqual(served, [], 'a request does not pass one before it');
  first.release();
  await Promise.all(waiters);
  assert.deepEqual(served, ['large', 'small']);
});

test('standard input is next to the line', async () => {
  const admission = new Admission(10, 1000);
  const all = admission.ticket();
  await all.holdEvents(10);
  const served: string[] = [];
  const waiter = async (ticket: Ticket, name: string): Promise<void> => {
    await ticket.holdUnread(1, 10);
    served.push(name);
  };
  const requests = [waiter(admission.ticket(), 'front'), waiter(admission.ticket(), 'behind')];
  await setImmediate();
  const waiters = [...requests, waiter(admission.unboundedTicket(), 'input')];
  await setImmediate();
  all.release();
  await Promise.all(waiters);
  assert.deepEqual(served, ['front', 'input', 'behind']);
});

test('requests with too low estimates do not block each other', async () => {
  const admission = new Admission(10, 1000);
  const tickets: [Ticket, Ticket] = [admission.ticket(), admission.ticket()];
  for (const ticket of tickets) await ticket.holdUnread(5 * ASSUMED, 10);
  const [one, other] = tickets;
  const stored = one.holdEvents(6).then(() => one.release());
  await other.holdEvents(6);
  await stored;
});

test('a growing body releases its room when its client disconnects', async () => {
  const admission = new Admission(10, 1000);
  const [first, growing] = [admission.ticket(), admission.ticket()];
  await first.holdBytes(900);
  await growing.holdBytes(100);
  const grown = growing.holdBytes(500);
  growing.release();
  first.release();
  await grown;
  assert.equal(admission.freeBytes.available, 1000);
});
