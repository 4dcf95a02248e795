/**
 * Tests known slopes and intervals, and the verdicts on series of a soak: a leak, a sawtooth, noise, too little data.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@twin-ingest/testkit/random.ts';
import { driftOf, slopeOf } from '../src/analyse/drift.ts';

const MIB = 1_048_576;
const TEN_MINUTES = 600;

/** Returns a series with one value a second. */
function series(seconds: number, value: (second: number) => number | null) {
  const t_ms = Array.from({ length: seconds }, (_, i) => i * 1000);
  return { t_ms, values: t_ms.map((t) => value(t / 1000)) };
}

function verdictOf(seconds: number, value: (second: number) => number | null, tolerance_per_hour: number) {
  const { t_ms, values } = series(seconds, value);
  return driftOf(t_ms, values, { tolerance_per_hour }).verdict;
}

test("slope and interval are those of Sen's own example", () => {
  const x = [1, 2, 3, 4, 10, 12, 18];
  const y = [9, 15, 19, 20, 45, 55, 78];
  const points = x.map((value, i) => ({ x: value, y: y[i]! }));
  // A two-sided interval of 93 %, as in the article.
  const found = slopeOf(points, 1.8119)!;
  assert.equal(found.slope, 4);
  assert.deepEqual([found.low.toFixed(2), found.high.toFixed(2)], ['3.71', '4.38']);
});

test('ties take from the variance, likeness of neighbours adds to it', () => {
  const points = [0, 0, 0, 0, 1, 1, 1, 1].map((y, x) => ({ x, y }));
  // Of 28 slopes, 12 are 0. The variance of S is (8·7·21 − 2·4·3·13) / 18 = 48; times 9/7, with r = 1/8, it is 61.7.
  // 1.6 times its root is 12.57. The interval therefore ends at the seventh largest slope: 1, twice 1/2, three times
  // 1/3, 1/4.
  const found = slopeOf(points, 1.6)!;
  assert.deepEqual([found.slope, found.low, found.high], [1 / 6, 0, 1 / 4]);
});

test('equal values drift by nothing, and few points have no interval', () => {
  const flat = Array.from({ length: 30 }, (_, i) => ({ x: i, y: 7 }));
  assert.deepEqual(slopeOf(flat, 1.96), { slope: 0, low: 0, high: 0 });
  assert.equal(slopeOf(flat.slice(0, 1), 1.96), null);
  assert.equal(
    slopeOf([...flat.slice(0, 2), { x: 2, y: 8 }], 1.96),
    null,
    'three points have no such interval',
  );
});

test('an exact line has its own slope, by the hour', () => {
  const { t_ms, values } = series(TEN_MINUTES, (second) => 100 + second);
  const drift = driftOf(t_ms, values, { tolerance_per_hour: 100 });
  assert.ok(Math.abs(drift.slope_per_hour! - 3600) < 1e-6);
  assert.ok(Math.abs(drift.low! - 3600) < 1e-6 && Math.abs(drift.high! - 3600) < 1e-6);
  assert.deepEqual([drift.samples, drift.confidence, drift.verdict], [54, 0.95, 'rising']);
});

test('a leak of 1 MiB a minute under noise is rising, and what is given back falls', () => {
  const random = seededRandom(3);
  const noise = () => (random.next() - 0.5) * 8 * MIB;
  const leak = (second: number) => 90 * MIB + (second / 60) * MIB + noise();
  assert.equal(verdictOf(TEN_MINUTES, leak, 10 * MIB), 'rising');
  assert.equal(
    verdictOf(TEN_MINUTES, (second) => 200 * MIB - leak(second), 10 * MIB),
    'falling',
  );
  assert.equal(verdictOf(TEN_MINUTES, leak, 100 * MIB), 'stable', 'a tolerance above it');
});

test('the sawtooth of a write-ahead log under checkpoints is not called a drift', () => {
  for (const period of [7, 13, 45, 97]) {
    const sawtooth = (second: number) => ((second % period) / period) * 16 * MIB;
    assert.equal(verdictOf(TEN_MINUTES, sawtooth, MIB), 'no_drift_shown', `every ${period} seconds`);
  }
});

