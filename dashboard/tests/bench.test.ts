/** Tests the page of measurements in a real Chromium: a user presses the button and sees every method's time. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { skip } from '@twin-ingest/testkit/browser/chromium.ts';
import { launch, open } from '@twin-ingest/testkit/browser/page.ts';
import { startServer } from '@twin-ingest/testkit/servers/server.ts';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import type { Browser } from 'playwright-core';
import { findingsOf, overflow, shot } from './browser.ts';

let browser: Browser;
before(async () => {
  if (!skip) browser = await launch();
});
after(() => browser?.close());

for (const name of TARGET_NAMES) {
  test(`the methods race against ${name}, and every result is the same`, { skip }, async (t) => {
    const server = await startServer(name, { flags: ['--db', ':memory:', '--port', '0', '--bench'] });
    t.after(() => server.stop());
    const { page, errors } = await open(browser, server.url, { path: '/bench/', width: 1280 });
    t.after(() => page.close());
    await page.getByLabel('Size').selectOption('102400');
    await page.getByLabel('Rounds').fill('2');
    await page.getByRole('button', { name: 'Start the race' }).click();
    await page.getByText('Done: 2 rounds of 102,400 bytes, every result the same.').waitFor();
    const cells = await page.evaluate<string[][]>(
      `[...document.querySelectorAll('#rows tr')].map((row) => [...row.children].map((cell) => cell.textContent))`,
    );
    assert.equal(cells.length, 12);
    const received = new Map(cells.map(([title, , , bytes]) => [title, bytes]));
    assert.equal(received.get('raw, arrayBuffer()'), '102,400');
    assert.equal(received.get('raw, in a worker'), '102,400');
    assert.equal(received.get('base64, atob'), '136,536');
    assert.ok(Number(received.get('number array in JSON')!.replaceAll(',', '')) > 300_000);
    for (const [title, p50] of cells) assert.match(p50!, /^\d+\.\d$/, title);
    await shot(page, `bench-${name}`);
    assert.deepEqual(await findingsOf(page), []);
    await page.setViewportSize({ width: 390, height: 800 });
    assert.equal(await overflow(page), 0);
    await shot(page, `bench-${name}-narrow`);
    assert.deepEqual(errors, []);
  });
}
