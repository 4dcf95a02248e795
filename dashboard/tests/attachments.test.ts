/**
 * Tests an event's attachments on the dashboard: images are shown, everything can be downloaded, and no content runs.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { skip } from '@twin-ingest/testkit/browser/chromium.ts';
import { launch, open } from '@twin-ingest/testkit/browser/page.ts';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import type { Browser } from 'playwright-core';
import { shot, untilIds } from './browser.ts';
import { event, onFile, post } from './servers.ts';

/** A red dot: one pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==',
  'base64',
);
const SCRIPT = '<script>document.title = "taken over"</script><img src=x onerror="document.title = 1">';

let browser: Browser;
before(async () => {
  if (!skip) browser = await launch();
});
after(() => browser?.close());

for (const name of TARGET_NAMES) {
  test(`${name}: attachments are shown and downloaded`, { skip }, async (t) => {
    const { url } = await onFile(t)(name);
    await post(url, [event(), event()]);
    await attach(url, 2, 'screen shot.png', 'image/png', PNG);
    await attach(url, 2, 'page.html', 'text/html', Buffer.from(SCRIPT));
    const { page, errors, foreign } = await open(browser, url);
    t.after(() => page.close());
    await untilIds(page, [2, 1]);
    await page.locator('[data-id="2"]').click();
    const part = page.getByRole('region', { name: 'Attachments' });
    await part.getByText('page.html').waitFor();
    assert.equal(await part.getByRole('listitem').count(), 2);
    const image = part.getByRole('img', { name: 'screen shot.png' });
    await image.waitFor();
    // Not waitForFunction: the page's policy blocks its polling script.
    const width = () => image.evaluate((img) => (img as unknown as { naturalWidth: number }).naturalWidth);
    while ((await width()) === 0) await setTimeout(20);
    assert.equal(await width(), 1);
    assert.equal(await part.getByRole('img').count(), 1);
    await shot(page, `attachments-${name}`);

    const waiting = page.waitForEvent('download');
    await part.getByText('page.html').click();
    const download = await waiting;
    assert.equal(download.suggestedFilename(), 'page.html');
    assert.equal(await readFile(await download.path(), 'utf8'), SCRIPT);
    assert.notEqual(await page.title(), 'taken over');

    // An event without attachments has no such part.
    await page.keyboard.press('Escape');
    await page.locator('[data-id="1"]').click();
    await page.getByRole('dialog').getByRole('heading', { name: 'Event 1' }).waitFor();
    await page.getByRole('dialog').locator('pre').waitFor();
    assert.equal(await part.count(), 0);
    assert.deepEqual([errors, foreign], [[], []]);
  });
}

async function attach(url: string, id: number, name: string, type: string, bytes: Buffer): Promise<void> {
  const response = await fetch(`${url}/api/events/${id}/attachments/${encodeURIComponent(name)}`, {
    method: 'PUT',
    headers: { 'content-type': type },
    body: bytes,
  });
  assert.equal(response.status, 201, await response.text());
}
