/** Tests the dashboard after a reload, and while a server is down. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { skip } from '@twin-ingest/testkit/browser/chromium.ts';
import { launch, open } from '@twin-ingest/testkit/browser/page.ts';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import type { Browser } from 'playwright-core';
import { tile, untilConnection } from './browser.ts';
import { event, onFile, post } from './servers.ts';

let browser: Browser;
before(async () => {
  if (!skip) browser = await launch();
});
after(() => browser?.close());

for (const name of TARGET_NAMES) {
  test(`${name}: the rate of the last minutes survives a reload`, { skip }, async (t) => {
    const { url } = await onFile(t)(name);
    const { page } = await open(browser, url);
    t.after(() => page.close());
    // The tile covers the last five seconds, which a slow machine may miss once.
    const isSeen = async () => {
      await post(
        url,
        Array.from({ length: 40 }, () => event()),
      );
      await page.reload();
      const rate = tile(page, 'Events per second').getByText(/^[1-9]/);
      return await rate.waitFor({ timeout: 5000 }).then(
        () => true,
        () => false,
      );
    };
    let attempts = 0;
    while (!(await isSeen())) assert.ok(++attempts < 5, 'no event of before the reload is counted');
  });

  test(`${name}: a detail that cannot be loaded shows the listed values, then loads by itself`, {
    skip,
  }, async (t) => {
    const start = onFile(t);
    let server = await start(name);
    const { port, url } = server;
    await post(url, [event({ metadata: { command: 'ls -l', big: 1 } })]);
    const { page } = await open(browser, url);
    t.after(() => page.close());
    await page.waitForSelector('[data-id="1"]');
    await server.kill();
    await untilConnection(page, 'lost');
    await page.locator('[data-id="1"]').click();
    const dialog = page.getByRole('dialog', { name: 'Event 1' });
    await dialog.getByText('It could not be loaded').waitFor();
    assert.match((await dialog.locator('pre').textContent())!, /"command": "ls -l"/);
    await dialog.getByRole('button', { name: 'Retry' }).click();
    await dialog.getByText('It could not be loaded').waitFor();
    server = await start(name, port);
    await dialog.getByText('It could not be loaded').waitFor({ state: 'detached' });
    assert.match((await dialog.locator('pre').textContent())!, /"command": "ls -l"/);
  });
}
