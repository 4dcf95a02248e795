/** Tests the durations of tools in the dashboard: of everything, of a time range, and of one session. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { skip } from '@twin-ingest/testkit/browser/chromium.ts';
import { launch, open } from '@twin-ingest/testkit/browser/page.ts';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import type { Browser } from 'playwright-core';
import { findingsOf, overflow, shot } from './browser.ts';
import { event, onFile, post } from './servers.ts';

let browser: Browser;
before(async () => {
  if (!skip) browser = await launch();
});
after(() => browser?.close());

for (const name of TARGET_NAMES) {
  test(`${name}: tools have calls, p50, p95 and failures`, { skip }, async (t) => {
    const { url } = await onFile(t)(name);
    const calls = Array.from({ length: 20 }, (_, i) =>
      event({ duration_ms: i === 19 ? 90_000 : i + 1, status: i === 0 ? 'error' : 'success' }),
    );
    await post(url, [...calls, event({ session_id: 's2', duration_ms: 4000 }), event({ tool_name: 'Glob' })]);
    for (const [path, width, bash] of [
      ['/', 1400, ['Bash', '21', '11 ms', '4.0 s', '4.8 %']],
      ['/?range=today', 390, ['Bash', '21', '11 ms', '4.0 s', '4.8 %']],
      ['/?session_id=s1', 390, ['Bash', '20', '10 ms', '19 ms', '5.0 %']],
    ] as const) {
      const { page, errors } = await open(browser, url, { path, width });
      const tools = page.getByRole('table', { name: 'Tools' });
      await tools.getByText(bash[3]).waitFor();
      const rows = tools.locator('tbody tr');
      assert.deepEqual(await rows.nth(0).locator('th, td').allTextContents(), bash);
      assert.deepEqual(await rows.nth(1).locator('th, td').allTextContents(), ['Glob', '1', '–', '–', '0 %']);
      assert.equal(await page.getByText('durations of the newest').count(), 0);
      assert.equal(await overflow(page), 0);
      assert.deepEqual(await findingsOf(page), []);
      await tools.scrollIntoViewIfNeeded();
      await shot(page, `${name}-tools-${width}`);
      assert.deepEqual(errors, []);
      await page.close();
    }
  });
}
