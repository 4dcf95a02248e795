/**
 * Tests known values of every summary figure, what widens an interval, and latencies in HDR histograms: three digits, no
 * lost value, and decodable.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeFromCompressedBase64 as decode } from 'hdr-histogram-js';
import { createHistogram, latencyOf, record } from '../src/analyse/histogram.ts';
import {
  type ByRound,
  compareRounds,
  compareSlices,
  median,
  quantile,
  summarise,
  verdictOf,
} from '../src/analyse/statistics.ts';

test('the median is the middle value or the mean of two, and a quantile is a value that was measured', () => {
  const values = [10, 9, 100];
  assert.deepEqual([median(values), median([4, 1, 2, 3]), median([])], [10, 2.5, null]);
  assert.deepEqual(values, [10, 9, 100], 'the input stays');
  const at = (q: number) => quantile([15, 20, 35, 40, 50], q);
  assert.deepEqual([at(0.05), at(0.3), at(0.4), at(0.5), at(1)], [15, 20, 20, 35, 50]);
  assert.throws(() => quantile([], 0.5), RangeError);
});

test('a summary says the spread relative to the median', () => {
  assert.deepEqual(summarise([90, 100, 120]), { median: 100, min: 90, max: 120, spread: 0.3, samples: 3 });
  assert.deepEqual(summarise([0, 0]), { median: 0, min: 0, max: 0, spread: 0, samples: 2 });
  assert.equal(summarise([]), null);
});

test('one pair has no interval, and that of three rounds is that of all 27 possible draws, the same every time', () => {
  const none = { interval: 'none', split_half: null, verdict: 'too_few_rounds' };
  assert.deepEqual(compareRounds([20], [10]), { confidence: 0.95, ratio: 2, low: 2, high: 2, ...none });
  const a = [10, 13, 19];
  const b = [10, 11, 12];
  const draws = [0, 1, 2].flatMap((i) => [0, 1, 2].flatMap((j) => [0, 1, 2].map((k) => [i, j, k])));
  const middle = (values: readonly number[], draw: readonly number[]) => median(draw.map((i) => values[i]!))!;
  const ratios = draws.map((draw) => middle(a, draw) / middle(b, draw)).sort((x, y) => x - y);
  const found = compareRounds(a, b);
  assert.deepEqual([found?.low, found?.high], [quantile(ratios, 0.025), quantile(ratios, 0.975)]);
  assert.deepEqual(compareRounds(a, b), found);
});

test('neighbouring slices are compared, so a slow minute that hits both makes no interval wide', () => {
  const machine = '1 0.5, 0.8 1.2, 0.7 0.9, 1.1 0.6'.split(', ').map((round) => round.split(' ').map(Number));
  const times = (factor: number): ByRound => machine.map((round) => round.map((speed) => speed * factor));
  const { ratio, low, high, interval, verdict } = compareSlices(times(200), times(100))!;
  assert.deepEqual([ratio, low, high, interval, verdict], [2, 2, 2, 'two_level_bootstrap', 'higher']);
  const [first, ...others] = times(100);
  const shuffled = compareSlices(times(200), [...others, first!])!;
  assert.ok(shuffled.low < 1.8 && shuffled.high > 2.2, 'slices of other minutes give a wide interval');
});

test('slices of one process count less than as many processes', () => {
  // Each process has its own level, and its slices hardly differ.
  const shared = [0.92, 0.97, 1.04, 1.08].map((level) => [level, level + 1e-4, level + 2e-4, level - 1e-4]);
  const separate = shared.flat().map((value) => [value]);
  const width = (rounds: ByRound) => {
    const ones = rounds.map((round) => round.map(() => 1));
    const { low, high } = compareSlices(rounds, ones)!;
    return high - low;
  };
  const times = width(shared) / width(separate);
  assert.ok(times > 1.3 && times < 10, `${width(shared)} and ${width(separate)}`);
});

test('halves of the rounds agree when they are at most 10 % apart', () => {
  const halves = (odd: number, even: number) =>
    compareRounds([odd, even, odd, even], [1, 1, 1, 1])!.split_half;
  assert.deepEqual(halves(2, 2.2), { odd: 2, even: 2.2, agree: true });
  assert.deepEqual(halves(2.2, 2), { odd: 2.2, even: 2, agree: true });
  assert.deepEqual(halves(2, 2.21), { odd: 2, even: 2.21, agree: false });
});

test('a comparison is null without values, with a zero divisor, or with unequal numbers of slices', () => {
  const pairs: readonly [ByRound, ByRound][] = [
    [[[]], [[]]],
    [[[1, 2]], [[1]]],
    [[[1, 1, 1]], [[1, 0, 1]]],
    [[[1], [2]], [[1]]],
  ];
  for (const [a, b] of pairs) assert.equal(compareSlices(a, b), null, JSON.stringify([a, b]));
  assert.equal(compareRounds([0, 0, 0, 0], [4, 4, 4, 4])?.verdict, 'lower', 'zero is less than four');
});

test('a verdict needs four rounds and an interval without 1', () => {
  for (const [low, high, rounds, verdict] of [
    [1.1, 1.3, 4, 'higher'],
    [0.7, 0.9, 4, 'lower'],
    [1, 1.3, 4, 'no_difference'],
    [1.1, 1.3, 3, 'too_few_rounds'],
  ] as const)
    assert.equal(verdictOf({ low, high }, rounds), verdict, `${low} to ${high} of ${rounds} rounds`);
});

function histogramOf(values_ms: Iterable<number>) {
  const histogram = createHistogram();
  for (const value of values_ms) record(histogram, value);
  return histogram;
}

function near(value: number, wanted: number): void {
  assert.ok(Math.abs(value / wanted - 1) <= 0.001, `${value} is not ${wanted} to three digits`);
}

test('percentiles are right to three digits, and microseconds are kept', () => {
  const { histogram: _, ...latency } = latencyOf(histogramOf(Array.from({ length: 1000 }, (_, i) => i + 1)))!;
  const found = Object.values(latency);
  for (const [i, wanted] of [500, 950, 990, 999, 1000, 500.5, 1000].entries()) near(found[i]!, wanted);
  const odd = latencyOf(histogramOf([34.57]))!;
  assert.ok(odd.p50_ms <= odd.max_ms && odd.p99_9_ms <= odd.max_ms, 'nothing exceeds the largest value');
  assert.equal(latencyOf(histogramOf([0.123]))!.p50_ms, 0.123);
  assert.equal(latencyOf(histogramOf([0.0004]))!.max_ms, 0);
  assert.equal(latencyOf(createHistogram()), null);
});

test('a stored histogram has all values, also those beyond two minutes', () => {
  const all = decode(latencyOf(histogramOf([1, 2, 600_000]))!.histogram);
  assert.equal(all.totalCount, 3);
  near(all.getValueAtPercentile(50) / 1000, 2);
  near(all.maxValue / 1000, 600_000);
});
