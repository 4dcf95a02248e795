/** Tests which series count as a trend. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trendOf } from '../src/analyse/trend.ts';

const FALLING = [6.34, 5.51, 5.28, 4.96, 4.82];

test('what goes one way in both servers is a trend, with how far it went', () => {
  const found = trendOf([FALLING, [13.95, 12.62, 12.26, 11.83, 11.78]]);
  assert.deepEqual(
    found!.map((change) => change.toFixed(3)),
    ['-0.175', '-0.111'],
  );
  const rising = [
    [1, 2, 3, 4],
    [10, 20, 30, 40],
  ];
  assert.ok(trendOf(rising));
});

test('what goes to and fro, hardly anywhere, or opposite ways is none', () => {
  for (const rows of [
    [],
    [[1], [2]],
    [FALLING.toReversed(), FALLING],
    [
      [1, 1.01, 1.02, 1.03, 1.04],
      [2, 2.02, 2.04, 2.06, 2.08],
    ],
    [
      [1, 2, 4, 3],
      [10, 20, 40, 30],
    ],
    [Array.from({ length: 9 }, () => 3)],
    // With one server and five rounds, one order in sixty is monotonic.
    [FALLING],
  ])
    assert.equal(trendOf(rows), null);
});

test('one server with more rounds says it alone', () => {
  assert.ok(trendOf([[10, 9, 8, 7, 6, 5]]));
});
