/**
 * Tests the dashboard's view of the server's health while the server refuses to answer, or does not answer at all.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { skip } from '@twin-ingest/testkit/browser/chromium.ts';
import { launch, open } from '@twin-ingest/testkit/browser/page.ts';
import type { Browser } from 'playwright-core';
import { untilKnown, untilUnknown } from './browser.ts';
import { onFile } from './servers.ts';

let browser: Browser;
before(async () => {
  if (!skip) browser = await launch();
});
after(() => browser?.close());

test('health is unknown while the server refuses or does not answer', { skip }, async (t) => {
  const server = await onFile(t)('rs');
  const { page, errors } = await open(browser, server.url);
  t.after(() => page.close());
  await untilKnown(page);
  const body = '{"error":"Server is shutting down","code":"draining"}';
  await page.route('**/api/health', (route) => route.fulfill({ status: 503, body }));
  await untilUnknown(page);
  await page.unroute('**/api/health');
  await untilKnown(page);
  // The stopped server keeps its connections open and answers nothing.
  server.signal('SIGSTOP');
  await untilUnknown(page);
  server.signal('SIGCONT');
  await untilKnown(page);
  assert.deepEqual(
    errors.filter((text) => !text.includes('503')),
    [],
  );
});
