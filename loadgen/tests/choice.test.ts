/** The README's answer to "Which server should I ship?": six rows and a sentence for each reader. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choiceSection } from '../src/report/choice.ts';
import type { Result } from '../src/result/result.ts';
import { sampleReportResult } from './report-fixture.ts';
import { alike, hostile, only, swapped } from './report-shapes.ts';

const FULL = sampleReportResult();
const rowsIn = (text: string) => text.split('\n').filter((line) => /^\| [A-Z]/.test(line));

/** The open loop with these CPU times per event. */
function openWith(cpu: Readonly<Record<'rs' | 'ts', number>>): Result {
  return {
    ...FULL,
    measurements: FULL.measurements.map((measurement) => {
      const withCpu = (name: 'rs' | 'ts') => {
        const { metrics } = measurement.servers[name]!;
        const found = metrics.server_cpu_us_per_event;
        return {
          ...measurement.servers[name],
          metrics: found ? { ...metrics, server_cpu_us_per_event: { ...found, median: cpu[name] } } : metrics,
        };
      };
      return { ...measurement, servers: { rs: withCpu('rs'), ts: withCpu('ts') } };
    }),
  };
}

test('the table has its head and six rows, none of them cold, and the README stays short', () => {
  const text = choiceSection(FULL, FULL);
  assert.equal(rowsIn(text).length, 7);
  assert.doesNotMatch(text, /cold|undefined|NaN|\bnull\b/);
  assert.match(text, /\| Latency p99 at 10,000 events\/s \|/);
  assert.ok(text.split('\n').length < 25);
});

test('the choice matters from the rate on at which CPU time differs by a tenth of a core', () => {
  const text = choiceSection(FULL, openWith({ rs: 10, ts: 30 }));
  assert.match(text, /matters from about 5,000 events\/s on\. There TypeScript takes a tenth of a core more/);
  const turned = choiceSection(FULL, swapped(openWith({ rs: 10, ts: 50 })));
  assert.match(turned, /matters from about 2,500 events\/s on\. There Rust takes a tenth of a core more/);
});

test('the rate for single events stands next to it, and only where they were measured', () => {
  const open = openWith({ rs: 10, ts: 30 });
  assert.match(choiceSection(FULL, open), /With one event in each request it is about [\d,]+ events\/s\./);
  assert.doesNotMatch(choiceSection(only(FULL, ['startup', 'batch']), open), /With one event/);
});

test('no rate is named when CPU time does not differ', () => {
  const text = choiceSection(FULL, alike(FULL));
  assert.doesNotMatch(text, /the choice matters/);
  assert.match(text, /the rate does not decide/);
});

test('the server at the lower throughput is named first, whichever it is', () => {
  assert.match(choiceSection(FULL, FULL), /At saturation TypeScript takes about/);
  assert.match(choiceSection(swapped(FULL), FULL), /At saturation Rust takes about/);
});

test('warnings are one line with their number', () => {
  const lines = choiceSection(FULL, FULL)
    .split('\n')
    .filter((line) => line.includes('warnings'));
  assert.equal(lines.length, 1);
  const count = FULL.warnings.length + FULL.measurements.flatMap(({ warnings }) => warnings).length;
  assert.match(lines[0]!, new RegExp(`\\[${count} warnings of the run\\]\\(docs/benchmark-results\\.md#`));
  const calm = {
    ...FULL,
    warnings: [],
    measurements: FULL.measurements.map((one) => ({ ...one, warnings: [] })),
  };
  assert.match(choiceSection(calm, FULL), /The run has no warnings\./);
});

test('text of a result is shown as text', () => {
  const text = choiceSection(hostile(FULL), hostile(FULL));
  assert.doesNotMatch(text, /<img/);
  assert.match(text, /&lt;img/);
});

test('a result without one of the rows is refused with what is missing', () => {
  assert.throws(
    () => choiceSection(FULL, only(FULL, ['startup'])),
    /no open_10000 in docs\/performance\/open\.json/,
  );
  assert.throws(() => choiceSection(only(FULL, ['batch']), FULL), /no starts/);
});
