/** Tests the warm-up of a round: its events, its parts, and whether the server became steady. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Sent } from '../src/load/drivers/driver.ts';
import { warmUp } from '../src/run/warm-up.ts';

interface Asked {
  readonly first: number;
  readonly count: number;
  readonly rate: number | null;
}

/** Warms up a server that has these rates in a closed loop, part after part. */
async function warm(
  rates: readonly number[],
  events: number | null,
  rate_events_per_s: number | null = null,
) {
  const asked: Asked[] = [];
  const send = async ({ first, count }: { first: number; count: number }, rate: number | null) => {
    const duration_ms = (count / (rate ?? rates[asked.length]!)) * 1000;
    asked.push({ first, count, rate });
    return {
      duration_ms,
      sent_events: count,
      received_events: count,
      status_codes: { '201': 1 },
    } as unknown as Sent;
  };
  const warming = { first: 1000, events, batch_size: 50, rate_events_per_s, send };
  return { ...(await warmUp(warming)), asked };
}

test('a closed loop sends the given events in parts, and reports the cold rate', async () => {
  const { warm_up, next, asked } = await warm([10_000, 40_000, 60_000, 70_000, 72_000], 200_030);
  assert.deepEqual(
    asked.map(({ count }) => count),
    [20_000, 45_000, 45_000, 45_000, 45_030],
  );
  for (const [i, { first, count }] of asked.entries())
    assert.equal(first + count, asked[i + 1]?.first ?? next);
  assert.deepEqual([warm_up.steady, warm_up.cold_events_per_s, next], [true, 10_000, 201_030]);
  assert.deepEqual(warm_up.parts_events_per_s.map(Math.round), [40_000, 60_000, 70_000, 72_000]);
  const { received_events, status_codes, latency } = warm_up.sent;
  assert.deepEqual([received_events, status_codes, latency], [200_030, { '201': 5 }, null]);
});

test('any two parts in a row are enough to be steady, but the cold part does not count', async () => {
  for (const [rates, steady] of [
    [[2e4, 2e4, 3e4, 2e4, 3e4], false],
    [[1e4, 2e4, 2.05e4, 4e4, 6e4], true],
    [[1e4, 2e4, 4e4, 4.1e4, 6e4], true],
  ] as const)
    assert.equal((await warm(rates, 200_030)).warm_up.steady, steady, String(rates));
});

test('an open loop begins briskly, then keeps its rate', async () => {
  const { warm_up, next, asked } = await warm([], null, 2000);
  assert.deepEqual(
    asked.map(({ rate }) => rate),
    [10_000, 2000, 2000, 2000],
  );
  assert.deepEqual([warm_up.steady, warm_up.cold_events_per_s, next], [true, null, 17_000]);
});

test('a few events, and those of a given rate, are sent in one go', async () => {
  for (const [events, rate] of [
    [500, null],
    [200_000, 500],
  ] as const) {
    const { warm_up, next, asked } = await warm([10_000], events, rate);
    assert.deepEqual([asked.length, warm_up.steady, next], [1, null, 1000 + events]);
  }
});
