/**
 * The parts of the page: histograms are merged as such, text never becomes markup, every plot says what it is.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { build, encodeIntoCompressedBase64 } from 'hdr-histogram-js';
import { merged, percentileCurve, percentileMs, shares } from '../src/report/html/histograms.ts';
import { html } from '../src/report/html/markup.ts';
import { htmlReport } from '../src/report/html.ts';
import { sampleBinary } from './binary-sample.ts';
import { sampleCodecs } from './codecs-sample.ts';
import { sampleReportResult } from './report-fixture.ts';
import { alike, hostile, only, shapes } from './report-shapes.ts';
import { sampleRpc } from './rpc-sample.ts';
import { sampleSync } from './sync-sample.ts';

const FULL = sampleReportResult();
const MOST_BYTES = 1_500_000;

/** Of microseconds. */
function encoded(values: readonly number[]): string {
  const histogram = build({
    lowestDiscernibleValue: 1,
    highestTrackableValue: 60_000_000,
    numberOfSignificantValueDigits: 3,
  });
  for (const value of values) histogram.recordValue(value);
  return encodeIntoCompressedBase64(histogram);
}

test('rounds are merged as one distribution', () => {
  const fast = Array.from({ length: 990 }, () => 1_000);
  const slow = Array.from({ length: 10 }, () => 500_000);
  const distribution = merged([encoded(fast), encoded(slow)])!;
  assert.equal(distribution.histogram.totalCount, 1_000);
  assert.equal(percentileMs(distribution, 50), 1);
  assert.equal(percentileMs(distribution, 99), 1);
  assert.ok(Math.abs(percentileMs(distribution, 99.9) - 500) < 1);
  assert.equal(merged([]), null);
  assert.equal(merged([encoded([])]), null);
});

test('a longer round enlarges a shorter histogram', () => {
  const small = build({
    lowestDiscernibleValue: 1,
    highestTrackableValue: 2_000,
    numberOfSignificantValueDigits: 3,
  });
  small.recordValue(1_000);
  const distribution = merged([encodeIntoCompressedBase64(small), encoded([9_000_000])])!;
  assert.equal(distribution.histogram.totalCount, 2);
  assert.ok(Math.abs(percentileMs(distribution, 100) - 9_000) < 10);
});

test('shares are of all requests, and stand where the values are', () => {
  const points = shares(merged([encoded([1_000, 1_000, 1_000, 100_000])])!);
  const sum = points.reduce((total, { y }) => total + y, 0);
  assert.ok(Math.abs(sum - 1) < 1e-9);
  const highest = points.reduce((a, b) => (b.y > a.y ? b : a));
  assert.equal(highest.y, 0.75);
  assert.ok(highest.x > 0.9 && highest.x < 1.2, `${highest.x}`);
});

test('a curve of percentiles rises, and ends where samples end', () => {
  const curve = percentileCurve(merged([encoded(Array.from({ length: 500 }, (_, i) => (i + 1) * 100))])!);
  assert.equal(curve[0]!.x, 2);
  assert.ok(curve.at(-1)!.x <= 500);
  for (const [i, { y }] of curve.entries()) assert.ok(i === 0 || y >= curve[i - 1]!.y);
  assert.ok(Math.abs(curve[0]!.y - 25) < 0.2);
});

test('requests of less than a microsecond have a place on a log scale', () => {
  const distribution = merged([encoded([0, 0, 0])])!;
  assert.ok(percentileMs(distribution, 50) > 0);
  assert.ok(shares(distribution).every(({ x }) => x > 0 && Number.isFinite(x)));
});

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

test('every plot has a title, a description and its figures as a table', () => {
  const page = htmlReport(FULL);
  const figures = page.split('<figure ').slice(1);
  assert.ok(figures.length >= 30, `${figures.length} plots`);
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
  assert.match(htmlReport(FULL), /class="verdict">Rust takes 18 % more events per second\.</);
  const cards = htmlReport(alike(FULL)).match(/class="verdict">[^<]+/g)!;
  const claims = cards.filter((card) => !/no difference beyond/.test(card));
  assert.deepEqual(claims, ['class="verdict">Rust with its runtime is 96 % smaller to deploy.']);
});

test('a section without its measurement is left out', () => {
  const page = htmlReport(only(FULL, ['startup', 'batch']));
  for (const id of ['open', 'stream', 'soak']) assert.doesNotMatch(page, new RegExp(`<section id="${id}"`));
  assert.match(page, /<section id="queue"/);
});

test('the page has a section for each part that was measured', () => {
  const parts = { sync: sampleSync(), codecs: sampleCodecs(), binary: sampleBinary(), rpc: sampleRpc() };
  const titles = ['Staying in sync', 'Formats and transports', 'Binary data in a page', 'Typed calls'];
  const page = htmlReport({ ...FULL, ...parts });
  const none = htmlReport(FULL);
  for (const title of titles) {
    assert.ok(page.includes(title), title);
    assert.ok(!none.includes(title), title);
  }
  assert.match(page, /10,000 ±1\.3%/);
  assert.match(page, /12\.0 ± 2\.8/);
  assert.doesNotMatch(page, /undefined|NaN|Infinity|\[object/);
});
