/** Tests the warm-up of a round: its events, its parts, and whether the server became steady. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Sent } from '../src/load/drivers/driver.ts';
import { warmUp } from '../src/run/warm-up.ts';

async function warm(rates: readonly number[], events: number | null, rate: number | null = null) {
  const asked: (readonly [count: number, rate: number | null])[] = [];
  const send = async (count: number, at: number | null) => {
    const duration_ms = (count / (at ?? rates[asked.length]!)) * 1000;
    asked.push([count, at]);
    return { duration_ms, received_events: count } as Sent;
  };
  return { ...(await warmUp({ events, batch_size: 50, rate_events_per_s: rate, send })), asked };
}

test('a closed loop sends the given events in parts, and reports the cold rate and the pace', async () => {
  const { warm_up, pace_events_per_s, asked } = await warm([9e4, 4e4, 6e4, 7e4, 6.9e4], 200_030);
  const counts = asked.map(([count]) => count);
  assert.deepEqual(counts, [20_000, 45_000, 45_000, 45_000, 45_030]);
  assert.deepEqual([warm_up.steady, Math.round(warm_up.cold_events_per_s!)], [true, 90_000]);
  assert.deepEqual(warm_up.parts_events_per_s.map(Math.round), [40_000, 60_000, 70_000, 69_000]);
  assert.equal(Math.round(pace_events_per_s), 70_000);
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
  const { warm_up, asked } = await warm([], null, 2000);
  const own = [2000, 2000];
  assert.deepEqual(asked, [[10_000, 10_000], own, own, own]);
  assert.deepEqual([warm_up.steady, warm_up.cold_events_per_s], [true, null]);
});

test('a few events, and those of a given rate, are sent in one go', async () => {
  for (const [events, rate] of [
    [500, null],
    [200_000, 500],
  ] as const) {
    const { warm_up, pace_events_per_s, asked } = await warm([10_000], events, rate);
    assert.deepEqual([asked, warm_up.steady], [[[events, rate]], null]);
    assert.equal(pace_events_per_s, rate ?? 10_000);
  }
});
