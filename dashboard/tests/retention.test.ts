/** Tests deletions: a session is deleted after a confirmation, and the server panel shows what is kept. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { skip } from '@twin-ingest/testkit/browser/chromium.ts';
import { launch, open } from '@twin-ingest/testkit/browser/page.ts';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import type { Browser } from 'playwright-core';
import { fiveSessions, postHooks } from './agent.ts';
import { overflow, panel, shot } from './browser.ts';
import { onFile } from './servers.ts';

let browser: Browser;
before(async () => {
  if (!skip) browser = await launch();
});
after(() => browser?.close());

for (const name of TARGET_NAMES) {
  test(`${name}: a session is deleted after a confirmation`, { skip }, async (t) => {
    const { url } = await onFile(t)(name);
    await postHooks(url, fiveSessions());
    const { page, errors } = await open(browser, url, { width: 390, height: 844 });
    t.after(() => page.close());
    const title = 'Deploy the fixed invoice service';
    const row = page.locator('.sessions li', { hasText: title });
    await row.locator('.session').click();
    await row.getByRole('button', { name: 'Delete…' }).click();
    await row.getByText('for good?').waitFor();
    assert.equal(await overflow(page), 0);
    await shot(page, `${name}-delete-390`);
    await row.getByRole('button', { name: 'Keep' }).click();
    assert.equal((await sessionsOf(url)).length, 5);
    await row.getByRole('button', { name: 'Delete…' }).click();
    await row.getByRole('button', { name: 'Delete', exact: true }).click();
    await row.waitFor({ state: 'detached' });
    assert.equal((await sessionsOf(url)).length, 4);
    assert.equal(await page.locator('.session[aria-pressed=true]').count(), 0);
    // The page may ask for the deleted session once more.
    assert.deepEqual(
      errors.filter((error) => !error.includes('404')),
      [],
    );
  });

  test(`${name}: the server panel shows the bounds of retention`, { skip }, async (t) => {
    const { url } = await onFile(t)(name);
    const { page } = await open(browser, url);
    t.after(() => page.close());
    await panel(page).getByText('all events').waitFor();
    await fetch(`${url}/api/retention?days=30&bytes=2000000000`, { method: 'PUT' });
    await panel(page)
      .getByText(/^30 days · at most 2.00 GB/)
      .waitFor();
  });
}

async function sessionsOf(url: string): Promise<readonly unknown[]> {
  const answer = (await (await fetch(`${url}/api/sessions`)).json()) as { sessions: readonly unknown[] };
  return answer.sessions;
}
