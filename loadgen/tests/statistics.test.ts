/** Known values for every figure that a result is summed up by, and the real coverage of its intervals. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@twin-ingest/testkit/random.ts';
import {
  compareRounds,
  median,
  medianInterval,
  noiseFloorOf,
  quantile,
  relativeChange,
  summarise,
  unpairedInterval,
  verdictOf,
} from '../src/analyse/statistics.ts';

test('the median is the middle value, or the mean of two', () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1, 2, 3]), 2.5);
  assert.equal(median([7]), 7);
  assert.equal(median([]), null);
  assert.equal(median([10, 9, 100]), 10, 'by number, not by text');
  const values = [3, 1, 2];
  median(values);
  assert.deepEqual(values, [3, 1, 2], 'what is given stays as it is');
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

test('pairs that all say the same leave no room for doubt', () => {
  assert.deepEqual(compareRounds([20, 20, 20, 20, 20], [10, 10, 10, 10, 10], 0.03), {
    ratio: 2,
    low: 2,
    high: 2,
    confidence: 0.95,
    interval: 'bootstrap_of_paired_rounds',
    pairs: [2, 2, 2, 2, 2],
    noise_floor: 0.03,
    verdict: 'higher',
  });
});

test('a single pair has no interval, and few pairs have no verdict', () => {
  assert.deepEqual(compareRounds([30], [10], null), {
    ratio: 3,
    low: 3,
    high: 3,
    confidence: 0.95,
    interval: 'none',
    pairs: [3],
    noise_floor: null,
    verdict: 'too_few_rounds',
  });
  // Two pairs have three different draws: both the first, both the second, one of each.
  const two = compareRounds([10, 30], [10, 10], 0);
  assert.deepEqual([two?.ratio, two?.low, two?.high, two?.verdict], [2, 1, 3, 'too_few_rounds']);
  assert.equal(compareRounds([2, 2, 2, 2], [1, 1, 1, 1], 0)?.verdict, 'too_few_rounds');
});

test('the interval of three pairs is that of all 27 draws there are', () => {
  const a = [10, 13, 19];
  const b = [10, 11, 12];
  const draws = [0, 1, 2].flatMap((i) => [0, 1, 2].flatMap((j) => [0, 1, 2].map((k) => [i, j, k])));
  const middle = (values: readonly number[], draw: readonly number[]) => median(draw.map((i) => values[i]!))!;
  const ratios = draws.map((draw) => middle(a, draw) / middle(b, draw)).sort((x, y) => x - y);
  const found = compareRounds(a, b, 0);
  assert.equal(ratios.length, 27);
  assert.deepEqual([found?.low, found?.high], [quantile(ratios, 0.025), quantile(ratios, 0.975)]);
});

test('pairs are drawn together, so a slow minute that hits both makes no interval wide', () => {
  const machine = [1, 0.5, 0.8, 1.2, 0.7];
  const rust = machine.map((factor) => 200 * factor);
  const typescript = machine.map((factor) => 100 * factor);
  const paired = compareRounds(rust, typescript, 0);
  assert.deepEqual([paired?.low, paired?.high], [2, 2]);
  const alone = unpairedInterval(rust, typescript)!;
  assert.ok(alone.low < 1.5 && alone.high > 2.5, 'drawn alone they would');
});

test('the same input gives the same interval', () => {
  const run = () => compareRounds([1, 2, 4, 3, 6], [2, 1, 3, 5, 4], null);
  assert.deepEqual(run(), run());
});

test('a ratio is not said where nothing can be', () => {
  assert.equal(compareRounds([1], [0], null), null);
  assert.equal(compareRounds([1, 1, 1], [1, 0, 1], null), null);
  assert.equal(compareRounds([0, 0], [0, 0], null), null, 'equal, but no number of times each other');
  assert.equal(compareRounds([], [], null), null);
  assert.equal(compareRounds([1, 2], [1], null), null);
  assert.equal(
    compareRounds([0, 0, 0, 0, 0], [4, 4, 4, 4, 4], 0.1)?.verdict,
    'lower',
    'none is less than some',
  );
});

test('a verdict needs both: an interval without 1, and more than the noise floor', () => {
  const cases = [
    [1.2, { low: 1.1, high: 1.3 }, 0.05, 'higher'],
    [0.8, { low: 0.7, high: 0.9 }, 0.05, 'lower'],
    [1.2, { low: 0.9, high: 1.3 }, 0.05, 'no_difference'],
    [1.2, { low: 1.1, high: 1.3 }, 0.25, 'no_difference'],
    [1.2, { low: 1, high: 1.3 }, 0, 'no_difference'],
    [1.2, { low: 1.1, high: 1.3 }, null, 'higher'],
    [0.4, { low: 0.3, high: 0.5 }, 1.2, 'lower'],
    [2.1, { low: 2, high: 2.2 }, 1.2, 'no_difference'],
  ] as const;
  for (const [ratio, interval, floor, verdict] of cases) {
    assert.equal(verdictOf(ratio, interval, 5, floor), verdict, `${ratio} with a floor of ${floor}`);
  }
});

test('a change counts the same in both directions', () => {
  assert.equal(relativeChange(2, 3), 0.5);
  assert.equal(relativeChange(3, 2), 0.5);
  assert.equal(relativeChange(0, 0), 0);
  assert.equal(relativeChange(0, 1), Number.POSITIVE_INFINITY);
});

test('the noise floor is the largest change between neighbours of the same server', () => {
  const order = ['rs', 'ts', 'ts', 'rs', 'rs', 'ts'] as const;
  // Neighbours are the first two of ts and the last two of rs: 4 % and 10 %; 100 to 200 were no neighbours.
  assert.equal(noiseFloorOf(order, { rs: [100, 200, 220], ts: [50, 52, 90] }), 220 / 200 - 1);
  assert.equal(noiseFloorOf(order, { rs: [1, 220, 200], ts: [50, 52, 90] }), 220 / 200 - 1, 'either way');
  assert.equal(
    noiseFloorOf(order, { rs: [100, null, 220], ts: [50, 52, 90] }),
    52 / 50 - 1,
    'what is measured',
  );
  assert.equal(noiseFloorOf(['rs', 'rs', 'rs'], { rs: [1, 1, 1] }), 0, 'a server alone');
});

test('there is no noise floor without neighbours, or next to a zero', () => {
  assert.equal(noiseFloorOf(['rs', 'ts', 'rs'], { rs: [1, 2], ts: [1] }), null);
  assert.equal(noiseFloorOf(['rs', 'rs'], { rs: [0, 5] }), null);
  assert.equal(noiseFloorOf(['rs', 'rs'], { rs: [0, 0] }), 0);
  assert.equal(noiseFloorOf(['rs', 'rs'], { rs: [null, 5] }), null);
  assert.throws(() => noiseFloorOf(['rs', 'rs'], { rs: [1] }), RangeError, 'a round without an entry');
});

test('a median of two values lies between them, one value has no interval', () => {
  assert.deepEqual(medianInterval([1, 3]), { low: 1, high: 3 });
  assert.deepEqual(medianInterval([4, 4, 4]), { low: 4, high: 4 });
  assert.equal(medianInterval([4]), null);
  assert.equal(unpairedInterval([1, 2], [0, 1]), null);
});

test('of five pairs the 95 % interval holds the true ratio about 93 times in a hundred', () => {
  const random = seededRandom(1);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
  const noisy = (value: number) => Array.from({ length: 5 }, () => value * (1 + 0.05 * normal()));
  const trials = 400;
  let held = 0;
  for (let i = 0; i < trials; i++) {
    const { low, high } = compareRounds(noisy(100), noisy(50), null)!;
    if (low <= 2 && 2 <= high) held++;
  }
  // Three standard deviations of 400 trials are 3.8 percentage points.
  assert.ok(Math.abs(held / trials - 0.935) < 0.038, `${held} of ${trials}`);
});
