/**
 * Tests the report page: text never becomes markup, every plot has a description, and sections depend on what was
 * measured.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seenText } from '../src/report/conditions.ts';
import { html } from '../src/report/html/markup.ts';
import { htmlReport } from '../src/report/html.ts';
import { sampleReportResult } from './report-fixture.ts';
import { alike, hostile, only, shapes } from './report-shapes.ts';

const FULL = sampleReportResult();
const MOST_BYTES = 1_500_000;

test('what is put into markup stays text', () => {
  const bad = `"><img src=x onerror='1'>&`;
  const { text } = html`<b title="${bad}">${[bad, html`<i>${1}</i>`, null]}</b>`;
  const shown = '&quot;&gt;&lt;img src=x onerror=&#39;1&#39;&gt;&amp;';
  assert.equal(text, `<b title="${shown}">${shown}<i>1</i></b>`);
});

for (const [shape, result] of Object.entries({ ...shapes(FULL), 'hostile text': hostile(FULL) })) {
  test(`the page shows ${shape}, the same every time, alone in its file`, () => {
    const page = htmlReport(result);
    assert.equal(htmlReport(result), page);
    assert.ok(Buffer.byteLength(page) < MOST_BYTES, `${Buffer.byteLength(page)} bytes`);
    assert.doesNotMatch(page, /undefined|NaN|Infinity|\[object|>null</);
    assert.doesNotMatch(page, /<(script|img|iframe|object|embed|link rel="stylesheet")/);
    const addresses = page.replaceAll('http://www.w3.org/', '').match(/https?:|url\(|@import/g);
    assert.equal(addresses, null);
    assert.match(
      page,
      /Content-Security-Policy" content="default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;; img-src data:/,
    );
  });
}

test('warnings of one kind say a long common end once, and keep units', () => {
  const about = (measurement: string | null, message: string) => ({
    measurement,
    message,
    code: 'stolen_time' as const,
    limits: null,
    advice: 'none',
  });
  const cores = "of the cores' time was given to others";
  assert.equal(
    seenText([about('batch', `3.1 % ${cores}`), about('single', `4.3 % ${cores}`)]),
    `batch: 3.1 %; single: 4.3 % ${cores}`,
  );
  assert.equal(seenText([about(null, `3.1 % ${cores}.`)]), `3.1 % ${cores}`);
  assert.equal(
    seenText([about('a', 'rs: 7 ms late (p99)'), about('a', 'ts: 8 ms late (p99)')]),
    'a: rs: 7 ms late (p99); a: ts: 8 ms late (p99)',
  );
});

test('every plot has a title, a description and its figures as a table', () => {
  const page = htmlReport(FULL);
  const figures = page.split('<figure ').slice(1);
  assert.ok(figures.length >= 5, `${figures.length} plots`);
  const ids = figures.map((figure) => /^id="([^"]+)"/.exec(figure)![1]!);
  assert.equal(new Set(ids).size, ids.length);
  for (const figure of figures) {
    assert.match(figure, /<svg [^>]*role="img" aria-label="[^"]+"/);
    assert.match(figure, /<svg [^>]*><title>[^<]+<\/title><desc>[^<]+<\/desc>/);
    assert.match(figure, /<details>.*<tbody><tr>/s);
    assert.match(figure, /●|◆/);
  }
});

test('the cards follow the verdicts', () => {
  assert.match(htmlReport(FULL), /class="verdict">Rust takes [^<]+ events per second\.</);
  const cards = htmlReport(alike(FULL)).match(/class="verdict">[^<]+/g)!;
  const claims = cards.filter((card) => !/no difference/i.test(card));
  assert.deepEqual(claims, ['class="verdict">Rust with its runtime is 96 % smaller to deploy.']);
});

test('the page leaves out a section whose measurement is missing', () => {
  const page = htmlReport(only(FULL, ['startup', 'batch']));
  for (const id of ['design', 'soak']) {
    assert.match(htmlReport(FULL), new RegExp(`<section id="${id}"`));
    assert.doesNotMatch(page, new RegExp(`<section id="${id}"`));
  }
  assert.match(page, /<section id="answer"/);
});

test('each warning states what it limits', () => {
  const page = htmlReport(FULL);
  const kinds = new Set(
    [...FULL.warnings, ...FULL.measurements.flatMap(({ warnings }) => warnings)].map(({ code }) => code),
  );
  assert.ok(kinds.size > 0);
  assert.equal(page.match(/<small>It limits [^<]+<\/small>/g)?.length, kinds.size);
});
