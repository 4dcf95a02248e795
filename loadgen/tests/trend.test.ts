/** Tests the exact distribution against all orders, and which series count as a trend. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trendOf } from '../src/analyse/trend.ts';

const FALLING = [6.34, 5.51, 5.28, 4.96, 4.82];

function ordersOf(values: readonly number[]): number[][] {
  if (values.length < 2) return [[...values]];
  return values.flatMap((value, at) =>
    ordersOf([...values.slice(0, at), ...values.slice(at + 1)]).map((rest) => [value, ...rest]),
  );
}

test('chance is what it is among all orders of two servers with four rounds', () => {
  const s = (values: readonly number[]) =>
    values.reduce((sum, a, i) => sum + values.slice(i + 1).reduce((own, b) => own + Math.sign(b - a), 0), 0);
  const all = ordersOf([1, 2, 3, 4]).map(s);
  const sums = all.flatMap((one) => all.map((other) => Math.abs(one + other)));
  const farthest = sums.filter((sum) => sum === 12).length / sums.length;
  assert.equal(farthest, 2 / 576);
  const found = trendOf([
    [1, 2, 3, 4],
    [10, 20, 30, 40],
  ]);
  assert.ok(Math.abs(found!.probability - farthest) < 1e-12);
  // Two of twelve pairs are inverted.
  const near = trendOf([
    [1, 2, 4, 3],
    [10, 20, 40, 30],
  ]);
  assert.ok(sums.filter((sum) => sum >= 8).length / sums.length > 0.01);
  assert.equal(near, null);
});

test('what goes one way in both servers is a trend, with how far it went', () => {
  const found = trendOf([FALLING, [13.95, 12.62, 12.26, 11.83, 11.78]]);
  assert.ok(Math.abs(found!.probability - 2 / 14_400) < 1e-12);
  assert.deepEqual(
    found!.changes.map((change) => change.toFixed(3)),
    ['-0.175', '-0.111'],
  );
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
      [5, 4, 6, 3, 7],
      [5, 7, 4, 6, 5],
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
