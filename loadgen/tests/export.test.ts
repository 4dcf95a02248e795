/**
 * Tests the reports as text: a direction follows the figures, and a ratio whose interval contains 1 is no difference.
 * Every form of a result is shown without a gap.
 *
 * Over 250 lines because each report format is checked against the same results.
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
  interval: 'two_level_bootstrap',
  split_half: null,
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
  // A range whose ends round to the same text is left out.
  assert.equal(formatSummary(of(660, 659.98, 660.02), 'bytes'), '660 B');
  assert.equal(formatSummary(of(3, 3, 3), 'count'), '3');
});

test('a verdict is one sentence with ratio and interval', () => {
  assert.equal(
    sentenceOf(...THROUGHPUT, HIGHER),
    'Rust takes 22 % more events per second (1.22 [1.20, 1.31]).',
  );
  assert.equal(
    sentenceOf(...THROUGHPUT, { ...HIGHER, ratio: 0.8, low: 0.7, high: 0.9, verdict: 'lower' }),
    'Rust takes 20 % fewer events per second (0.80 [0.70, 0.90]).',
  );
  assert.equal(
    sentenceOf('peak_rss_bytes', 'Peak RSS', { ...HIGHER, ratio: 3.14, low: 3, high: 3.2 }),
    'Rust holds 3.1 times as much memory at its peak (3.14 [3.00, 3.20]).',
  );
});

test('no verdict but a difference makes a claim', () => {
  const none: Comparison = { ...HIGHER, ratio: 1.03, low: 0.97, high: 1.1, verdict: 'no_difference' };
  assert.equal(
    sentenceOf(...THROUGHPUT, none),
    'Throughput: no difference: the interval [0.97, 1.10] holds 1.',
  );
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

test('the terminal has one table each for the headline, design, loads, rates and drift', () => {
  const text = terminalReport(FULL);
  for (const title of [
    'The comparison',
    'Design and language',
    'Every closed loop',
    'Open loop: latency',
    'Drift over',
  ])
    assert.equal(text.split('\n').filter((line) => line.startsWith(title)).length, 1, title);
  assert.match(text, /│ 30,000\/s +│ TypeScript │ 30,000\/s/);
  assert.match(text, /RSS +│ rising: 31\.0 MiB\/h/);
  assert.match(text, /not enough samples \(600\)/);
  assert.match(
    text,
    /: TypeScript \d+ %,\s+Rust\s+\d+\s+%\s+of\s+what\s+their\s+own\s+databases\s+take\s+in\s+bulk/,
  );
  assert.match(text, /It limits /);
});

test("the terminal shows a user's loads before throughput", () => {
  const [, table] = terminalReport(FULL).split('The comparison');
  const at = (label: string) => {
    const found = table!.indexOf(`│ ${label}`);
    assert.ok(found > 0, label);
    return found;
  };
  const labels = ['CPU per event, 1,000/s', 'CPU per event, 10,000/s', 'Latency p99, 1,000/s', 'Throughput'];
  const places = labels.map(at);
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
  );
});

test('the report states agreement of halves, intervals and both generators', () => {
  for (const text of [terminalReport(FULL), documentOf(FULL)]) {
    const line = text.replaceAll(/\s+/g, ' ');
    assert.match(line, /Odd and even rounds agree within 10 % in \d+ of \d+ ratios of the headline/);
    assert.match(line, /known to: throughput ±[\d.]+ %, CPU per event ±[\d.]+ % \(goal ±5 %\)/);
    assert.match(line, /in CPU per event with wrk, and .* with autocannon, in the same processes/);
  }
});

test('the document states whether all was measured', () => {
  assert.ok(documentOf(FULL).split('\n').includes('status: complete'));
  const partial = documentOf(only(FULL, ['startup'])).split('\n');
  assert.ok(partial.includes('status: partial'));
  assert.ok(partial.includes('Not measured in this run.'));
});

test('the document keeps the form of the first report, in at most 15 KB', () => {
  const text = documentOf(FULL);
  assert.ok(Buffer.byteLength(text) <= 15 * 1024, `${Buffer.byteLength(text)} bytes`);
  const wanted = [
    'Environment',
    'Workload Parameters',
    'Results',
    'Analysis',
    'Caveats',
    'Raw Data',
    'Reproduction',
  ];
  const headings = text.split('\n').filter((line) => line.startsWith('## '));
  assert.deepEqual(
    headings.map((line) => line.slice(3)).filter((heading) => wanted.includes(heading)),
    wanted,
  );
});

test('the caveats state whether there was a soak', () => {
  assert.match(documentOf(FULL), /it has one round a server/);
  assert.match(
    documentOf(only(FULL, ['startup', 'batch'])),
    /This run has no soak, so it says nothing about leaks/,
  );
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
