/** Tests that the dashboard separates computed cost from reported cost. All prices are made up. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { skip } from '@twin-ingest/testkit/browser/chromium.ts';
import { launch, open } from '@twin-ingest/testkit/browser/page.ts';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import type { Browser } from 'playwright-core';
import { shot, tile } from './browser.ts';
import { event, onFile, post } from './servers.ts';

let browser: Browser;
before(async () => {
  if (!skip) browser = await launch();
});
after(() => browser?.close());

for (const name of TARGET_NAMES) {
  test(`${name}: computed cost is separate from reported cost and names its prices`, { skip }, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'prices-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'prices.json');
    writeFileSync(file, '{"date":"2026-01-31","models":{"made-up*":{"input":10}}}');
    const { url } = await onFile(t)(name, 0, ['--prices', file]);
    await post(url, [event({ model: 'made-up-1', tokens_in: 35_000 })]);
    const { page, errors } = await open(browser, url);
    t.after(() => page.close());
    await tile(page, 'Cost').getByText('~$0.350 computed', { exact: true }).waitFor();
    await page.getByText('Computed cost per hour', { exact: true }).waitFor();
    assert.equal(await page.getByText('Cost per hour', { exact: true }).count(), 0);

    await post(url, [event({ model: 'made-up-2', tokens_in: 35_000, cost_usd: 1.2 })]);
    const both = '$1.20 + ~$0.350 computed';
    await tile(page, 'Cost').getByText(both, { exact: true }).waitFor();
    await page.locator('.session .sums', { hasText: `2 events · ${both}` }).waitFor();
    await page.getByText('Cost per hour', { exact: true }).waitFor();
    const { prices } = (await (await fetch(`${url}/api/health`)).json()) as {
      prices: { built_in_date: string };
    };
    const title = `Computed by the server from tokens and a file of prices, now of 2026-01-31, and its own list of ${prices.built_in_date}`;
    await page.locator(`.tile[title="${title}"]`).waitFor();
    const models = page.getByRole('region', { name: 'Models' });
    await models.locator(`td[title="${title}"]`, { hasText: '~$0.350 computed' }).waitFor();
    assert.equal(await models.locator('td[title]').count(), 1, 'reported cost has no such title');
    await page.locator('#feed .event', { hasText: '~$0.350' }).waitFor();
    await page.locator('#feed .event', { hasText: '$1.20' }).waitFor();

    await post(url, [event({ session_id: 'other', model: 'no-such-model', tokens_in: 12_000 })]);
    const all = `${both} + 12.0k tokens without a price`;
    await tile(page, 'Cost').getByText(all, { exact: true }).waitFor();
    await page.locator('.session .sums', { hasText: '1 event · 12.0k tokens without a price' }).waitFor();
    await models
      .locator('tr', { hasText: 'no-such-model' })
      .getByText('12.0k tokens without a price')
      .waitFor();
    const spending = page.getByRole('region', { name: 'Cost' });
    // The panel asks again after ten seconds.
    await spending
      .locator('tr.sum', { hasText: '12.0k tokens without a price' })
      .waitFor({ timeout: 20_000 });

    await post(url, [event({ session_id: 'free', model: 'glm-4.5-flash', tokens_in: 10 })]);
    await models.locator('tr', { hasText: 'glm-4.5-flash' }).getByText('$0.00', { exact: true }).waitFor();
    await shot(page, `${name}-prices`);
    assert.deepEqual(errors, []);
  });
}
