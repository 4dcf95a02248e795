/** Tests the dashboard's state during failures: it never shows success when the state is unknown. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { skip } from '@twin-ingest/testkit/browser/chromium.ts';
import { launch, open } from '@twin-ingest/testkit/browser/page.ts';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import type { Browser } from 'playwright-core';
import { overflow, panel, shot, untilConnection, untilIds, untilKnown, untilUnknown } from './browser.ts';
import { event, onFile, post } from './servers.ts';

let browser: Browser;
before(async () => {
  if (!skip) browser = await launch();
});
after(() => browser?.close());

const looks = [
  [1400, 'light'],
  [1400, 'dark'],
  [360, 'light'],
  [360, 'dark'],
] as const;

for (const name of TARGET_NAMES) {
  test(`${name}: rows that cannot be fetched are not shown as live`, { skip }, async (t) => {
    const { url } = await onFile(t)(name);
    await post(url, [event()]);
    const { page } = await open(browser, url);
    t.after(() => page.close());
    await untilIds(page, [1]);
    await untilConnection(page, 'live');
    await page.route('**/api/snapshot/**', (route) => route.fulfill({ status: 503, body: '{}' }));
    await post(url, [event()]);
    await untilConnection(page, 'stale');
    assert.match((await page.getByText('Out of date').getAttribute('title'))!, /\(refused with 503\)/);
    await page.getByRole('status').getByText('What changed could not be fetched, retrying').waitFor();
    await page.unroute('**/api/snapshot/**');
    await untilIds(page, [2, 1]);
    await untilConnection(page, 'live');
    await page.getByRole('status').getByText('Up to date again').waitFor();
  });

  test(`${name}: refused filters are reported, and requested once`, { skip }, async (t) => {
    const { url } = await onFile(t)(name);
    const { page, errors } = await open(browser, url, { path: '/?status=bad' });
    t.after(() => page.close());
    const total = page.locator('.tile', { hasText: /^Events\d/ }).locator('dd');
    await page.getByText('The server refuses these filters: status must be one of: success, ').waitFor();
    // Fetches of the totals are two seconds apart; a repeated one is repeated several times in that time.
    for (const count of ['1', '2', '3']) {
      await post(url, [event()]);
      await total.getByText(count, { exact: true }).waitFor();
    }
    assert.equal(
      await page.evaluate<number>(
        `performance.getEntriesByType('resource').filter(({ name }) => name.includes('/api/events?status=bad&')).length`,
      ),
      1,
    );
    await untilConnection(page, 'live');
    assert.equal(await page.getByRole('grid').getAttribute('aria-busy'), 'false');
    await page.getByRole('button', { name: 'Clear all' }).click();
    await untilIds(page, [3, 2, 1]);
    assert.equal(await page.getByText('The server refuses these filters').count(), 0);
    assert.deepEqual(
      errors.filter((text) => !text.includes('400')),
      [],
    );
  });
}

test('unknown values are shown as unknown, and nothing overflows', { skip }, async (t) => {
  for (const [width, colorScheme] of looks) {
    const server = await onFile(t)('rs');
    await post(server.url, [event()]);
    const { page } = await open(browser, server.url, { width, height: 740, colorScheme });
    await untilIds(page, [1]);
    await untilKnown(page);
    // A stream that opens while the test changes the routes may never get an answer.
    await untilConnection(page, 'live');
    await page.route('**/api/snapshot/**', (route) => route.fulfill({ status: 503, body: '{}' }));
    await post(server.url, [event()]);
    await untilConnection(page, 'stale');
    assert.equal(await overflow(page), 0);
    await shot(page, `stale-${width}-${colorScheme}`);
    await server.kill();
    await untilUnknown(page);
    const colour = (of: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('${of}')).color`);
    assert.equal(await colour('.facts dd'), await colour('.facts dt'), 'dimmed');
    await panel(page).scrollIntoViewIfNeeded();
    assert.equal(await overflow(page), 0);
    await shot(page, `unknown-${width}-${colorScheme}`);
    await page.close();
  }
});