test('without a drift it is stable only where the interval holds nothing that would count', () => {
  const random = seededRandom(5);
  const { t_ms, values } = series(TEN_MINUTES, () => random.next() - 0.5);
  const found = (tolerance_per_hour: number) => driftOf(t_ms, values, { tolerance_per_hour });
  const { low, high } = found(0);
  assert.ok(low! < 0 && high! > 0, `[${low}, ${high}]`);
  const widest = Math.max(-low!, high!);
  assert.equal(found(widest).verdict, 'stable');
  assert.equal(found(widest * 0.999).verdict, 'no_drift_shown');
});

test('noise that remembers the last seconds is rarely called a drift', () => {
  let called = 0;
  for (let seed = 0; seed < 100; seed++) {
    const random = seededRandom(seed);
    let state = 0;
    const value = () => {
      state = 0.9 * state + random.next() - 0.5;
      return 100 + state;
    };
    if (['rising', 'falling'].includes(verdictOf(TEN_MINUTES, value, 0))) called++;
  }
  assert.ok(called <= 9, `${called} of 100; 22 if blocks were taken for independent`);
});

test('a slow cycle is not called a drift, at whatever point of it the soak begins', () => {
  for (const phase of Array.from({ length: 12 }, (_, i) => i / 12)) {
    const cycle = (second: number) => 100 * MIB * Math.sin(2 * Math.PI * (second / 270 + phase));
    const verdict = verdictOf(TEN_MINUTES, cycle, 0);
    assert.ok(verdict !== 'rising' && verdict !== 'falling', `${verdict} at ${phase}`);
  }
});

test('what happens while a server settles is no drift', () => {
  const warming = (second: number) => (second < 60 ? second * MIB : 60 * MIB);
  assert.equal(verdictOf(TEN_MINUTES, warming, MIB), 'stable');
  const { t_ms, values } = series(TEN_MINUTES, warming);
  assert.ok(driftOf(t_ms, values, { tolerance_per_hour: MIB, settle_ms: 0 }).slope_per_hour! >= 0);
});

test('too little is a verdict of its own', () => {
  const ten = driftOf(
    Array.from({ length: 10 }, (_, i) => 60_000 + i * 10_000),
    Array.from({ length: 10 }, (_, i) => i),
    { tolerance_per_hour: 1 },
  );
  assert.deepEqual(ten, {
    slope_per_hour: null,
    low: null,
    high: null,
    confidence: 0.95,
    samples: 10,
    tolerance_per_hour: 1,
    verdict: 'not_enough_samples',
  });
  assert.equal(
    verdictOf(240, (second) => second, 1),
    'not_enough_samples',
    'many samples of three minutes',
  );
  assert.equal(
    verdictOf(270, (second) => second, 1),
    'rising',
  );
  assert.equal(
    verdictOf(TEN_MINUTES, () => null, 1),
    'not_enough_samples',
    'nothing measured',
  );
  assert.equal(driftOf([], [], { tolerance_per_hour: 1 }).verdict, 'not_enough_samples');
  assert.throws(() => driftOf([1], [], { tolerance_per_hour: 1 }), RangeError);
});

test('gaps are left out and a long soak has longer blocks', () => {
  const gaps = series(TEN_MINUTES, (second) => (second % 3 === 0 ? null : second));
  const drift = driftOf(gaps.t_ms, gaps.values, { tolerance_per_hour: 1 });
  assert.ok(Math.abs(drift.slope_per_hour! - 3600) < 1);
  const day = Array.from({ length: 8_640 }, (_, i) => i * 10_000);
  const long = driftOf(
    day,
    day.map((t) => t / 3_600_000),
    { tolerance_per_hour: 0.5 },
  );
  assert.ok(long.samples <= 501 && long.verdict === 'rising');
  assert.ok(Math.abs(long.slope_per_hour! - 1) < 1e-9);
});
