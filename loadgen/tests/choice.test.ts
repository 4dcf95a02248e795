/** Tests the section "Which server should I ship?" of the README: six rows, and a sentence for each reader. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choiceSection } from '../src/report/choice.ts';
import type { RawResult } from '../src/result/result.ts';
import { sampleReportResult } from './report-fixture.ts';
import { alike, hostile, only, swapped } from './report-shapes.ts';

const FULL = sampleReportResult();
const rowsIn = (text: string) => text.split('\n').filter((line) => /^\| [A-Z]/.test(line));

/** Returns a result whose open loop has these CPU times per event. */
function openWith(cpu: Readonly<Record<'rs' | 'ts', number>>): RawResult {
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
  const text = choiceSection(FULL, null);
  assert.equal(rowsIn(text.slice(0, text.indexOf('- **'))).length, 7);
  assert.doesNotMatch(text, /cold|undefined|NaN|\bnull\b/);
  assert.match(text, /\| Latency p99 at 10,000 events\/s \|/);
  assert.ok(text.split('\n').length < 35);
});

test('the choice matters from the rate on at which CPU time differs by a tenth of a core', () => {
  const text = choiceSection(openWith({ rs: 10, ts: 30 }), null);
  assert.match(text, /matters from about 5,000 events\/s on\. There TypeScript takes a tenth of a core more/);
  const turned = choiceSection(swapped(openWith({ rs: 10, ts: 50 })), null);
  assert.match(turned, /matters from about 2,500 events\/s on\. There Rust takes a tenth of a core more/);
});

test('the rate for single events stands next to it, and only where they were measured', () => {
  const open = openWith({ rs: 10, ts: 30 });
  assert.match(choiceSection(open, null), /With one event in each request it is about [\d,]+ events\/s\./);
  assert.doesNotMatch(choiceSection(only(open, ['startup', 'batch', 'open_10000']), null), /With one event/);
});

test('no rate is named when CPU time does not differ', () => {
  const text = choiceSection(alike(FULL), null);
  assert.doesNotMatch(text, /the choice matters/);
  assert.match(text, /the rate does not decide/);
});

test('the server at the lower throughput is named first, whichever it is', () => {
  assert.match(choiceSection(FULL, null), /At saturation TypeScript takes about/);
  assert.match(choiceSection(swapped(FULL), null), /At saturation Rust takes about/);
});

test('warnings are one line with their number', () => {
  const lines = choiceSection(FULL, null)
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
  assert.match(choiceSection(calm, null), /The run has no warnings\./);
});

test('text of a result is shown as text', () => {
  const text = choiceSection(hostile(FULL), null);
  assert.doesNotMatch(text, /<img/);
  assert.match(text, /&lt;img/);
});

test('a result without one of the rows is refused with what is missing', () => {
  assert.throws(
    () => choiceSection(only(FULL, ['startup', 'batch']), null),
    /no open_10000 in the comparison/,
  );
  assert.throws(() => choiceSection(only(FULL, ['batch', 'open_10000']), null), /no starts/);
});

test('design and language stand in one table, with lines, dependencies and builds where they are known', () => {
  const facts = (['plain-ts', 'ts', 'plain-rs', 'rs'] as const).map((name, i) => ({
    name,
    language: name.endsWith('rs') ? ('Rust' as const) : ('TypeScript' as const),
    lines: 100 * (i + 1),
    sql_lines: 10,
    dependencies: { direct: i + 1, all: 50 },
    clean_build_s: i === 0 ? null : 12,
  }));
  const text = choiceSection(FULL, facts);
  assert.match(text, /\| Throughput \| [\d,]+ events\/s \| [\d,]+ events\/s \|/);
  assert.match(
    text,
    /\| Lines of code \(and of SQL\) \| 100 \(10\) \| 200 \(10\) \| 300 \(10\) \| 400 \(10\) \|/,
  );
  assert.match(text, /\| Clean build \| none \| 12 s \|/);
  assert.match(
    text,
    /Throughput: the design is worth [\d.]+ times in TypeScript and [\d.]+ times in Rust; the language/,
  );
  assert.doesNotMatch(choiceSection(only(FULL, ['startup', 'batch', 'open_10000']), facts), /plain server/);
});
