/** Tests the section "Which server should I ship?" of the README: six rows, and a sentence for each reader. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Summary } from '../src/analyse/statistics.ts';
import { choiceSection } from '../src/report/choice.ts';
import type { RawResult } from '../src/result/result.ts';
import { alike, FULL, only, swapped } from './report-fixture.ts';

const section = (result: RawResult) => choiceSection(result, null);

/** Returns a result in which each measurement has these CPU times per event. */
function withCpu(rs: number, ts: number): RawResult {
  const result = structuredClone(FULL);
  for (const { servers } of result.measurements)
    for (const [name, median] of Object.entries({ rs, ts }) as [TargetName, number][]) {
      const metrics = servers[name]!.metrics as Record<string, Summary | null>;
      const found = metrics.server_cpu_us_per_event;
      if (found) metrics.server_cpu_us_per_event = { ...found, median };
    }
  return result;
}

test('the table has its head and six rows, none of them cold, and the README stays short', () => {
  const text = section(FULL);
  const rows = text.slice(0, text.indexOf('- **')).split('\n');
  assert.equal(rows.filter((line) => /^\| [A-Z]/.test(line)).length, 7);
  assert.doesNotMatch(text, /cold|undefined|NaN|\bnull\b/);
  assert.match(text, /\| Latency p99 at 10,000 events\/s \|/);
  assert.ok(text.split('\n').length < 35);
});

test('the choice matters from the rate on at which CPU time differs by a tenth of a core', () => {
  const text = section(withCpu(10, 30));
  assert.match(text, /matters from about 5,000 events\/s on\. There TypeScript takes a tenth of a core more/);
  assert.match(text, /With one event in each request it is about 5,000 events\/s\./);
  assert.match(section(withCpu(50, 10)), /matters from about 2,500 events\/s on\. There Rust takes/);
  assert.doesNotMatch(section(only(['startup', 'batch', 'open_10000'])), /With one event/);
  assert.match(section(alike()), /the rate does not decide/);
});

test('the server at the lower throughput is named first, whichever it is', () => {
  assert.match(section(FULL), /At saturation TypeScript takes about/);
  assert.match(section(swapped()), /At saturation Rust takes about/);
});

test('warnings are one line with their number', () => {
  const count = [FULL, ...FULL.measurements].flatMap(({ warnings }) => warnings).length;
  assert.ok(section(FULL).includes(`[${count} warnings of the run](docs/benchmark-results.md#`));
  const measurements = FULL.measurements.map((one) => ({ ...one, warnings: [] }));
  assert.match(section({ ...FULL, warnings: [], measurements }), /The run has no warnings\./);
});

test('a result without one of the rows is refused', () => {
  for (const names of [
    ['startup', 'batch'],
    ['batch', 'open_10000'],
  ])
    assert.throws(() => section(only(names)), /lacks starts, the closed loop or the open loop/);
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
  assert.ok(text.includes('| Lines of code (and of SQL) | 100 (10) | 200 (10) | 300 (10) | 400 (10) |'));
  assert.match(text, /\| Clean build \| none \| 12 s \|/);
  assert.match(text, /Throughput: the design is worth [\d.]+ times in TypeScript and [\d.]+ times in Rust;/);
  assert.doesNotMatch(choiceSection(only(['startup', 'batch', 'open_10000']), facts), /plain server/);
});
