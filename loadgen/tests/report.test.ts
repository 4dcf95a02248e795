/**
 * Tests figures and verdicts as text, and every form of a report on the committed result and other forms of it. Nothing
 * is missing, and a direction follows the figures. A ratio whose interval contains 1 is no difference. Text of a result
 * is never markup.
 *
 * `pnpm results:check` compares the documents of the committed result with their files.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Comparison } from '../src/analyse/statistics.ts';
import type { WarningCode } from '../src/analyse/warning.ts';
import { warningOf } from '../src/analyse/warnings.ts';
import { choiceSection, documentOf } from '../src/report/document.ts';
import { formatRatio, formatSummary } from '../src/report/format.ts';
import { htmlReport } from '../src/report/html.ts';
import { verdictText } from '../src/report/rows.ts';
import { terminalReport } from '../src/report/terminal.ts';
import type { RawResult } from '../src/result/result.ts';
import { ALIKE, compared, FULL, hostile, only, SHAPES, SWAPPED } from './report-fixture.ts';

const readme = (result: RawResult) => choiceSection(result);
const REPORTS = { terminalReport, documentOf, htmlReport } as const;

/** Returns a text without line breaks, which a terminal may have between any two words. */
const flat = (text: string) => text.replaceAll(/\s+/g, ' ');

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
  const higher: Comparison = {
    ...{ ratio: 1.22, low: 1.2, high: 1.31, verdict: 'higher' },
    ...{ confidence: 0.95, interval: 'two_level_bootstrap', split_half: null },
  };
  const none: Comparison = { ...higher, ratio: 1.03, low: 0.97, high: 1.1, verdict: 'no_difference' };
  const exact: Comparison = { ...none, ratio: 1, interval: 'none' };
  for (const [comparison, sentence] of [
    [higher, 'Rust takes 22 % more events per second.'],
    [none, 'No difference: the interval [0.97, 1.10] holds 1.'],
    [{ ...none, verdict: 'too_few_rounds' }, 'Too few rounds to say.'],
    [exact, 'The same.'],
    [null, 'Nothing can be said.'],
  ] as const)
    assert.equal(verdictText({ key: 'throughput_events_per_s', comparison }), sentence);
  const peak = { key: 'peak_rss_bytes', comparison: { ...higher, ratio: 3.14 } };
  assert.equal(verdictText(peak), 'Rust holds 3.1 times as much memory at its peak.');
  assert.deepEqual([formatRatio(higher), formatRatio(exact)], ['1.22 [1.20, 1.31]', '1.00']);
});

