/**
 * Tests the report page in a real Chromium: it loads nothing, shows every plot, fits a phone in six screens, and has two
 * colour schemes. Text of a result is not executed.
 *
 * The tests are skipped if no Chromium is found, but fail in CI.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { CHROMIUM, launchOptions, missing, skip } from '@twin-ingest/testkit/browser/chromium.ts';
import { chromium, type Page } from 'playwright-core';
import { htmlReport } from '../src/report/html.ts';
import type { RawResult } from '../src/result/result.ts';
import { FULL, HOSTILE, hostile } from './report-fixture.ts';
import { folder } from './scratch.ts';

const browser = CHROMIUM === undefined ? undefined : await chromium.launch(launchOptions);
after(() => browser?.close());

/** Scripts as text, since this project has no types of a browser. */
const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
const OVERFULL_CARDS =
  '[...document.querySelectorAll(".card")].filter((card) => card.scrollWidth > card.clientWidth).length';
const SCREENS = 'document.documentElement.scrollHeight / innerHeight';
const COLOURS = `[
  getComputedStyle(document.body).backgroundColor,
  getComputedStyle(document.body).color,
  getComputedStyle(document.querySelector('figure svg text')).fill,
]`;

/** Opens the page. It must fit the width, ask for no other file, and report no error. */
async function open(result: RawResult, width: number, colorScheme: 'light' | 'dark'): Promise<Page> {
  assert.ok(browser, String(missing));
  const file = join(folder, `${width}-${colorScheme}.html`);
  writeFileSync(file, htmlReport(result));
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
  const seen: string[] = [];
  page.on('console', (message) => void seen.push(message.text()));
  page.on('pageerror', (error) => void seen.push(error.message));
  page.on('request', (request) => void seen.push(request.url()));
  const url = pathToFileURL(file).href;
  await page.goto(url, { waitUntil: 'load' });
  assert.equal(await page.evaluate<number>(OVERFLOW), 0);
  assert.equal(await page.evaluate<number>(OVERFULL_CARDS), 0);
  assert.deepEqual(seen, [url]);
  return page;
}

test('the page is whole on a phone and a wide screen, and readable in light and dark', { skip }, async () => {
  const grounds = new Set<string>();
  const wide = [await open(FULL, 1200, 'light'), await open(FULL, 1400, 'dark')];
  for (const page of [await open(FULL, 360, 'light'), ...wide]) {
    const drawn = await page.$$eval('figure svg', (plots) =>
      plots.map((svg) => {
        const { width, height } = svg.getBoundingClientRect();
        return width > 200 && height > 100 && svg.querySelectorAll('[aria-label="line"] path').length >= 2;
      }),
    );
    assert.deepEqual(drawn, [true, true, true]);
    assert.equal(await page.locator('.card').count(), 6);
    assert.ok((await page.evaluate<number>(SCREENS)) <= 6);
    const caveat = page.getByText('One machine with');
    assert.equal(await caveat.isVisible(), false);
    await page.getByText('Caveats (').click();
    assert.ok(await caveat.isVisible());
    assert.equal(await page.evaluate<number>(OVERFLOW), 0);
    const [ground, ink, tick] = await page.evaluate<string[]>(COLOURS);
    assert.equal(tick, ink);
    assert.ok(Math.abs(brightness(ground!) - brightness(ink!)) > 150, `${ink} on ${ground}`);
    grounds.add(ground!);
  }
  assert.equal(grounds.size, 2);
});

test('text of a result is shown and does nothing', { skip }, async () => {
  const page = await open(hostile(), 360, 'dark');
  assert.equal(await page.locator('img, script').count(), 0);
  assert.notEqual(await page.title(), '1');
  const text = await page.locator('body').textContent();
  assert.ok(text?.includes(HOSTILE));
});

/** Returns the brightness of `rgb(…)`, from 0 to 255. */
function brightness(colour: string): number {
  const [red, green, blue] = colour.match(/\d+/g)!.map(Number);
  return 0.3 * red! + 0.59 * green! + 0.11 * blue!;
}
