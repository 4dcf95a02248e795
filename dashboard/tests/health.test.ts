/**
 * Tests the dashboard's view of the server's health while the server refuses to answer, or does not answer at all.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { skip } from '@twin-ingest/testkit/browser/chromium.ts';
import { launch, open } from '@twin-ingest/testkit/browser/page.ts';
import type { Browser } from 'playwright-core';
import { panel, untilKnown, untilUnknown } from './browser.ts';
import { event, onFile, post } from './servers.ts';

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

test('the panel shows what the server redacts', { skip }, async (t) => {
  const start = onFile(t);
  const file = fileURLToPath(new URL('../../contract/redact/secrets.json', import.meta.url));
  const servers = [await start('rs'), await onFile(t)('ts', 0, ['--redact', file])] as const;
  await post(servers[1].url, [event({ metadata: { password: 'x' } }), event()]);
  const texts = [/Redacts\s*nothing/, /Redacts\s*\d+ keys, \d+ patterns · 1 event, 0 attachments changed/];
  for (const [at, server] of servers.entries()) {
    const { page } = await open(browser, server.url);
    t.after(() => page.close());
    await untilKnown(page);
    await panel(page).filter({ hasText: texts[at]! }).waitFor();
  }
});

test('the panel shows what waits to be forwarded', { skip }, async (t) => {
  const receiver = await onFile(t)('rs');
  const { host } = new URL(receiver.url);
  const sender = await onFile(t)('ts', 0, ['--forward', receiver.url]);
  const { page } = await open(browser, sender.url);
  t.after(() => page.close());
  await untilKnown(page);
  await panel(page)
    .filter({ hasText: `0 events wait to be forwarded to ${host}` })
    .waitFor();
  await receiver.kill();
  await post(sender.url, [event()]);
  await panel(page)
    .filter({ hasText: `1 event waits to be forwarded to ${host} · unreachable` })
    .waitFor();
});