for (const [name, write] of Object.entries(REPORTS)) {
  test(`${name} shows every form of a result without a gap, the same every time, in a terminal within 100 columns`, () => {
    for (const [shape, result] of Object.entries(SHAPES)) {
      const text = write(result);
      assert.doesNotMatch(text, /undefined|NaN|Infinity|\[object|\bnull\b/, shape);
      assert.equal(write(result), text, shape);
      if (shape.endsWith('alone')) assert.doesNotMatch(text, /Rust \/ TypeScript|Delta/, shape);
      if (write === terminalReport) assert.doesNotMatch(text, /^.{101}/mu, shape);
    }
  });

  test(`${name} turns with the figures, and claims nothing of speed or memory when nothing differs`, () => {
    assert.match(flat(write(FULL)), /Rust takes \S+ .{0,12}(as many|more) events per second/);
    const lower = write(compared({ ratio: 0.8, verdict: 'lower' }));
    assert.match(flat(lower), /Rust takes 20 % fewer events per second/);
    const text = flat(write(ALIKE));
    assert.doesNotMatch(text, /Rust (takes|holds|spends|keeps) \d|Rust’s [^.]* is \d/);
    assert.match(text, /[Nn]o difference/);
    const unsure = flat(write(compared({ verdict: 'too_few_rounds' })));
    assert.doesNotMatch(unsure, /[Nn]o difference|Rust (takes|holds|spends|keeps) \d[^.]* %/);
    assert.match(unsure, /[Tt]oo few rounds to (say|be sure)/);
  });
}

test('text of the result is text in each kind of markup, and never a tag', () => {
  for (const write of [documentOf, htmlReport, readme]) {
    const text = write(hostile()).replaceAll(/```[\s\S]*?```/g, '');
    assert.doesNotMatch(text, /<img/, write.name);
    assert.match(text, /&(lt|#60);img/, write.name);
  }
});

test("the terminal has a table for each kind of figure, a user's loads before throughput", () => {
  const text = terminalReport(FULL);
  for (const title of ['Results', 'Design and language', 'Throughput and CPU', 'Open loop', 'Drift over'])
    assert.equal(text.split(`\n\n${title}`).length + Number(text.startsWith(title)), 2, title);
  assert.match(text, /│ CPU per event, 1,000\/s[\s\S]*│ CPU per event, 10,000\/s[\s\S]*│ Throughput/);
});

test('the document has at most 15 KB, and states whether all was measured', () => {
  const text = documentOf(FULL);
  assert.ok(Buffer.byteLength(text) <= 15 * 1024, `${Buffer.byteLength(text)} bytes`);
  assert.match(text, /^status: complete$[\s\S]*it has one round a server/m);
  const partial = documentOf(only('startup', 'batch'));
  assert.match(partial, /^status: partial$[\s\S]*This run has no soak/m);
  assert.doesNotMatch(partial, /### (Open|Design)/);
});

test('the page is alone in its file, its plots have descriptions, and its cards follow the verdicts', () => {
  const page = htmlReport(FULL);
  assert.doesNotMatch(page, /<(script|img|iframe|object|embed|link rel="stylesheet")/);
  assert.equal(page.replaceAll('http://www.w3.org/', '').match(/https?:|url\(|@import/g), null);
  assert.ok(page.includes(`Content-Security-Policy" content="default-src &#39;none&#39;; style-src`));
  const described =
    /(●|◆)[\s\S]*<svg [^>]*role="img" aria-label="[^"]+"><title>[^<]+<\/title><desc>[^<]+<\/desc>/;
  const figures = page.split('<figure>').slice(1);
  assert.ok(figures.length === 3 && figures.every((figure) => described.test(figure)));
  assert.match(page, /class="verdict">Rust takes [^<]+ events per second\.</);
  for (const card of htmlReport(ALIKE).match(/class="verdict">[^<]+/g)!)
    assert.match(card, /no difference|to deploy/i);
});

test('each kind of warning is one line, which states what it limits', () => {
  const warnings = [FULL, ...FULL.measurements].flatMap((one) => one.warnings);
  const kinds = new Set(warnings.map(({ code }) => code));
  for (const write of Object.values(REPORTS))
    assert.equal(write(FULL).match(/[a-z_]+ \(limits [^)]+\)/g)?.length, kinds.size, write.name);
});

test('the README says in one sentence what limits its figures, and names warnings of its measurements alone', () => {
  const warned = (name: string, codes: readonly WarningCode[], placement = FULL.placement) => {
    const seen = codes.map((code) => warningOf(code, 'seen'));
    const measurements = FULL.measurements.map((one) => ({
      ...one,
      warnings: one.name === name ? seen : [],
    }));
    return /^What limits these figures: (.*) \(\[warnings\]\(docs\/benchmark-results\.md#warnings\)\)\.$/m.exec(
      readme({ ...FULL, placement, warnings: [], measurements }),
    )![1];
  };
  const pinned = { ...FULL.placement, pinned: true };
  const shared = 'server and load generator shared 2 cores, so CPU time is the sounder figure';
  assert.equal(warned('stream', ['other_load'], pinned), 'no warning');
  assert.equal(warned('stream', ['other_load'], { ...pinned, pinned: false }), shared);
  const both = warned('open_10000', ['late_generator', 'not_steady', 'other_load'], pinned);
  assert.equal(both, 'the run has the warnings `late_generator`, `other_load`');
});

test('the report of bench names no flag, ends with the answers, and states a version without a commit', () => {
  const environment = { ...FULL.environment, commit: null, dirty: null, rustc_version: null };
  const text = terminalReport({ ...FULL, environment, flags: [] });
  assert.doesNotMatch(text, / --[a-z]|[Cc]ommit|rustc/);
  assert.match(text, /^- Version: twin-ingest \d+\.\d+\.\d+$/m);
  assert.match(
    text,
    /\nWhich server\n─+\n- You run coding agents: [\s\S]*\n- You ask "Node or Rust\?": [^\n]*\n/,
  );
});

test('the README names the lower throughput first, and the rate at which CPU time differs by a tenth of a core', () => {
  assert.match(readme(FULL), /At saturation TypeScript takes about/);
  assert.match(readme(SWAPPED), /At saturation Rust takes about/);
  assert.throws(() => readme(only('startup', 'batch')), /lacks starts, the closed loop or the open loop/);
  const withCpu = (rs: number, ts: number) => {
    const result = structuredClone(FULL);
    for (const { servers } of result.measurements)
      for (const [server, median] of [[servers.rs, rs] as const, [servers.ts, ts] as const])
        Object.assign(server!.metrics.server_cpu_us_per_event ?? {}, { median });
    return readme(result);
  };
  const costly = withCpu(10, 30);
  assert.match(costly, /matters from about 5,000 events\/s on\. There TypeScript takes a tenth of a core/);
  assert.match(costly, /With one event in each request it is about 5,000 events\/s\./);
  assert.match(withCpu(50, 10), /matters from about 2,500 events\/s on\. There Rust takes/);
  assert.doesNotMatch(readme(only('startup', 'batch', 'open_10000')), /With one event/);
  assert.match(readme(ALIKE), /the rate does not decide/);
});
