import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Admission, type Ticket } from './admission.ts';
import { LIMITS, TUNING } from './contract.ts';

const ASSUMED = TUNING.assumed_event_bytes;

/** Returns how many events and bytes are free. */
function free({ freeEvents, bodies }: Admission): [number, number] {
  return [freeEvents.available, bodies.available];
}

function admissionOf(maxEvents: number, maxBytes: number): Admission {
  return new Admission(maxEvents, maxBytes, 0);
}

test('a dropped ticket gives its room back', async () => {
  const admission = admissionOf(10, 1000);
  const ticket = admission.ticket();
  await ticket.startBody(600);
  assert.deepEqual([...free(admission), admission.events], [10, 1000, 0], 'nothing has arrived');
  await ticket.holdBytes(900);
  await ticket.endBody(900, 5);
  assert.deepEqual([...free(admission), admission.events], [5, 100, 0], 'nothing was scanned');
  await ticket.holdEvents(7);
  assert.deepEqual([...free(admission), admission.events], [3, 100, 7]);
  await ticket.holdBytes(100);
  assert.deepEqual(free(admission), [3, 900]);
  ticket.release();
  ticket.release();
  assert.deepEqual([...free(admission), admission.events], [10, 1000, 0]);
});

test('declared bodies hold nothing', async () => {
  const admission = admissionOf(10, 1000);
  for (let at = 0; at < 20; at++) await admission.ticket().startBody(1000);
  assert.deepEqual(free(admission), [10, 1000]);
});

test('a complete body counts as many events as recent batches of its size', async () => {
  const admission = admissionOf(1000, 1_000_000);
  const estimate = async (length: number, events: number): Promise<number> => {
    const ticket = admission.ticket();
    await ticket.endBody(length, 500);
    const held = 1000 - free(admission)[0];
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
  assert.equal(await estimate(0, 0), 1);
  await admission.ticket().endBody(600, 0);
  assert.equal(free(admission)[0], 1000, 'calls take their own room');
});

test('a small request does not pass a large one before it', async () => {
  const admission = admissionOf(10, 1000);
  const first = admission.ticket();
  await first.holdEvents(10);
  const served: string[] = [];
  const waiter = async (name: string, events: number): Promise<void> => {
    await admission.ticket().endBody(events * ASSUMED, 10);
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
  const admission = admissionOf(10, 1000);
  const all = admission.ticket();
  await all.holdEvents(10);
  const served: string[] = [];
  const waiter = async (ticket: Ticket, name: string): Promise<void> => {
    await ticket.endBody(1, 10);
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
  const admission = admissionOf(10, 1000);
  const tickets: [Ticket, Ticket] = [admission.ticket(), admission.ticket()];
  for (const ticket of tickets) await ticket.endBody(5 * ASSUMED, 10);
  const [one, other] = tickets;
  const stored = one.holdEvents(6).then(() => one.release());
  await other.holdEvents(6);
  await stored;
});

test('all waits of a request share one time limit', async () => {
  const admission = admissionOf(10, 1000);
  const [all, waiting] = [admission.ticket(), admission.ticket()];
  await all.holdBytes(1000);
  const start = performance.now();
  for (let at = 0; at < 2; at++) {
    await assert.rejects(async () => waiting.holdBytes(1), { code: 'overloaded' });
  }
  const ms = performance.now() - start;
  assert.ok(ms < LIMITS.admission_wait_ms * 1.5, `${ms} ms`);
});

test('a growing body releases its room when its client disconnects', async () => {
  const admission = admissionOf(10, 1000);
  const [first, growing] = [admission.ticket(), admission.ticket()];
  await first.holdBytes(900);
  await growing.holdBytes(100);
  const grown = growing.holdBytes(500);
  growing.release();
  first.release();
  await grown;
  assert.deepEqual(free(admission), [10, 1000]);
});
