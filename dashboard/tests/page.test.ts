/**
 * Tests the dashboard with either server: each posted event appears once, despite failures of the server. Views have
 * addresses, details are exact, and the keyboard reaches everything.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { skip } from '@twin-ingest/testkit/browser/chromium.ts';
import { launch, open } from '@twin-ingest/testkit/browser/page.ts';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import type { Browser } from 'playwright-core';
import { idsOf, overflow, shot, untilConnection, untilIds } from './browser.ts';
import { event, onFile, otherOf, post, varied } from './servers.ts';

let browser: Browser;
before(async () => {
  if (!skip) browser = await launch();
});
after(() => browser?.close());

const down = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, i) => from - i);

for (const name of TARGET_NAMES) {
  test(`${name}: each posted event appears once, across a kill and the other server`, { skip }, async (t) => {
    const start = onFile(t);
    let server = await start(name);
    const { port, url } = server;
    const { page, errors, foreign } = await open(browser, url);
    t.after(() => page.close());
    await page.getByText('No events yet.').waitFor();
    const [send, connect] = await page.locator('.empty pre').allTextContents();
    assert.ok(send?.includes(`${url}/api/events`));
    // The tests of `connect` check these arguments.
    assert.equal(connect, `twin-ingest connect claude-code --url ${url}`);
    await post(url, [event({ metadata: { command: 'first' } })]);
    await untilIds(page, [1]);
    assert.ok((await page.locator('[data-id="1"]').textContent())?.includes('first'));

    const state = page.locator('[aria-labelledby="server-title"] .state');
    await state.getByText('ok', { exact: true }).waitFor();
    await server.kill();
    await untilConnection(page, 'lost');
    await state.getByText('unknown', { exact: false }).waitFor();
    server = await start(otherOf(name), port);
    await post(url, [event(), event()]);
    await untilIds(page, [3, 2, 1]);
    await untilConnection(page, 'live');
    await state.getByText('ok', { exact: true }).waitFor();

    await server.stop();
    server = await start(name, port);
    await post(url, [event(), event()]);
    await untilIds(page, [5, 4, 3, 2, 1]);
    assert.deepEqual(await idsOf(page), [5, 4, 3, 2, 1]);
    await page.getByText('5 since opened, none missing', { exact: true }).waitFor();
    // The browser's own messages about a missing server are not errors of the page.
    const own = errors.filter((text) => !/Failed to load resource|net::ERR_/.test(text));
    assert.deepEqual([own, foreign], [[], []]);
  });

  test(`${name}: hints begin with the name that the command line gave the server`, { skip }, async (t) => {
    const command = `'/home/a b/用户/it'\\''s <img src=x onerror=alert(1)>/twin-ingest'`;
    const { url } = await onFile(t)(name, 0, ['--command-name', command]);
    const { page, errors } = await open(browser, url);
    t.after(() => page.close());
    await page.locator('.empty pre', { hasText: `${command} connect` }).waitFor();
    const connect = await page.locator('.empty pre').last().textContent();
    assert.equal(connect, `${command} connect claude-code --url ${url}`);
    assert.equal(await page.locator('.empty code').textContent(), `${command} demo`);
    assert.equal(await page.locator('.empty img').count(), 0);
    assert.deepEqual(
      errors.filter((text) => !/Failed to load resource|net::ERR_/.test(text)),
      [],
    );
  });

  test(`${name}: a pause holds back and counts rows; older ones load on request`, {
    skip,
  }, async (t) => {
    const { url } = await onFile(t)(name);
    await post(url, varied(450));
    const { page, errors } = await open(browser, url);
    t.after(() => page.close());
    await untilIds(page, down(450, 440));
    await page.getByRole('button', { name: 'Pause' }).click();
    await post(url, [event(), event(), event()]);
    await page.getByRole('button', { name: '3 new' }).waitFor();
    assert.equal((await idsOf(page))[0], 450);
    await page.getByRole('button', { name: 'Resume' }).click();
    await untilIds(page, down(453, 440));
    const grid = page.getByRole('grid');
    const toEnd = async () => {
      await grid.focus();
      await page.keyboard.press('End');
    };
    // Slots are reused while the list scrolls, so a click may meet another row; then a person clicks again.
    const load = async (name: RegExp, rows: number) => {
      await toEnd();
      const loaded = page.locator(`[aria-rowcount="${rows}"]`);
      for (let tries = 0; tries < 5 && (await loaded.count()) === 0; tries++) {
        await page
          .getByRole('button', { name })
          .click({ timeout: 2_000 })
          .catch(() => undefined);
        await loaded.waitFor({ timeout: 2_000 }).catch(() => undefined);
      }
      assert.equal(await loaded.count(), 1, `${rows - 1} rows`);
    };
    // A page of 200, and three new events.
    await load(/^250 more not loaded/, 405);
    await load(/^50 more not loaded/, 454);
    await toEnd();
    await page.waitForSelector('[data-id="1"]');
    assert.ok(
      (await page.locator('#feed [data-id]').count()) < 100,
      'only what can be seen is in the document',
    );
    await page.keyboard.press('Home');
    await untilIds(page, down(453, 440));
    await page.getByText('3 since opened, none missing', { exact: true }).waitFor();
    assert.deepEqual(errors, []);
  });

  test(`${name}: unread events are counted, and load on request`, { skip }, async (t) => {
    const { url } = await onFile(t)(name);
    await post(url, varied(10));
    const { page } = await open(browser, url);
    t.after(() => page.close());
    await untilIds(page, down(10, 1));
    await post(url, varied(300));
    const count = page.getByText(/since opened/);
    await page.getByText('200 since opened, 100 not read', { exact: true }).waitFor();
    assert.equal(await count.getAttribute('title'), 'Of the events 11 to 310');
    await page.getByRole('grid').focus();
    await page.keyboard.press('End');
    await page.getByRole('button', { name: /^100 more not loaded/ }).click();
    await page.getByText('300 since opened, none missing', { exact: true }).waitFor();
  });

  test(`${name}: filters and search are in the address, and apply to new rows`, { skip }, async (t) => {
    const { url } = await onFile(t)(name);
    await post(url, varied(60));
    const { page, errors } = await open(browser, url);
    t.after(() => page.close());
    await untilIds(page, [60, 59]);
    await page.getByRole('button', { name: 'Filters' }).click();
    const tool = page.getByLabel('Tool', { exact: true });
    await tool.locator('option[value="Read"]').waitFor({ state: 'attached' });
    await tool.selectOption('Read');
    // Of 60 events, numbers 3, 12, … counted from 0: ids are one higher.
    await untilIds(page, [58, 49, 40, 31, 22, 13, 4]);
    assert.equal(new URL(page.url()).search, '?tool_name=Read');
    await post(url, [event({ tool_name: 'Read' }), event({ tool_name: 'Bash' })]);
    await untilIds(page, [61, 58]);
    await page.keyboard.press('Escape');
    await page.getByRole('grid').focus();
    await page.keyboard.press('/');
    await page.keyboard.type('echo 48');
    await untilIds(page, [49]);
    assert.equal(await page.locator('#feed [data-id]').count(), 1);
    assert.equal(new URL(page.url()).search, '?tool_name=Read&q=echo+48');
    await page.reload();
    await untilIds(page, [49]);
    assert.equal(await page.getByRole('searchbox').inputValue(), 'echo 48');
    await page.getByRole('searchbox').fill('');
    await untilIds(page, [61, 58, 49]);
    await page.getByRole('button', { name: 'Clear all' }).click();
    await untilIds(page, [62, 61, 60]);
    assert.equal(new URL(page.url()).search, '');
    await page.locator('.session').first().click();
    await page.waitForURL(/\?session_id=/);
    assert.deepEqual(errors, []);
  });

  test(`${name}: details show the metadata as sent`, { skip }, async (t) => {
    const { url } = await onFile(t)(name);
    const exact =
      '{"big": 12345678901234567890123, "one":1.0, "e":1E+2, "again":1, "again":2, "\\u0061":"\\ud800"}';
    await post(url, [
      `{"session_id":"s","agent_type":"a","event_type":"tool_use","cost_usd":0.5,"metadata":${exact}}`,
      event(),
    ]);
    const { page, errors } = await open(browser, url);
    t.after(() => page.close());
    await untilIds(page, [2, 1]);
    await page.locator('[data-id="1"]').click();
    const dialog = page.getByRole('dialog', { name: 'Event 1' });
    await dialog.getByRole('button', { name: 'As sent' }).click();
    assert.equal(await dialog.locator('pre').textContent(), exact);
    await dialog.getByRole('button', { name: 'As sent' }).click();
    assert.ok((await dialog.locator('pre').textContent())?.includes('"big": 12345678901234567890123,\n'));
    assert.equal(new URL(page.url()).search, '?event=1');
    await dialog.getByRole('button', { name: 'Newer' }).click();
    await page.getByRole('dialog', { name: 'Event 2' }).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await page.goto(`${url}/?event=1`);
    await dialog.getByText('$0.500').waitFor();
    await page.goto(`${url}/?event=99`);
    await page.getByText('It could not be loaded').waitFor();
    const own = errors.filter((text) => !text.includes('404'));
    assert.deepEqual(own, []);
  });

  test(`${name}: the keyboard moves through the events, opens one and returns`, { skip }, async (t) => {
    const { url } = await onFile(t)(name);
    await post(url, varied(100));
    const { page, errors } = await open(browser, url);
    t.after(() => page.close());
    await untilIds(page, [100, 99]);
    const grid = page.getByRole('grid', { name: 'Events' });
    await grid.focus();
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowUp']) await page.keyboard.press(key);
    assert.equal(await grid.getAttribute('aria-activedescendant'), 'event-99');
    assert.equal(await page.locator('[aria-selected="true"]').getAttribute('data-id'), '99');
    await post(url, [event()]);
    await page.getByRole('button', { name: '1 new' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Event 99' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    assert.equal(await page.evaluate('document.activeElement.id'), 'feed');
    assert.equal(await grid.getAttribute('aria-activedescendant'), 'event-99');
    await page.keyboard.press('Escape');
    await untilIds(page, [101, 100]);
    assert.deepEqual(errors, []);
  });

  test(`${name}: on a phone nothing overflows, and the dark theme is dark`, { skip }, async (t) => {
    const { url } = await onFile(t)(name);
    await post(url, [...varied(50), event({ session_id: 'x'.repeat(256), project: 'y'.repeat(1000) })]);
    for (const width of [360, 1400]) {
      for (const colorScheme of ['light', 'dark'] as const) {
        const { page, errors } = await open(browser, url, { width, height: 740, colorScheme });
        await untilIds(page, [51, 50]);
        await page.locator('#server-title').waitFor();
        assert.equal(await overflow(page), 0);
        const ground = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
        assert.equal(Number(ground.match(/\d+/)![0]) < 100, colorScheme === 'dark', ground);
        await shot(page, `${name}-${width}-${colorScheme}`);
        await page.locator('[data-id="50"]').click();
        await page.getByRole('dialog').getByText('Metadata').waitFor();
        assert.equal(await overflow(page), 0);
        await shot(page, `${name}-${width}-${colorScheme}-detail`);
        assert.deepEqual(errors, []);
        await page.close();
      }
    }
  });
}
