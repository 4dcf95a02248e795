/**
 * Tests threshold conditions: a wrong condition is refused with a sentence, and a value that was not measured fulfils
 * none.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { METRICS } from '../src/analyse/metrics.ts';
import { checkThresholds, outcomeHolds, parseThreshold, type Threshold } from '../src/analyse/threshold.ts';
import type { Measurement, Result } from '../src/result/result.ts';
import { sampleReportResult, sampleSummary } from './report-fixture.ts';
import { shapes } from './report-shapes.ts';

const KEYS = METRICS.map((metric) => metric.key);
const RESULT = sampleSummary();

function parsed(text: string): Threshold {
  const threshold = parseThreshold(text, KEYS);
  assert.ok(typeof threshold !== 'string', `${threshold}`);
  return threshold;
}

function outcome(text: string, result: Result = RESULT) {
  return checkThresholds([parsed(text)], result)[0]!;
}

test('a condition is a server or the ratio, a metric, a comparison and a number', () => {
  assert.deepEqual(parsed('rs.p99_ms<50'), {
    condition: 'rs.p99_ms<50',
    subject: 'rs',
    metric: 'latency_p99_ms',
    operator: '<',
    bound: 50,
  });
  assert.deepEqual(parsed(' ratio.throughput_events_per_s >= 1.5e0 '), {
    condition: 'ratio.throughput_events_per_s >= 1.5e0',
    subject: 'ratio',
    metric: 'throughput_events_per_s',
    operator: '>=',
    bound: 1.5,
  });
  assert.equal(parsed('ts.latency_p99_9_ms<=3').metric, 'latency_p99_9_ms');
  assert.equal(parsed('ts.max_ms>0').operator, '>');
});

const wrong = [
  ['', /no condition/],
  ['rs.p99_ms', /no condition/],
  ['rs.p99_ms=5', /no condition/],
  ['rs.p99_ms<', /no condition/],
  ['rs.p99_ms<5<6', /no condition/],
  ['p99_ms<5', /no condition/],
  ['go.p99_ms<5', /about go; it must be one of rs, ts, ratio/],
  ['rs.p98_ms<5', /names no metric; there are .*latency_p99_ms/],
  ['rs.constructor<5', /names no metric/],
  ['rs.p99_ms<5ms', /compares with 5ms, which is no number/],
  ['rs.p99_ms<Infinity', /no number/],
  ['rs.p99_ms<1e999', /no number/],
] as const;

for (const [text, sentence] of wrong) {
  test(`"${text}" is refused with a sentence`, () => {
    const answer = parseThreshold(text, KEYS);
    assert.ok(typeof answer === 'string' && answer.startsWith(`"${text}"`));
    assert.match(answer, sentence);
  });
}

test('every measurement that has the metric is looked at', () => {
  const all = outcome('rs.throughput_events_per_s>50000');
  const names = RESULT.measurements.filter(({ mode }) => mode !== 'startup').map(({ name }) => name);
  assert.deepEqual(
    all.found.map((found) => found.measurement),
    names,
  );
  const median = RESULT.measurements[1]!.servers.rs!.metrics.throughput_events_per_s!.median;
  assert.deepEqual(all.found[0], { measurement: 'batch', value: median, holds: true });
  assert.equal(all.found.find(({ measurement }) => measurement === 'open_10000')?.holds, false);
  assert.equal(outcomeHolds(all), false, 'one that does not hold is enough');
  assert.equal(outcomeHolds(outcome('rs.throughput_events_per_s>900')), true);
});

test('a bound that is met exactly holds only with an equals sign', () => {
  const { median } = RESULT.measurements[0]!.servers.ts!.metrics.start_ms!;
  const holds = ['<', '<=', '>', '>='].map((operator) =>
    outcomeHolds(outcome(`ts.start_ms${operator}${median}`)),
  );
  assert.deepEqual(holds, [false, true, false, true]);
});

test('a ratio is that of the comparison', () => {
  const [found] = outcome('ratio.start_ms<1').found;
  const { ratio } = RESULT.measurements[0]!.comparison!.start_ms!;
  assert.deepEqual(found, { measurement: 'startup', value: ratio, holds: true });
});

test('sizes are found next to the servers', () => {
  const { rs, ts } = RESULT.servers;
  assert.deepEqual(outcome('rs.deployed_bytes<1').found, [
    { measurement: 'deployed', value: rs!.deployed.own_bytes, holds: false },
  ]);
  assert.deepEqual(outcome('ratio.deployed_with_runtime_bytes<1').found, [
    {
      measurement: 'deployed',
      value: rs!.deployed.with_runtime_bytes / ts!.deployed.with_runtime_bytes,
      holds: true,
    },
  ]);
});

test('what was measured nowhere holds no condition', () => {
  const nowhere: Result = {
    ...RESULT,
    measurements: RESULT.measurements.map(
      (measurement): Measurement => ({ ...measurement, servers: { rs: { metrics: { start_ms: null } } } }),
    ),
  };
  const unmeasured = outcome('rs.start_ms<1e9', nowhere);
  assert.ok(unmeasured.found.length > 0 && unmeasured.found.every(({ value }) => value === null));
  assert.equal(outcomeHolds(unmeasured), false);
  assert.deepEqual(outcome('rs.peak_rss_bytes<1e12', nowhere).found, []);
  assert.equal(outcomeHolds(outcome('rs.peak_rss_bytes<1e12', nowhere)), false);
  const alone = shapes(sampleReportResult())['Rust alone'];
  assert.equal(outcomeHolds(outcome('ratio.throughput_events_per_s>0', alone)), false);
  assert.equal(outcomeHolds(outcome('ts.deployed_bytes>0', alone)), false);
});

test('a measurement without streams says nothing of their delivery lag', () => {
  const lag = outcome('rs.stream_lag_p99_ms<1000');
  assert.deepEqual(
    lag.found.map((found) => found.measurement),
    ['stream', 'soak'],
  );
  assert.equal(outcomeHolds(lag), true);
});
