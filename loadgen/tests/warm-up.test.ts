/** Tests the warm-up of a round: its events, its parts, and whether the server became steady. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Sent } from '../src/load/drivers/driver.ts';
import { addSent, warmUp } from '../src/run/warm-up.ts';

function sentOf(count: number, events_per_s: number): Sent {
  return {
    duration_ms: (count / events_per_s) * 1000,
    requests: Math.ceil(count / 50),
    sent_events: count,
    sent_event_ids: count,
    sent_bytes: count * 100,
    received_events: count,
    duplicate_events: 0,
    rejected_events: 0,
    non_2xx: 0,
    errors: 0,
    timeouts: 0,
    dropped_requests: 0,
    status_codes: { '201': Math.ceil(count / 50) },
    latency: null,
    send_delay: null,
    generator_cpu_us: 10,
  };
}

/** Returns a server with these rates, part after part. The last rate repeats. */
function server(rates: readonly number[]) {
  const asked: { first: number; count: number; rate: number | null }[] = [];
  return {
    asked,
    send: async (range: { first: number; count: number }, rate: number | null) => {
      const events_per_s = rate ?? rates[Math.min(asked.length, rates.length - 1)]!;
      asked.push({ ...range, rate });
      return sentOf(range.count, events_per_s);
    },
  };
}

const closed = { first: 1000, events: 200_030, batch_size: 50, rate_events_per_s: null };

test('a closed loop sends the given events in parts, and reports the cold rate', async () => {
  const { asked, send } = server([10_000, 40_000, 60_000, 70_000, 72_000]);
  const { warm_up, next } = await warmUp({ ...closed, send });
  assert.deepEqual(
    asked.map((part) => part.count),
    [20_000, 45_000, 45_000, 45_000, 45_030],
  );
  assert.deepEqual([warm_up.steady, warm_up.cold_events_per_s], [true, 10_000]);
  assert.deepEqual(warm_up.parts_events_per_s!.map(Math.round), [40_000, 60_000, 70_000, 72_000]);
  assert.equal(next, 1000 + closed.events);
  assert.equal(warm_up.sent.received_events, closed.events);
  assert.deepEqual(
    asked.slice(1).map((part, i) => part.first - asked[i]!.first - asked[i]!.count),
    [0, 0, 0, 0],
  );
});

test('an unsteady warm-up sends no further part, and the cold part does not count', async () => {
  const { asked, send } = server([2e4, 2e4, 3e4, 2e4, 3e4]);
  const { warm_up } = await warmUp({ ...closed, send });
  assert.deepEqual([asked.length, warm_up.steady], [5, false]);
});

test('any two parts in a row are enough to be steady', async () => {
  for (const rates of [
    [1e4, 2e4, 2.05e4, 4e4, 6e4],
    [1e4, 2e4, 4e4, 4.1e4, 6e4],
  ])
    assert.equal((await warmUp({ ...closed, ...server(rates) })).warm_up.steady, true, String(rates));
});

test('an open loop begins briskly, then keeps its rate', async () => {
  const { asked, send } = server([]);
  const { warm_up, next } = await warmUp({ ...closed, events: null, rate_events_per_s: 2000, send });
  assert.deepEqual(
    asked.map((part) => part.rate),
    [10_000, 2000, 2000, 2000],
  );
  assert.deepEqual([warm_up.steady, warm_up.cold_events_per_s, next], [true, null, 17_000]);
});

test('a few events, and those of a given rate, are sent in one go', async () => {
  for (const rate_events_per_s of [null, 500]) {
    const { asked, send } = server([10_000]);
    const events = rate_events_per_s === null ? 500 : 200_000;
    const { warm_up, next } = await warmUp({ ...closed, events, rate_events_per_s, send });
    assert.deepEqual([asked.length, warm_up.steady, next], [1, null, 1000 + events]);
  }
});

test('several sends add up, status codes too, and have no common latency', () => {
  const sum = addSent([sentOf(100, 10), sentOf(50, 10)]);
  assert.deepEqual(
    [sum.sent_events, sum.duration_ms, sum.status_codes['201'], sum.latency],
    [150, 15_000, 3, null],
  );
});
