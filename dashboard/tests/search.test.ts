/**
 * Tests the search with either server: it covers everything stored, and shows where the text is and how far it is. The
 * feed is live during and after it.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { skip } from '@twin-ingest/testkit/browser/chromium.ts';
import { launch, open } from '@twin-ingest/testkit/browser/page.ts';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import type { Browser } from 'playwright-core';
import type { Row } from '../src/api.ts';
import { contains, foundIn, fromMatch, piecesOf } from '../src/found.ts';
import { findingsOf, overflow, shot, untilIds } from './browser.ts';
import { event, onFile, post, varied } from './servers.ts';

let browser: Browser;
before(async () => {
  if (!skip) browser = await launch();
});
after(() => browser?.close());

const needle = (command: string, fields: object = {}) =>
  event({ ...fields, metadata: { tool_input: { command } } });

test('only the case of ASCII letters does not count', () => {
  assert.deepEqual(piecesOf('Say HI, hi; Hi', 'hi'), ['Say ', 'HI', ', ', 'hi', '; ', 'Hi', '']);
  assert.deepEqual(piecesOf('İstanbul É', 'STAN'), ['İ', 'stan', 'bul É']);
  assert.equal(contains('É', 'é'), false);
  assert.deepEqual(piecesOf('a.b', 'a*'), ['a.b']);
  assert.equal(fromMatch(`${'x'.repeat(100)}needle`, 'NEEDLE'), `…${'x'.repeat(24)}needle`);
});

test('a match is found in the metadata, in a key, in a field, or in the JSON alone', () => {
  const row = (fields: object) => ({ id: 1, event_type: 'tool_use', metadata: {}, ...fields }) as Row;
  const found = (fields: object, wanted: string) => foundIn(row(fields), wanted);
  assert.deepEqual(found({ metadata: { a: [{ b: 'say "Hi"' }] } }, '"hi"'), {
    where: 'a.0.b',
    text: 'say "Hi"',
  });
  assert.deepEqual(found({ metadata: { a: { hidden: 1 } } }, 'hid'), { where: 'a', text: 'hidden' });
  assert.deepEqual(found({ branch: 'topic' }, 'TOP'), { where: 'branch', text: 'topic' });
  assert.deepEqual(found({ metadata: { a: 1 } }, '"a":'), { where: 'metadata', text: '{"a":1}' });
  assert.equal(found({}, 'tool_use'), null);
});

for (const name of TARGET_NAMES) {
  test(`${name}: the search finds stored events, marks the text, and the feed stays live`, {
    skip,
  }, async (t) => {
    const { url } = await onFile(t)(name);
    const far = 'padding '.repeat(50);
    await post(url, [needle(`${far}the Needle <b>here</b>`), ...varied(600)]);
    const { page, errors, foreign } = await open(browser, url);
    t.after(() => page.close());
    await untilIds(page, [601, 600]);
    const box = page.getByRole('searchbox', { name: 'Search everything stored' });
    await page.getByRole('grid').focus();
    await page.keyboard.press('/');
    await page.keyboard.type('needle <b>');
    await page.keyboard.press('Enter');
    await untilIds(page, [1]);
    assert.equal(await page.locator('#feed [data-id]').count(), 1);
    assert.equal(new URL(page.url()).searchParams.get('q'), 'needle <b>');
    await page.getByText('1 found', { exact: true }).waitFor();
    const row = page.locator('[data-id="1"] .c-what');
    assert.equal(await row.locator('mark').textContent(), 'Needle <b>');
    assert.ok((await row.locator('mark').boundingBox())!.width > 20);
    assert.equal(await page.locator('#feed b').count(), 0);

    // Only events with the text arrive.
    await post(url, [event(), needle('a second NEEDLE <b>'), event()]);
    await untilIds(page, [603, 1]);
    await page.getByText('2 found', { exact: true }).waitFor();

    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
    const dialog = page.getByRole('dialog', { name: 'Event 1', exact: true });
    assert.equal(await dialog.locator('pre mark').textContent(), 'Needle <b>');
    await page.keyboard.press('Escape');
    // The address loses the event after the dialog has closed; a reload before that opens the dialog again.
    await page.waitForURL((address) => !address.searchParams.has('event'));
    await page.keyboard.press('Escape');

    await page.reload();
    await untilIds(page, [603, 1]);
    assert.equal(await box.inputValue(), 'needle <b>');
    await box.focus();
    await page.keyboard.press('Escape');
    await untilIds(page, [604, 603, 602, 601]);
    assert.equal(new URL(page.url()).search, '');
    await post(url, [event()]);
    await untilIds(page, [605, 604, 603, 602]);
    assert.equal(await page.locator('#feed mark').count(), 0);

    await box.fill('no event has this');
    await page.getByText('No stored event contains “no event has this”.').waitFor();
    await box.fill('x'.repeat(129));
    await page.getByText(/The server refuses these filters: q /).waitFor();
    await box.fill('');
    await untilIds(page, [605, 604]);
    assert.deepEqual(foreign, []);
    assert.deepEqual(
      errors.filter((text) => !text.includes('400')),
      [],
    );
  });

  test(`${name}: a long search says how far it is, shows rows at once, stops, and continues`, {
    skip,
  }, async (t) => {
    const { url } = await onFile(t)(name);
    const filler = Array.from({ length: 10_000 }, () => JSON.stringify(event()));
    await post(url, [needle('the oldest needle')]);
    for (let i = 0; i < 15; i++) await post(url, filler);
    await post(url, [needle('the newest needle')]);
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, errors } = await open(browser, url, { width: 390, height: 844, colorScheme });
      await untilIds(page, [150_002]);
      // Two pages of the search are slow, and the third one has no answer until it is wanted.
      let isSlow = true;
      await page.route(/\/api\/events\?.*q=/, async (route) => {
        while (isSlow && Number(new URL(route.request().url()).searchParams.get('before') ?? 1e9) < 50_000)
          await new Promise((resolve) => setTimeout(resolve, 50));
        if (isSlow) await new Promise((resolve) => setTimeout(resolve, 400));
        await route.continue().catch(() => undefined);
      });
      const box = page.getByRole('searchbox');
      await box.fill('needle');
      // The first row is there while the search runs.
      await untilIds(page, [150_002]);
      const progress = page.getByText(/^Searched back to \d{4}-\d\d-\d\d \d\d:\d\d, 1[23]\d,\d{3} events/);
      await progress.waitFor();
      assert.ok((await progress.boundingBox())!.y < 844, 'it is visible on a phone');
      assert.deepEqual(await findingsOf(page), []);
      assert.equal(await overflow(page), 0);
      await shot(page, `${name}-search-390-${colorScheme}`);
      await page.getByRole('button', { name: 'Stop', exact: true }).click();
      await progress.waitFor({ state: 'hidden' });
      await page.getByText('1+ found', { exact: true }).waitFor();
      isSlow = false;
      await page.getByRole('button', { name: 'Load older events' }).click();
      await untilIds(page, [150_002, 1]);
      await page.getByText('2 found', { exact: true }).waitFor();
      // Another text ends a search that is running.
      isSlow = true;
      await box.fill('oldest');
      await page.getByText('Searching…').waitFor();
      isSlow = false;
      await box.fill('newest');
      await untilIds(page, [150_002]);
      await page.getByText('1 found', { exact: true }).waitFor();
      assert.deepEqual(await findingsOf(page), []);
      await page.getByText(/^durations of the newest 65\.\dk events$/).waitFor();
      assert.deepEqual(errors, []);
      await page.close();
    }
  });
}
