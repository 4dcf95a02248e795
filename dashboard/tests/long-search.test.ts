/** Tests searches whose pages stop early: they continue, they are shown, and the user can stop them. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { skip } from '@twin-ingest/testkit/browser/chromium.ts';
import { launch, open } from '@twin-ingest/testkit/browser/page.ts';
import type { Browser } from 'playwright-core';
import { wholePage } from '../src/long-search.ts';
import { findingsOf, untilIds } from './browser.ts';
import { event, onFile, post } from './servers.ts';

let browser: Browser;
before(async () => {
  if (!skip) browser = await launch();
});
after(() => browser?.close());

/** Answers requests with these pages; returns the requested addresses. */
function answering(t: { after(work: () => void): void }, pages: readonly object[]): string[] {
  const { fetch } = globalThis;
  t.after(() => {
    globalThis.fetch = fetch;
  });
  const asked: string[] = [];
  const answers = pages.values();
  globalThis.fetch = async (url) => {
    asked.push(String(url));
    return new Response(JSON.stringify(answers.next().value));
  };
  return asked;
}

test('pages that stop early are continued until there are enough rows', async (t) => {
  const asked = answering(t, [
    { events: [{ id: 900 }], next: 512, scanned_to: 512 },
    { events: [{ id: 200 }], next: 200, scanned_to: 200 },
  ]);
  const page = await wholePage('events', new URLSearchParams({ tool_name: 'Bash' }), 2, null);
  assert.deepEqual(page, { events: [{ id: 900 }, { id: 200 }], next: 200, scanned_to: 200 });
  assert.deepEqual(asked, [
    '/api/events?tool_name=Bash&limit=2',
    '/api/events?tool_name=Bash&limit=1&before=512',
  ]);
});

test('a search ends when it is stopped, and continues above its cursor in rising order', async (t) => {
  const asked = answering(t, [
    { sessions: [], next: 'x.9', scanned_to: 'x.9' },
    { events: [], next: 511, scanned_to: 511 },
    { events: [], next: null, scanned_to: 600 },
    { sessions: [], next: 'x/9', scanned_to: 'x/9' },
    { sessions: [{ id: 'a' }], next: null, scanned_to: null },
  ]);
  const stopped = await wholePage('sessions', new URLSearchParams(), 5, null, () => false);
  assert.deepEqual(stopped, { sessions: [], next: 'x.9', scanned_to: 'x.9' });
  const rising = await wholePage('events', new URLSearchParams({ after: '7' }), 5, null);
  assert.deepEqual(rising, { events: [], next: null, scanned_to: 600 });
  const listed = await wholePage('sessions', new URLSearchParams({ project: 'p' }), 5, null);
  assert.deepEqual(listed, { sessions: [{ id: 'a' }], next: null, scanned_to: null });
  assert.deepEqual(asked.slice(1), [
    '/api/events?after=7&limit=5',
    '/api/events?after=511&limit=5',
    '/api/sessions?project=p&limit=5',
    '/api/sessions?project=p&limit=5&cursor=x%2F9',
  ]);
});

test('a long search shows the time that it has reached, stops, and continues on request', {
  skip,
}, async (t) => {
  const { url } = await onFile(t)('rs');
  await post(url, [event({ branch: 'main' }), event(), event()]);
  const { page, errors } = await open(browser, url);
  t.after(() => page.close());
  await untilIds(page, [3, 2, 1]);
  // The server answers as one that stops early would, until the row is wanted.
  let isFound = false;
  await page.route(/\/api\/events\?.*branch=main/, async (route) => {
    if (isFound) return await route.continue();
    await new Promise((resolve) => setTimeout(resolve, 100));
    await route.fulfill({ json: { events: [], next: 3, scanned_to: 3 } });
  });
  await page.evaluate(
    `history.pushState(null, '', '?branch=main'); dispatchEvent(new PopStateEvent('popstate'))`,
  );
  await page.getByText(/^Searched back to \d{4}-\d{2}-\d{2} /).waitFor();
  assert.deepEqual(await findingsOf(page), []);
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await page.getByText('No event was found before the search was stopped.').waitFor();
  isFound = true;
  await page.getByRole('button', { name: 'Search older events' }).click();
  await untilIds(page, [1]);
  assert.deepEqual(errors, []);
});
