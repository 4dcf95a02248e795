/** Tests figures and verdicts as text. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Comparison } from '../src/analyse/statistics.ts';
import { formatRatio, formatSummary } from '../src/report/format.ts';
import { verdictText } from '../src/report/rows.ts';

const HIGHER: Comparison = {
  ...{ ratio: 1.22, low: 1.2, high: 1.31, verdict: 'higher' },
  ...{ confidence: 0.95, interval: 'two_level_bootstrap', split_half: null },
};

test('a figure stands with minimum and maximum, its unit once, unless all round to the same text', () => {
  for (const [median, min, max, unit, text] of [
    [206.2, 184, 251, 'ms', '206 ms (184–251)'],
    [83.7, 61, 1100, 'ms', '83.7 ms (61.0–1,100)'],
    [68_293, 56_881, 72_208, 'events_per_s', '68,293 events/s (56.9k–72.2k)'],
    [8923, 8723, 9250, 'events_per_s', '8,923 events/s (8,723–9,250)'],
    [1024 ** 2, 1000, 2 * 1024 ** 2, 'bytes', '1.00 MiB (1,000 B–2.00 MiB)'],
    [0.4, 0.39, 0.52, 'share', '40 % (39 %–52 %)'],
    [3, 2, 4, 'count', '3 (2–4)'],
    [660, 659.98, 660.02, 'bytes', '660 B'],
  ] as const)
    assert.equal(formatSummary({ median, min, max, spread: 1, samples: 5 }, unit), text);
  assert.equal(formatSummary(null, 'ms'), 'not measured');
});

test('a verdict is one sentence, and only a difference makes a claim', () => {
  const none: Comparison = { ...HIGHER, ratio: 1.03, low: 0.97, high: 1.1, verdict: 'no_difference' };
  const exact: Comparison = { ...none, ratio: 1, interval: 'none' };
  for (const [comparison, sentence] of [
    [HIGHER, 'Rust takes 22 % more events per second.'],
    [{ ...HIGHER, ratio: 0.8, verdict: 'lower' }, 'Rust takes 20 % fewer events per second.'],
    [none, 'No difference: the interval [0.97, 1.10] holds 1.'],
    [{ ...none, verdict: 'too_few_rounds' }, 'Too few rounds to say.'],
    [exact, 'The same.'],
    [null, 'Nothing can be said.'],
  ] as const)
    assert.equal(verdictText({ key: 'throughput_events_per_s', comparison }), sentence);
  const peak = { ...HIGHER, ratio: 3.14, low: 3, high: 3.2 };
  const sentence = 'Rust holds 3.1 times as much memory at its peak.';
  assert.equal(verdictText({ key: 'peak_rss_bytes', comparison: peak }), sentence);
  assert.deepEqual([formatRatio(HIGHER), formatRatio(exact)], ['1.22 [1.20, 1.31]', '1.00']);
});
