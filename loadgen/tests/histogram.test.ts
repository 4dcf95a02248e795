/** Tests latencies in HDR histograms: three digits, no lost value, and decodable. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHistogram, decode, encode, latencyOf, merge, record } from '../src/analyse/histogram.ts';

function of(values_ms: Iterable<number>) {
  const histogram = createHistogram();
  for (const value of values_ms) record(histogram, value);
  return histogram;
}
const thousand = of(Array.from({ length: 1000 }, (_, i) => i + 1));

function near(value: number, wanted: number): void {
  assert.ok(Math.abs(value / wanted - 1) <= 0.001, `${value} is not ${wanted} to three digits`);
}

test('percentiles are right to three digits, and nothing exceeds the largest value', () => {
  const latency = latencyOf(thousand)!;
  near(latency.p50_ms, 500);
  near(latency.p90_ms, 900);
  near(latency.p95_ms, 950);
  near(latency.p99_ms, 990);
  near(latency.p99_9_ms, 999);
  near(latency.min_ms!, 1);
  near(latency.max_ms, 1000);
  near(latency.mean_ms, 500.5);
  assert.equal(latency.samples, 1000);
  const odd = latencyOf(of([34.57]))!;
  assert.ok(odd.p50_ms <= odd.max_ms && odd.p99_9_ms <= odd.max_ms);
});

test('microseconds are kept, and values beyond two minutes too', () => {
  assert.equal(latencyOf(of([0.123]))!.p50_ms, 0.123);
  assert.equal(latencyOf(of([0.0004]))!.max_ms, 0);
  near(latencyOf(of([600_000]))!.max_ms, 600_000);
});

test('nothing recorded is no latency', () => {
  assert.equal(latencyOf(createHistogram()), null);
});

test('what is stored is read again with every count', () => {
  const again = decode(latencyOf(thousand)!.histogram);
  assert.equal(again.totalCount, 1000);
  for (const percentile of [0.1, 10, 50, 99, 99.9])
    assert.equal(again.getValueAtPercentile(percentile), thousand.getValueAtPercentile(percentile));
  assert.equal(encode(again), encode(thousand));
  assert.throws(() => decode('bm8gaGlzdG9ncmFt'));
});

test('merged histograms have the values of all', () => {
  const all = merge([of([1, 2]), decode(encode(of([3]))), createHistogram(), of([600_000])]);
  assert.equal(all.totalCount, 4);
  near(all.getValueAtPercentile(50) / 1000, 2);
  near(all.maxValue / 1000, 600_000);
});
