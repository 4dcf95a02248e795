/** Tests latencies in HDR histograms: three digits, no lost value, and decodable. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeFromCompressedBase64 as decode } from 'hdr-histogram-js';
import { createHistogram, latencyOf, record } from '../src/analyse/histogram.ts';

function of(values_ms: Iterable<number>) {
  const histogram = createHistogram();
  for (const value of values_ms) record(histogram, value);
  return histogram;
}

function near(value: number, wanted: number): void {
  assert.ok(Math.abs(value / wanted - 1) <= 0.001, `${value} is not ${wanted} to three digits`);
}

test('percentiles are right to three digits, and microseconds are kept', () => {
  const { histogram: _, ...latency } = latencyOf(of(Array.from({ length: 1000 }, (_, i) => i + 1)))!;
  const found = Object.values(latency);
  for (const [i, wanted] of [500, 950, 990, 999, 1000, 500.5, 1000].entries()) near(found[i]!, wanted);
  const odd = latencyOf(of([34.57]))!;
  assert.ok(odd.p50_ms <= odd.max_ms && odd.p99_9_ms <= odd.max_ms, 'nothing exceeds the largest value');
  assert.equal(latencyOf(of([0.123]))!.p50_ms, 0.123);
  assert.equal(latencyOf(of([0.0004]))!.max_ms, 0);
  assert.equal(latencyOf(createHistogram()), null);
});

test('a stored histogram has all values, also those beyond two minutes', () => {
  const all = decode(latencyOf(of([1, 2, 600_000]))!.histogram);
  assert.equal(all.totalCount, 3);
  near(all.getValueAtPercentile(50) / 1000, 2);
  near(all.maxValue / 1000, 600_000);
});
