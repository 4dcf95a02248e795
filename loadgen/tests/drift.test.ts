/**
 * Tests known slopes and intervals, and the verdicts on series of a soak: a leak, a sawtooth, noise, too little data.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@twin-ingest/testkit/random.ts';
import { driftOf, slopeOf } from '../src/analyse/drift.ts';
import { cpuShares } from '../src/analyse/measurement.ts';

const MIB = 1_048_576;
/** Milliseconds at the start that do not count. */
const settle_ms = 60_000;

/** Returns the drift of a series with one value a second. */
function drift(value: (second: number) => number | null, tolerance_per_hour: number, seconds = 600) {
  const t_ms = Array.from({ length: seconds }, (_, i) => i * 1000);
  const values = t_ms.map((t) => value(t / 1000));
  return driftOf(t_ms, values, { tolerance_per_hour, settle_ms });
}

test("slope and interval are those of Sen's own example", () => {
  const x = [1, 2, 3, 4, 10, 12, 18];
  const y = [9, 15, 19, 20, 45, 55, 78];
  const points = x.map((value, i) => ({ x: value, y: y[i]! }));
  // A two-sided interval of 93 %, as in the article.
  const { slope, low, high } = slopeOf(points, 1.8119)!;
  assert.deepEqual([slope, low.toFixed(2), high.toFixed(2)], [4, '3.71', '4.38']);
});

test('ties take from the variance, likeness of neighbours adds to it, and few points have no interval', () => {
  const points = [0, 0, 0, 0, 1, 1, 1, 1].map((y, x) => ({ x, y }));
  // Of 28 slopes, 12 are 0. The variance of S is (8·7·21 − 2·4·3·13) / 18 = 48; times 9/7, with r = 1/8, it is 61.7.
  // 1.6 times its root is 12.57. The interval therefore ends at the seventh largest slope: 1, twice 1/2, three times
  // 1/3, 1/4.
  assert.deepEqual(slopeOf(points, 1.6), { slope: 1 / 6, low: 0, high: 1 / 4 });
  const flat = Array.from({ length: 30 }, (_, i) => ({ x: i, y: 7 }));
  assert.deepEqual(slopeOf(flat, 1.96), { slope: 0, low: 0, high: 0 });
  assert.equal(slopeOf(flat.slice(0, 1), 1.96), null);
  assert.equal(slopeOf([...flat.slice(0, 2), { x: 2, y: 8 }], 1.96), null);
});

test('an exact line has its own slope by the hour, also with gaps and over a day', () => {
  const line = drift((second) => 100 + second, 100);
  for (const value of [line.slope_per_hour, line.low, line.high]) assert.ok(Math.abs(value! - 3600) < 1e-6);
  assert.deepEqual([line.samples, line.confidence, line.verdict], [54, 0.95, 'rising']);
  const gaps = drift((second) => (second % 3 === 0 ? null : second), 1);
  assert.ok(Math.abs(gaps.slope_per_hour! - 3600) < 1);
  const day = Array.from({ length: 8_640 }, (_, i) => i * 10_000);
  const hours = day.map((t) => t / 3_600_000);
  const long = driftOf(day, hours, { tolerance_per_hour: 0.5, settle_ms });
  assert.ok(long.samples <= 501 && long.verdict === 'rising' && Math.abs(long.slope_per_hour! - 1) < 1e-9);
});

test('a leak of 1 MiB a minute under noise is rising, and what is given back falls', () => {
  const random = seededRandom(3);
  const leak = (second: number) => 90 * MIB + (second / 60) * MIB + (random.next() - 0.5) * 8 * MIB;
  assert.equal(drift(leak, 10 * MIB).verdict, 'rising');
  assert.equal(drift((second) => -leak(second), 10 * MIB).verdict, 'falling');
  assert.equal(drift(leak, 100 * MIB).verdict, 'stable', 'a tolerance above it');
});

test('the sawtooth of a log, a slow cycle and a server that settles are no drift', () => {
  for (const period of [7, 13, 45, 97])
    assert.equal(drift((second) => (second % period) / period, 1 / 16).verdict, 'no_drift_shown');
  for (let phase = 0; phase < 1; phase += 1 / 12) {
    const { verdict } = drift((second) => Math.sin(2 * Math.PI * (second / 270 + phase)), 0);
    assert.ok(verdict !== 'rising' && verdict !== 'falling', `${verdict} at ${phase}`);
  }
  assert.equal(drift((second) => Math.min(second, 60) * MIB, MIB).verdict, 'stable');
});

test('without a drift it is stable only where the interval holds nothing that would count', () => {
  const found = (tolerance: number) => {
    const random = seededRandom(5);
    return drift(() => random.next() - 0.5, tolerance);
  };
  const { low, high } = found(0);
  const widest = Math.max(-low!, high!);
  assert.ok(low! < 0 && high! > 0, `[${low}, ${high}]`);
  assert.deepEqual([found(widest).verdict, found(widest * 0.999).verdict], ['stable', 'no_drift_shown']);
});

test('too little is a verdict of its own', () => {
  const { slope_per_hour, samples, verdict } = drift((second) => second, 1, 240);
  assert.deepEqual([slope_per_hour, samples, verdict], [null, 18, 'not_enough_samples']);
  assert.equal(drift((second) => second, 1, 270).verdict, 'rising');
  assert.equal(drift(() => null, 1).verdict, 'not_enough_samples');
});

test('a share of a core is the growth of CPU time over the interval, where both looks have a value', () => {
  const t_ms = [0, 500, 1500, 2500, 2500];
  const cpu_us = [1_000, 251_000, 2_251_000, null, 3_000_000];
  assert.deepEqual(cpuShares({ t_ms, cpu_us }), [null, 0.5, 2, null, null]);
});
