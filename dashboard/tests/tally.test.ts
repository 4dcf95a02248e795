/** Tests the figures of one session that the dashboard computes from its rows. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Row } from '../src/api.ts';
import { costOf, hourCountsOf, secondsOf } from '../src/tally.ts';

const HOUR_S = 3600;
/** The rows arrived at once, in another order than that of their times. */
const row = (id: number, at_s: number, own: Partial<Row> = {}): Row =>
  ({
    id,
    created_at: new Date(900 * HOUR_S * 1000).toISOString(),
    time: new Date(at_s * 1000).toISOString(),
    status: 'success',
    project: 'p',
    model: null,
    cost_usd: 1,
    ...own,
  }) as Row;
const rows = [
  row(4, 3 * HOUR_S + 5, { status: 'error' }),
  row(3, 5 * HOUR_S),
  row(2, 3 * HOUR_S),
  row(1, 4 * HOUR_S),
];

test('hours of a session are those in which its events happened', () => {
  assert.deepEqual(
    [...hourCountsOf(rows)].sort(([a], [b]) => a - b),
    [
      [3 * HOUR_S, [2, 1]],
      [4 * HOUR_S, [1, 0]],
      [5 * HOUR_S, [1, 0]],
    ],
  );
  assert.deepEqual(
    costOf(rows).timeline.map(({ bucket, cost_usd }) => [bucket, cost_usd]),
    [
      ['1970-01-01T03:00:00.000Z', 2],
      ['1970-01-01T04:00:00.000Z', 1],
      ['1970-01-01T05:00:00.000Z', 1],
    ],
  );
});

test('an earlier row hides no later one from the plot by seconds', () => {
  const now_ms = (5 * HOUR_S + 2) * 1000;
  assert.deepEqual(secondsOf(rows, { now_ms, seconds: 3, from_ms: 0 }), [
    [5 * HOUR_S - 1, 5 * HOUR_S, 5 * HOUR_S + 1],
    [0, 1, 0],
  ]);
});
