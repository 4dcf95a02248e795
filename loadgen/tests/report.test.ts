/**
 * Tests every form of a report against the committed result and other forms of it. Nothing is missing, and a direction
 * follows the figures. A ratio whose interval contains 1 is no difference. Text of a result is never markup.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choiceSection } from '../src/report/choice.ts';
import { documentOf } from '../src/report/document.ts';
import { htmlReport } from '../src/report/html.ts';
import { quickReport, terminalReport } from '../src/report/terminal.ts';
import type { RawResult } from '../src/result/result.ts';
import { alike, FULL, hostile, only, SHAPES, swapped } from './report-fixture.ts';

const REPORTS = { terminalReport, quickReport, documentOf, htmlReport } as const;
const TERMINALS = { terminalReport, quickReport } as const;
const MARKUPS = { documentOf, htmlReport, choiceSection: (result: RawResult) => choiceSection(result, null) };

/** Returns a text without line breaks, which a terminal may have between any two words. */
const flat = (text: string) => text.replaceAll(/\s+/g, ' ');

for (const [name, write] of Object.entries(REPORTS)) {
  test(`${name} shows every form of a result without a gap, the same every time, in a terminal within 100 columns`, () => {
    for (const [shape, result] of Object.entries(SHAPES)) {
      const text = write(result);
      assert.doesNotMatch(text, /undefined|NaN|Infinity|\[object|\bnull\b/, shape);
      assert.equal(write(result), text, shape);
      if (shape.endsWith('alone')) assert.doesNotMatch(text, /Rust \/ TypeScript|Delta/, shape);
      if (name in TERMINALS) assert.doesNotMatch(text, /^.{101}/mu, shape);
    }
  });

  test(`${name} turns with the figures, and claims nothing of speed or memory when nothing differs`, () => {
    assert.match(flat(write(FULL)), /Rust takes \S+ .{0,12}(as many|more) events per second/);
    assert.match(flat(write(swapped())), /Rust takes \d+ % fewer events per second/);
    const text = flat(write(alike()));
    assert.doesNotMatch(text, /Rust (takes|holds|spends|keeps) \d|Rust’s [^.]* is \d/);
    assert.match(text, /[Nn]o difference/);
  });
}

test('text of the result is text in each kind of markup, and never a tag', () => {
  for (const [name, write] of Object.entries(MARKUPS)) {
    const text = write(hostile()).replaceAll(/```[\s\S]*?```/g, '');
    assert.doesNotMatch(text, /<img/, name);
    assert.match(text, /&lt;img/, name);
  }
});

test("the terminal has one table for each kind of figure, a user's loads before throughput", () => {
  const text = terminalReport(FULL);
  for (const title of ['The comparison', 'Design and language', 'Throughput and CPU', 'Open loop: latency'])
    assert.equal(text.split(`\n${title}`).length, 2, title);
  assert.match(text, /│ 30,000\/s +│ TypeScript │ 30,000\/s/);
  assert.match(text, /Drift over[\s\S]*RSS +│ [a-z ]+: [\d.]+ MiB\/h/);
  assert.match(flat(text), /: TypeScript \d+ %, Rust \d+ % of what their own databases take in bulk/);
  assert.match(text, /It limits /);
  const labels = ['CPU per event, 1,000/s', 'CPU per event, 10,000/s', 'Latency p99, 1,000/s', 'Throughput'];
  const places = labels.map((label) => text.indexOf(`│ ${label}`));
  assert.ok(places.every((place, i) => place > (places[i - 1] ?? 0)));
});

test('the report states agreement of halves, intervals and both generators', () => {
  for (const text of [terminalReport(FULL), documentOf(FULL)].map(flat)) {
    assert.match(text, /Odd and even rounds agree within 10 % in \d+ of \d+ ratios of the headline/);
    assert.match(text, /known to: throughput ±[\d.]+ %, CPU per event ±[\d.]+ % \(goal ±5 %\)/);
    assert.match(text, /in CPU per event with wrk, and .* with autocannon, in the same processes/);
  }
});

test('the document has the form of the first report in at most 15 KB, and states whether all was measured', () => {
  const text = documentOf(FULL);
  assert.ok(Buffer.byteLength(text) <= 15 * 1024, `${Buffer.byteLength(text)} bytes`);
  assert.match(
    text,
    /^status: complete$[\s\S]*## Environment[\s\S]*## Workload Parameters[\s\S]*## Results[\s\S]*## Analysis[\s\S]*## Caveats[\s\S]*it has one round a server[\s\S]*## Raw Data[\s\S]*## Reproduction/m,
  );
  const partial = documentOf(only(['startup', 'batch']));
  assert.match(partial, /^status: partial$[\s\S]*This run has no soak/m);
  assert.doesNotMatch(partial, /### (Open|Design)/);
});

test('the page is alone in its file, and every plot has a description', () => {
  const page = htmlReport(FULL);
  assert.doesNotMatch(page, /<(script|img|iframe|object|embed|link rel="stylesheet")/);
  assert.equal(page.replaceAll('http://www.w3.org/', '').match(/https?:|url\(|@import/g), null);
  const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:".replaceAll("'", '&#39;');
  assert.ok(page.includes(`Content-Security-Policy" content="${policy}`));
  const figures = page.split('<figure ').slice(1);
  assert.ok(figures.length >= 3, `${figures.length} plots`);
  for (const figure of figures) {
    assert.match(figure, /<svg [^>]*role="img" aria-label="[^"]+"/);
    assert.match(figure, /<svg [^>]*><title>[^<]+<\/title><desc>[^<]+<\/desc>/);
    assert.match(figure, /●|◆/);
  }
});

test('the cards follow the verdicts, and each warning states what it limits', () => {
  const page = htmlReport(FULL);
  assert.match(page, /class="verdict">Rust takes [^<]+ events per second\.</);
  const claims = htmlReport(alike())
    .match(/class="verdict">[^<]+/g)!
    .filter((card) => !/no difference/i.test(card));
  assert.match(claims.join('\n'), /^class="verdict">Rust with its runtime is [^\n]* to deploy\.$/);
  const kinds = new Set(
    [FULL, ...FULL.measurements].flatMap(({ warnings }) => warnings.map(({ code }) => code)),
  );
  assert.equal(page.match(/<small>It limits [^<]+<\/small>/g)?.length, kinds.size);
});

test('the report of bench names no flag, ends with the answers, and states a version without a commit', () => {
  const environment = { ...FULL.environment, commit: null, dirty: null, rustc_version: null };
  const text = quickReport({ ...FULL, environment });
  assert.doesNotMatch(text, / --[a-z]/);
  assert.match(text, /^twin-ingest \d+\.\d+\.\d+$/m);
  assert.doesNotMatch(text, /commit|rustc/);
  assert.match(
    text,
    /\nWhich server:\n- You run coding agents: [\s\S]*\n- You ask "Node or Rust\?": [^\n]*\n(?: {2}[^\n]*\n)*$/,
  );
});
