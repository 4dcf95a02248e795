/**
 * What readers see as text: right directions whatever the figures are, nothing below the noise floor called a
 * difference, and every form of a result shown without a gap.
 *
 * Over 250 lines because each way of showing a figure is checked against the same results.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Drift, DriftVerdict } from '../src/analyse/drift.ts';
import type { Comparison } from '../src/analyse/statistics.ts';
import { documentOf } from '../src/report/document.ts';
import { formatDelta, formatRatio, formatSummary, formatValue, percent } from '../src/report/format.ts';
import { driftText } from '../src/report/series.ts';
import { terminalReport } from '../src/report/terminal.ts';
import { sentenceOf } from '../src/report/verdict.ts';
import { sampleReportResult } from './report-fixture.ts';
import { alike, hostile, only, shapes, swapped } from './report-shapes.ts';

const FULL = sampleReportResult();

const EXPORTS = { terminalReport, documentOf } as const;

const HIGHER: Comparison = {
  ratio: 1.22,
  low: 1.2,
  high: 1.31,
  confidence: 0.95,
  interval: 'bootstrap_of_paired_rounds',
  pairs: [1.2, 1.31],
  noise_floor: 0.04,
  verdict: 'higher',
};
const THROUGHPUT = ['throughput_events_per_s', 'Throughput'] as const;

test('figures keep three significant digits and their unit', () => {
  assert.equal(formatValue(12.345, 'ms'), '12.3 ms');
  assert.equal(formatValue(1234.5, 'us'), '1,235 µs');
  assert.equal(formatValue(675.4, 'bytes'), '675 B');
  assert.equal(formatValue(3 * 1024 ** 2, 'bytes'), '3.00 MiB');
  assert.equal(formatValue(3 * 1024 ** 3, 'bytes'), '3.00 GiB');
  assert.equal(formatValue(61_415.4, 'events_per_s'), '61,415 events/s');
  assert.equal(percent(0.0402), '4 %');
  assert.equal(percent(0.218), '22 %');
  assert.equal(formatDelta(0.5), '−50.0 %');
  assert.equal(formatDelta(1), '0 %');
  assert.equal(formatSummary(null, 'ms'), 'not measured');
  assert.equal(formatRatio(HIGHER), '1.22 [1.20, 1.31]');
  assert.equal(formatRatio({ ...HIGHER, interval: 'none' }), '1.22');
});

test('a figure stands with minimum and maximum, its unit once', () => {
  const of = (median: number, min: number, max: number) => ({
    median,
    min,
    max,
    spread: (max - min) / median,
    samples: 5,
  });
  assert.equal(formatSummary(of(206.2, 184, 251), 'ms'), '206 ms (184–251)');
  assert.equal(formatSummary(of(83.7, 61, 1100), 'ms'), '83.7 ms (61.0–1,100)');
  assert.equal(formatSummary(of(68_293, 56_881, 72_208), 'events_per_s'), '68,293 events/s (56.9k–72.2k)');
  assert.equal(formatSummary(of(8923, 8723, 9250), 'events_per_s'), '8,923 events/s (8,723–9,250)');
  assert.equal(formatSummary(of(1024 ** 2, 1000, 2 * 1024 ** 2), 'bytes'), '1.00 MiB (1,000 B–2.00 MiB)');
  assert.equal(formatSummary(of(0.4, 0.39, 0.52), 'share'), '40 % (39 %–52 %)');
  assert.equal(formatSummary(of(3, 2, 4), 'count'), '3 (2–4)');
  // What rounds to the same says nothing.
  assert.equal(formatSummary(of(660, 659.98, 660.02), 'bytes'), '660 B');
  assert.equal(formatSummary(of(3, 3, 3), 'count'), '3');
});

test('a verdict is one sentence with ratio, interval and noise floor', () => {
  assert.equal(
    sentenceOf(...THROUGHPUT, HIGHER),
    'Rust takes 22 % more events per second (1.22 [1.20, 1.31], noise floor 4 %).',
  );
  assert.equal(
    sentenceOf(...THROUGHPUT, { ...HIGHER, ratio: 0.8, low: 0.7, high: 0.9, verdict: 'lower' }),
    'Rust takes 20 % fewer events per second (0.80 [0.70, 0.90], noise floor 4 %).',
  );
  assert.equal(
    sentenceOf('peak_rss_bytes', 'Peak RSS', { ...HIGHER, ratio: 3.14, low: 3, high: 3.2 }),
    'Rust holds 3.1 times as much memory at its peak (3.14 [3.00, 3.20], noise floor 4 %).',
  );
});

test('no verdict but a difference makes a claim', () => {
  const none: Comparison = { ...HIGHER, ratio: 1.03, verdict: 'no_difference', noise_floor: 0.05 };
  assert.equal(sentenceOf(...THROUGHPUT, none), 'Throughput: no difference beyond the noise floor of 5 %.');
  const wide: Comparison = { ...none, ratio: 1.3, low: 0.9, high: 1.6 };
  // A change of 23 %, counted from the smaller, is beyond the floor; it is the interval that holds 1.
  const lower: Comparison = { ...none, ratio: 0.81, low: 0.6, high: 1.1, noise_floor: 0.2 };
  assert.match(
    sentenceOf(...THROUGHPUT, lower),
    /no difference, since the interval \[0\.60, 1\.10\] holds 1/,
  );
  assert.match(sentenceOf(...THROUGHPUT, wide), /no difference, since the interval \[0\.90, 1\.60\] holds 1/);
  assert.match(sentenceOf(...THROUGHPUT, { ...HIGHER, verdict: 'too_few_rounds' }), /too few rounds/);
  assert.match(sentenceOf(...THROUGHPUT, null), /nothing can be said/);
});

for (const [exporter, write] of Object.entries(EXPORTS)) {
  for (const [shape, result] of Object.entries(shapes(FULL))) {
    test(`${exporter} shows ${shape} without a gap`, () => {
      const text = write(result);
      assert.doesNotMatch(text, /undefined|NaN|Infinity|\[object|\bnull\b/);
      assert.equal(write(result), text);
      if (shape.endsWith('alone')) assert.doesNotMatch(text, /Rust \/ TypeScript|Delta/);
    });
  }

  test(`${exporter} turns with the figures`, () => {
    assert.match(write(FULL), /Rust takes \d+ % more events per second|Rust takes 18 %/);
    const turned = write(swapped(FULL));
    assert.match(turned, /Rust takes \d+ % fewer events per second/);
    assert.doesNotMatch(turned, /Rust holds \d+ % less memory/);
  });

  test(`${exporter} claims nothing of speed or memory when nothing differs`, () => {
    const text = write(alike(FULL));
    assert.doesNotMatch(text, /Rust (takes|holds|spends|keeps)|Rust’s [^.]* is \d/);
    assert.match(text, /[Nn]o difference/);
  });

  // A terminal has no markup.
  if (exporter === 'terminalReport') continue;
  test(`${exporter} shows text of the result as text`, () => {
    const text = write(hostile(FULL)).replaceAll(/```[\s\S]*?```/g, '');
    assert.doesNotMatch(text, /<img/);
    assert.match(text, /&lt;img/);
  });
}

test('the terminal stays within 100 columns', () => {
  for (const [shape, result] of Object.entries(shapes(FULL))) {
    const lines = terminalReport(result).split('\n');
    const wide = lines.filter((line) => [...line].length > 100);
    assert.deepEqual(wide, [], shape);
  }
});

test('the terminal has one table for the open loop, drift, ceilings and warnings', () => {
  const text = terminalReport(FULL);
  assert.equal(text.match(/Open loop: latency from the moment/g)?.length, 1);
  assert.match(text, /│ 30,000\/s +│ TypeScript │ 30,000\/s/);
  assert.match(text, /RSS +│ rising: 31\.0 MiB\/h/);
  assert.match(text, /not enough samples \(600\)/);
  assert.match(text, /Rust: \d+ % of what its own database takes in bulk/);
  assert.match(text, /power: ts: throughput varied by 24 % between rounds\n +Close other programs/);
  assert.match(text, /rs\.p99_ms<250 in batch: 196, holds/);
});

test('the document says whether all was measured', () => {
  const lines = documentOf(FULL).split('\n');
  assert.ok(!lines.some((line) => line.includes('Not measured in this run')));
  assert.ok(lines.includes('status: complete'));
  assert.ok(
    documentOf(only(FULL, ['startup']))
      .split('\n')
      .includes('status: partial'),
  );
});

test('the document keeps the form of the report before', () => {
  const headings = documentOf(FULL)
    .split('\n')
    .filter((line) => /^##? |^### /.test(line));
  const wanted = [
    '## Environment',
    '## Workload Parameters',
    '## Results',
    '## Analysis',
    '### Memory',
    '### Throughput',
    '### Latency',
    '### Startup',
    '### Size',
    '## Open Loop',
    '## Stream',
    '## Caveats',
    '## Raw Data',
    '## Reproduction',
  ];
  assert.deepEqual(
    headings.filter((heading) => wanted.includes(heading)),
    wanted,
  );
});

test('a soak is said to have no noise floor, and a result without one nothing of the kind', () => {
  assert.match(documentOf(FULL), /A soak has one round a server/);
  assert.doesNotMatch(documentOf(only(FULL, ['startup', 'batch'])), /A soak has one round a server/);
});

test('each verdict on a drift has its words', () => {
  const drift = (verdict: DriftVerdict, slope: number, low: number, high: number): Drift => ({
    slope_per_hour: slope,
    low,
    high,
    confidence: 0.95,
    samples: 50,
    tolerance_per_hour: 1,
    verdict,
  });
  const words = (found: Drift) => driftText('file_descriptors', found).split(':')[0];
  assert.equal(words(drift('stable', 0, -1, 1)), 'stable');
  assert.equal(words(drift('no_drift_shown', 580, -53, 1103)), 'no drift shown');
  assert.equal(words(drift('rising', 580, 53, 1103)), 'rising');
  assert.equal(
    driftText('rss_bytes', {
      ...drift('not_enough_samples', 0, 0, 0),
      slope_per_hour: null,
      low: null,
      high: null,
    }),
    'not enough samples (50)',
  );
});
