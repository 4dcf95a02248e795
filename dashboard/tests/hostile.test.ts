/** Tests hostile text, screen readers and contrast. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { skip } from '@twin-ingest/testkit/browser/chromium.ts';
import { launch, open } from '@twin-ingest/testkit/browser/page.ts';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import type { Browser } from 'playwright-core';
import { findingsOf, overflow, shot, untilIds } from './browser.ts';
import { onFile, post, varied } from './servers.ts';

let browser: Browser;
before(async () => {
  if (!skip) browser = await launch();
});
after(() => browser?.close());

const IMG = '<img src=x onerror="document.title=1">';
const HOSTILE = `${IMG}<script>document.title=1</script>\u202egpj.exe\u2066"'\`\${1}`;
const hostile = (i: number) => ({
  session_id: `${HOSTILE}${i}`,
  agent_type: HOSTILE,
  event_type: 'tool_use',
  tool_name: HOSTILE,
  project: `${HOSTILE}${'w'.repeat(700)}`,
  branch: 'javascript:alert(1)',
  model: HOSTILE,
  metadata: { command: HOSTILE, [IMG]: `${HOSTILE} ${'long'.repeat(5000)}`, __proto__: null },
});

for (const name of TARGET_NAMES) {
  for (const width of [360, 1400]) {
    test(`${name}: hostile text is shown as text, at ${width} px`, { skip }, async (t) => {
      const { url } = await onFile(t)(name);
      await post(url, [hostile(1), hostile(2), { ...hostile(3), metadata: HOSTILE }]);
      const { page, errors, foreign } = await open(browser, url, { width });
      t.after(() => page.close());
      await untilIds(page, [3, 2, 1]);
      await page.locator('#server-title').waitFor();
      await page.locator('#models-title').waitFor();
      await page.getByRole('button', { name: 'Filters' }).click();
      await page.locator('#filters option').nth(9).waitFor({ state: 'attached' });
      await page.locator('[data-id="2"]').click();
      const dialog = page.getByRole('dialog');
      await dialog.locator('pre').waitFor();
      assert.ok((await dialog.textContent())?.includes(IMG));
      assert.ok((await dialog.locator('.fields').textContent())?.includes('\\u202egpj.exe'));
      assert.ok((await dialog.locator('pre').textContent())?.includes('\\u202egpj.exe'));
      await shot(page, `${name}-${width}-hostile`);
      await dialog.getByRole('button', { name: 'Show this session' }).click();
      await untilIds(page, [2]);
      assert.equal(await page.locator('img, #app script, iframe').count(), 0);
      assert.equal(await page.title(), 'twin-ingest');
      assert.equal(await overflow(page), 0);
      assert.deepEqual([errors, foreign], [[], []]);
    });
  }

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`${name}: axe finds no serious violation, ${colorScheme}`, { skip }, async (t) => {
      const { url } = await onFile(t)(name);
      const { page } = await open(browser, url, { colorScheme });
      t.after(() => page.close());
      await page.getByText('No events yet.').waitFor();
      assert.deepEqual(await findingsOf(page), []);
      await post(url, varied(60));
      await untilIds(page, [60, 59]);
      await page.locator('.session').first().waitFor();
      await page.locator('#tools-title').waitFor();
      await page.getByRole('button', { name: 'Filters' }).click();
      await page.getByRole('grid').focus();
      await page.keyboard.press('ArrowDown');
      assert.deepEqual(await findingsOf(page), []);
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').locator('pre').waitFor();
      assert.deepEqual(await findingsOf(page), []);
    });
  }
}
