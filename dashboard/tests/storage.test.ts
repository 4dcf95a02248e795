/** Tests the warnings of the dashboard about storage, and the figures of the server panel. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { skip } from '@twin-ingest/testkit/browser/chromium.ts';
import { launch, open } from '@twin-ingest/testkit/browser/page.ts';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import type { Browser, Page } from 'playwright-core';
import { findingsOf, overflow, panel, shot } from './browser.ts';
import { onFile, post, varied } from './servers.ts';

let browser: Browser;
before(async () => {
  if (!skip) browser = await launch();
});
after(() => browser?.close());

/** Answers with the server's own health and these changes. */
async function change(page: Page, status: number, members: object): Promise<void> {
  await page.route('**/api/health', async (route) => {
    // The server may end before the page does.
    const answer = await route.fetch().catch(() => undefined);
    if (answer === undefined) return route.abort().catch(() => {});
    const json = { ...((await answer.json()) as object), ...members };
    await route.fulfill({ status, json });
  });
}

const warning = (page: Page) => page.getByRole('alert');

for (const name of TARGET_NAMES) {
  test(`${name}: the server panel shows the sizes, the free disk and the last fault`, { skip }, async (t) => {
    const { url } = await onFile(t)(name);
    await post(url, varied(30));
    const { page, errors } = await open(browser, url);
    t.after(() => page.close());
    const fact = (term: string) =>
      panel(page)
        .locator('dl > div', { has: page.getByText(term, { exact: true }) })
        .locator('dd');
    await fact('Disk free')
      .getByText(/^\d[\d.]* [kMGT]?B$/)
      .waitFor();
    await fact('Attachments').getByText('0 B', { exact: true }).waitFor();
    await fact('Last fault').getByText('none since the start').waitFor();
    assert.equal(await warning(page).count(), 0);
    const at = '2026-11-27T03:04:05.678Z';
    await change(page, 200, { last_fault: { code: 'storage_busy', at } });
    await fact('Last fault')
      .getByText(/^storage_busy · 2026-11-2\d \d\d:\d\d:05$/)
      .waitFor();
    assert.deepEqual(errors, []);
  });
}

for (const scheme of ['light', 'dark'] as const) {
  test(`a disk that is almost full is a warning, ${scheme}`, { skip }, async (t) => {
    const { url } = await onFile(t)('rs');
    await post(url, varied(30));
    for (const [width, height] of [
      [1440, 1400],
      [390, 844],
    ] as const) {
      const { page } = await open(browser, url, { width, height });
      t.after(() => page.close());
      await page.emulateMedia({ colorScheme: scheme });
      await change(page, 200, { disk_low: true, disk_free_bytes: 812_000_000 });
      await warning(page)
        .getByText(/^The server's disk is almost full: 812 MB are free\./)
        .waitFor();
      assert.equal(await overflow(page), 0);
      assert.deepEqual(await findingsOf(page), []);
      await shot(page, `disk-low-${scheme}-${width}`);
      await panel(page).scrollIntoViewIfNeeded();
      await shot(page, `server-panel-${scheme}-${width}`);
    }
  });
}

test('a server that stores no events is a warning until it recovers', { skip }, async (t) => {
  const { url } = await onFile(t)('rs');
  const { page } = await open(browser, url);
  t.after(() => page.close());
  await change(page, 503, { status: 'degraded', reason: 'storage_full', disk_low: true });
  await warning(page)
    .getByText(/^The server stores no events: its disk is full\./)
    .waitFor();
  await panel(page).getByText('degraded: storage_full').waitFor();
  await page.unroute('**/api/health');
  await warning(page).waitFor({ state: 'detached' });
});

test('a copy that does not follow its stream is a warning', { skip }, async (t) => {
  const { url } = await onFile(t)('ts');
  const { page } = await open(browser, url);
  t.after(() => page.close());
  const cluster = { stream: 'board', connected: false, applied: 7, waiting: 2, failure: 'unreachable' };
  await change(page, 200, { cluster });
  await warning(page)
    .getByText('Newer events may be missing: this server does not follow its stream (unreachable).')
    .waitFor();
  await panel(page).getByText('board · 2 messages behind · unreachable').waitFor();
  await change(page, 200, { cluster: { ...cluster, failure: null, waiting: 0 } });
  await warning(page).waitFor({ state: 'detached' });
});
