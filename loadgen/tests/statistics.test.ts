/** Known values for every figure that a result is summed up by. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { median, quantile, ratioOf, summarise } from '../src/statistics.ts';

test('the median is the middle value, or the mean of two', () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1, 2, 3]), 2.5);
  assert.equal(median([7]), 7);
  assert.equal(median([]), null);
  assert.equal(median([10, 9, 100]), 10, 'by number, not by text');
});

test('a quantile is the nearest rank, so always a value that was measured', () => {
  const values = [15, 20, 35, 40, 50];
  assert.deepEqual(
    [0.05, 0.3, 0.4, 0.5, 1].map((q) => quantile(values, q)),
    [15, 20, 20, 35, 50],
  );
  assert.equal(quantile([9], 0.999), 9);
  assert.throws(() => quantile([], 0.5), RangeError);
});

test('a summary says the spread relative to the median', () => {
  assert.deepEqual(summarise([90, 100, 120]), { median: 100, min: 90, max: 120, spread: 0.3, samples: 3 });
  assert.deepEqual(summarise([0, 0]), { median: 0, min: 0, max: 0, spread: 0, samples: 2 });
  assert.equal(summarise([]), null);
});

test('a ratio is that of the medians, its interval the range of the pairs', () => {
  assert.deepEqual(ratioOf([20, 30, 40], [10, 10, 20]), {
    ratio: 3,
    low: 2,
    high: 3,
    interval: 'range_of_paired_rounds',
    pairs: [2, 3, 2],
  });
});

test('nothing is said where nothing can be', () => {
  assert.equal(ratioOf([1], [0]), null);
  assert.equal(ratioOf([1, 1, 1], [1, 0, 1]), null);
  assert.equal(ratioOf([], []), null);
  assert.equal(ratioOf([1, 2], [1]), null);
});
