/**
 * Tests the page of a session and the overview's panels with either server: sums, turns, lanes, details, keyboard, live
 * updates, history, narrow and dark.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { skip } from '@twin-ingest/testkit/browser/chromium.ts';
import { launch, open } from '@twin-ingest/testkit/browser/page.ts';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import type { Browser } from 'playwright-core';
import { findingsOf, overflow, shot, untilConnection } from './browser.ts';
import { event, onFile, post } from './servers.ts';
import { longSession, story } from './story.ts';

let browser: Browser;
before(async () => {
  if (!skip) browser = await launch();
});
after(() => browser?.close());

const ID = 'shop/1 ä';
const PATH = `/#/session/${encodeURIComponent(ID)}`;

for (const name of TARGET_NAMES) {
  test(`${name}: a session's page shows its sums, turns, calls and subagents`, { skip }, async (t) => {
    const { url } = await onFile(t)(name);
    await post(url, story(ID));
    const { page, errors, foreign } = await open(browser, url, { path: PATH });
    t.after(() => page.close());
    await page.getByRole('heading', { name: 'Why does the checkout round prices twice?' }).waitFor();
    const sums = page.locator('.session-sums');
    const text = async () => (await sums.textContent()) ?? '';
    for (const part of [
      '$0.402',
      '11 model calls',
      '9 tool calls',
      '2 errors',
      '155k reused',
      '37.9k rebuilt',
    ])
      assert.ok((await text()).includes(part), `${part} in ${await text()}`);
    assert.match(await text(), /waited for you 1\d m .*worked 2 m/);
    await page.getByText('claude_code · /home/user/work/shop · fix-rounding').waitFor();
    const line = (of: string) => page.getByRole('row').filter({ hasText: of });
    await line('waited for you 44.7 s').getByText('npm run deploy -- --staging').waitFor();
    await line('Subagent').getByText('Explore').waitFor();
    assert.equal(await page.locator('.is-inner').count(), 6);
    assert.ok((await page.locator('.is-inner.is-bad').textContent())?.includes('2 of 48 tests failed'));
    await line('Now production').getByText('waits for you: Asks for permission', { exact: false }).waitFor();
    assert.deepEqual([errors, foreign], [[], []]);

    // The events of the call, its original text and its attachments.
    const found = await fetch(`${url}/api/events?session_id=${encodeURIComponent(ID)}&call_id=b3&order=asc`);
    const [first, last] = ((await found.json()) as { events: { id: number }[] }).events;
    const attached = await fetch(`${url}/api/events/${last!.id}/attachments/output.txt`, {
      method: 'PUT',
      body: 'deployed',
    });
    assert.equal(attached.status, 201);
    await line('waited for you 44.7 s').click();
    const dialog = page.getByRole('dialog');
    const parts = dialog.getByRole('navigation', { name: 'Events of this call' }).getByRole('button');
    assert.deepEqual(
      (await parts.allTextContents()).map((one) => one.split(' ')[0]),
      ['PreToolUse', 'PermissionRequest', 'PostToolUse'],
    );
    await dialog.getByText('output.txt').waitFor();
    assert.ok((await dialog.locator('pre').textContent())?.includes('"tool_use_id": "b3"'));
    await parts.first().click();
    await dialog.getByRole('heading', { name: `Event ${first!.id}` }).waitFor();
    assert.equal(new URL(page.url()).search, `?event=${first!.id}`);
    assert.equal(new URL(page.url()).hash, PATH.slice(1));
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });

    // A result arrives while the page is open.
    const answer = { source: 'hook', source_event: 'Stop', event_type: 'response' };
    await post(url, [
      event({ session_id: ID, ...answer, metadata: { last_assistant_message: 'It is live.' } }),
    ]);
    await line('Now production').getByText('It is live.').waitFor();
    assert.deepEqual(errors, []);
  });

  test(`${name}: links lead to a session's page, and the back button returns`, { skip }, async (t) => {
    const { url } = await onFile(t)(name);
    await post(url, [...story(ID), ...story('other', 3_600_000, '/home/user/old/shop')]);
    const { page, errors } = await open(browser, url);
    t.after(() => page.close());
    await untilConnection(page, 'live');
    // Projects of one name differ by their folders.
    await page.locator('.session .name', { hasText: 'work/shop ·' }).waitFor();
    await page.locator('.session .name', { hasText: 'old/shop ·' }).waitFor();
    const folder = page.getByRole('row', { name: '/home/user/old/shop' });
    await folder.getByText('$0.402').first().waitFor();
    await page.getByRole('link', { name: /^› ?Page of old\/shop/ }).click();
    await page.getByText('/home/user/old/shop', { exact: false }).first().waitFor();
    await page.locator('.timeline').waitFor();
    await page.goBack();
    await page.locator('#feed [data-id]').first().waitFor();
    await page.goForward();
    await page.locator('.timeline').waitFor();
    await page.getByRole('link', { name: '← All sessions' }).click();
    await page.locator('.where-link').first().click();
    await page.locator('.timeline').waitFor();
    await page.goto(`${url}/?event=5`);
    await page.getByRole('dialog').getByRole('link', { name: 'Open its session' }).click();
    await page.getByRole('heading', { name: 'Why does the checkout' }).waitFor();
    assert.equal(await page.getByRole('dialog').count(), 0);
    await page.goto(`${url}/#/session/nobody`);
    await page.getByText('No event of this session is stored').waitFor();
    assert.deepEqual(
      errors.filter((text) => !text.includes('404')),
      [],
    );
  });

  test(`${name}: the keyboard reaches every line of a long session`, { skip }, async (t) => {
    const { url } = await onFile(t)(name);
    const long = longSession('long', 2400);
    await post(url, long.slice(0, 1000));
    await post(url, long.slice(1000, 2000));
    await post(url, long.slice(2000));
    const { page, errors } = await open(browser, url, { path: '/#/session/long' });
    t.after(() => page.close());
    await page.getByText('1,140 tool calls').waitFor();
    const grid = page.getByRole('treegrid', { name: '60 turns' });
    const chosen = page.locator('[aria-selected="true"]');
    await grid.focus();
    await page.keyboard.press('ArrowDown');
    await chosen.getByText('Prompt 1:', { exact: false }).waitFor();
    assert.equal(await chosen.getAttribute('aria-expanded'), 'false');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    await chosen.getByText('npm test -- part-', { exact: false }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('heading', { name: 'Event 3' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.keyboard.press('ArrowLeft');
    await chosen.getByText('Prompt 1:', { exact: false }).waitFor();
    await page.keyboard.press('ArrowLeft');
    assert.equal(await chosen.getAttribute('aria-expanded'), 'false');
    await page.keyboard.press('End');
    await chosen.getByText('npm test', { exact: false }).waitFor();
    await page.getByRole('button', { name: 'Open all' }).click();
    await page.waitForSelector('[role="treegrid"][aria-rowcount="1200"]');
    await page.getByRole('button', { name: 'Fold all' }).click();
    await page.waitForSelector('[role="treegrid"][aria-rowcount="60"]');
    assert.ok((await page.locator('.line').count()) < 40, 'only what can be seen is in the document');
    assert.deepEqual(errors, []);
  });

  test(`${name}: the session page and the overview fit a phone, in light and dark`, { skip }, async (t) => {
    const { url } = await onFile(t)(name);
    const hostile = { source: 'hook', source_event: 'UserPromptSubmit', event_type: 'user_prompt' };
    await post(url, [
      ...story(ID),
      event({
        session_id: 'x'.repeat(256),
        ...hostile,
        project: 'y'.repeat(1000),
        metadata: { prompt: '\u202e<b>'.repeat(90) },
      }),
    ]);
    for (const width of [1400, 390]) {
      for (const colorScheme of ['light', 'dark'] as const) {
        const { page, errors } = await open(browser, url, {
          width,
          height: 844,
          colorScheme,
          path: `/?range=week${PATH.slice(1)}`,
        });
        await page.locator('.line').first().waitFor();
        await shot(page, `${name}-session-${width}-${colorScheme}`);
        assert.deepEqual([await overflow(page), await findingsOf(page)], [0, []]);
        await page.getByRole('link', { name: '← All sessions' }).click();
        await page.locator('.spending').getByText('All', { exact: true }).waitFor();
        assert.equal(await page.getByLabel('Time range').inputValue(), 'week');
        await shot(page, `${name}-overview-${width}-${colorScheme}`);
        assert.deepEqual([await overflow(page), await findingsOf(page)], [0, []]);
        await page.goto(`${url}/#/session/${'x'.repeat(256)}`);
        await page.locator('.line').first().waitFor();
        assert.deepEqual([await overflow(page), errors], [0, []]);
        await page.close();
      }
    }
  });

  test(`${name}: all panels share the time range of the address`, { skip }, async (t) => {
    const { url } = await onFile(t)(name);
    await post(url, story(ID));
    const asked: string[] = [];
    const { page, errors } = await open(browser, url, { path: '/?range=today' });
    t.after(() => page.close());
    page.on('request', (request) => asked.push(request.url()));
    await page.locator('#failed-title').waitFor();
    await page.locator('.failure', { hasText: 'Bash: npm test -- cart' }).waitFor();
    await page.locator('.spending').getByRole('rowheader', { name: 'shop /home/user/work/shop' }).waitFor();
    await page.getByRole('button', { name: 'agent', exact: true }).click();
    await page.locator('.spending').getByRole('rowheader', { name: 'claude_code' }).waitFor();
    asked.length = 0;
    await page.getByLabel('Time range').selectOption('month');
    assert.equal(new URL(page.url()).search, '?range=month');
    await page.locator('#feed [data-id]').first().waitFor();
    const since = new Date(new Date().setHours(0, 0, 0, 0));
    since.setDate(since.getDate() - 29);
    const wanted = ['events', 'sessions', 'stats', 'stats/tools', 'stats/cost'];
    const isAsked = (path: string) =>
      asked
        .map((one) => new URL(one))
        .some(
          (one) => one.pathname === `/api/${path}` && one.searchParams.get('since') === since.toISOString(),
        );
    while (!wanted.every(isAsked)) await page.waitForTimeout(20);
    await page.getByLabel('Time range').selectOption('');
    assert.equal(new URL(page.url()).search, '');
    // A chosen session is shown whole.
    await page.goto(`${url}/?session_id=${encodeURIComponent(ID)}&range=hour`);
    await page.locator('.headline').waitFor();
    assert.equal(await page.getByLabel('Time range').count(), 0);
    assert.deepEqual(errors, []);
  });
}
