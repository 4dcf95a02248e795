/** Tests sessions that wait for the user: they come first, are counted in the title, and can be dismissed. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { skip } from '@twin-ingest/testkit/browser/chromium.ts';
import { DEADLINE_MS, launch, open } from '@twin-ingest/testkit/browser/page.ts';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import type { Browser, Page } from 'playwright-core';
import { fiveSessions, postHooks, sessionOf } from './agent.ts';
import { overflow, shot, tile } from './browser.ts';
import { onFile } from './servers.ts';

let browser: Browser;
before(async () => {
  if (!skip) browser = await launch();
});
after(() => browser?.close());

/** Polls from the test: a wait within the page would evaluate text there. */
async function untilTitle(page: Page, title: string): Promise<void> {
  const deadline_ms = performance.now() + DEADLINE_MS;
  while ((await page.title()) !== title) {
    assert.ok(performance.now() < deadline_ms, `the title is ${await page.title()}`);
    await page.waitForTimeout(20);
  }
}

for (const name of TARGET_NAMES) {
  test(`${name}: sessions that need an answer come first and are counted in the title`, {
    skip,
  }, async (t) => {
    const { url } = await onFile(t)(name);
    await postHooks(url, fiveSessions());
    const [asks, wonders] = ['Deploy the fixed invoice service', 'Add a preview server'];
    for (const width of [1280, 390]) {
      for (const colorScheme of ['light', 'dark'] as const) {
        const { page, errors } = await open(browser, url, { width, height: 844, colorScheme });
        const group = page.getByRole('list', { name: 'Needs an answer (2)' });
        const item = (text: string) => group.getByRole('listitem').filter({ hasText: text });
        await item(asks).getByText('asks for permission').waitFor();
        await item(wonders).getByText('asks a question').waitFor();
        await untilTitle(page, '(2) twin-ingest');
        await tile(page, 'Need an answer').getByText('2', { exact: true }).waitFor();
        const turn = page.locator('.session', { hasText: 'your turn' });
        await turn.filter({ hasText: 'Why does the checkout' }).waitFor();
        assert.equal(await turn.count(), 1);
        assert.equal(await overflow(page), 0);
        await shot(page, `${name}-waits-${width}-${colorScheme}`);
        assert.deepEqual(errors, []);
        await page.close();
      }
    }
    const { page, errors } = await open(browser, url);
    t.after(() => page.close());
    const group = page.getByRole('list', { name: /^Needs an answer/ });
    await group
      .getByRole('listitem')
      .filter({ hasText: asks })
      .getByRole('button', { name: 'Dismiss' })
      .click();
    await untilTitle(page, '(1) twin-ingest');
    await group.getByText(asks).waitFor({ state: 'detached' });
    await postHooks(url, [sessionOf('0003', 'website').prompt('Take port 4000')]);
    await untilTitle(page, 'twin-ingest');
    await group.waitFor({ state: 'detached' });
    assert.deepEqual(errors, []);
  });
}
