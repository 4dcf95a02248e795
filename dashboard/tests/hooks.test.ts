/** Tests that hooks alone show what each session of a coding agent does. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { skip } from '@twin-ingest/testkit/browser/chromium.ts';
import { launch, open } from '@twin-ingest/testkit/browser/page.ts';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import type { Browser, Page } from 'playwright-core';
import { fiveSessions, postHooks, sessionOf } from './agent.ts';
import { overflow, shot, tile } from './browser.ts';
import { event, onFile, post } from './servers.ts';

let browser: Browser;
before(async () => {
  if (!skip) browser = await launch();
});
after(() => browser?.close());

const rowWith = (page: Page, text: string) => page.locator('#feed .event', { hasText: text });

for (const name of TARGET_NAMES) {
  test(`${name}: five sessions are distinguished by their hooks, on every screen`, { skip }, async (t) => {
    const { url } = await onFile(t)(name);
    await postHooks(url, fiveSessions());
    for (const width of [1280, 390]) {
      for (const colorScheme of ['light', 'dark'] as const) {
        const { page, errors } = await open(browser, url, { width, height: 844, colorScheme });
        for (const title of [
          'shop · Fix the flaky test in auth.spec.ts',
          'billing · Deploy the fixed invoice service',
          'shop · Why does the checkout round prices twice?',
        ])
          await page.locator('.session', { hasText: title }).waitFor();
        assert.match((await page.locator('.session .age').first().textContent())!, / ago$/);
        await rowWith(page, 'Asks for permission: npm run deploy -- --production').waitFor();
        assert.equal(await page.getByText('transcript_path').count(), 0);
        assert.equal(await overflow(page), 0);
        if (width === 1280) {
          const widths = await page.evaluate<[string, number][]>(
            `[...document.querySelectorAll('.feed-head > span')].map((cell) => [cell.textContent, cell.clientWidth])`,
          );
          const names = widths.map(([title]) => title);
          assert.deepEqual(names, ['Time', 'Event', 'Tool', 'What', 'Took', 'Project']);
          const widest = widths.toSorted(([, a], [, b]) => b - a)[0]![0];
          assert.equal(widest, 'What');
        } else {
          const top = async (selector: string) => (await page.locator(selector).first().boundingBox())!.y;
          assert.ok((await top('#sessions-title')) < (await top('#feed')), 'sessions come before the feed');
          await rowWith(page, 'npm test -- auth').locator('.c-session', { hasText: 'shop' }).waitFor();
        }
        await shot(page, `${name}-hooks-${width}-${colorScheme}`);
        assert.deepEqual(errors, []);
        await page.close();
      }
    }
  });

  test(`${name}: a call is one row, which completes and opens`, { skip }, async (t) => {
    const { url } = await onFile(t)(name);
    const agent = sessionOf('0001', 'shop');
    const input = { command: 'npm test' };
    await postHooks(url, [agent.start, agent.before('c1', 'Bash', input), agent.prompt('And then?')]);
    const { page, errors } = await open(browser, url);
    t.after(() => page.close());
    const call = rowWith(page, 'npm test');
    await call.locator('.c-event', { hasText: 'PreToolUse' }).waitFor();
    await call.locator('.c-tool', { hasText: 'Bash' }).waitFor();
    await postHooks(url, [agent.after('c1', 'Bash', input, 4200)]);
    await call.locator('.c-event', { hasText: 'PostToolUse' }).waitFor();
    await call.locator('.c-took', { hasText: '4.2 s' }).waitFor();
    assert.equal(await page.locator('#feed .event').count(), 3, 'no row was added');
    const ids = () =>
      page.locator('#feed .event').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-id')));
    // Between the prompt, which arrived later, and the start of the session.
    assert.deepEqual(await ids(), ['3', '4', '1']);
    await call.getByRole('button', { name: '2 events of this call' }).click();
    await page.locator('.is-part', { hasText: 'PreToolUse' }).waitFor();
    assert.equal(await page.getByRole('dialog').isVisible(), false);
    await page.getByRole('grid').focus();
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowLeft']) await page.keyboard.press(key);
    await page.locator('.is-part').waitFor({ state: 'detached' });
    await page.keyboard.press('ArrowRight');
    await page.locator('.is-part').waitFor();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Event 4' });
    await dialog.getByRole('button', { name: 'Show all PostToolUse' }).click();
    await page.waitForURL(/\?source_event=PostToolUse/);
    await page.getByRole('list', { name: 'Filters in use' }).getByText('PostToolUse').waitFor();
    assert.deepEqual(errors, []);
  });

  test(`${name}: tokens and cost are a dash until an event reports them`, { skip }, async (t) => {
    const { url } = await onFile(t)(name);
    await postHooks(url, fiveSessions());
    const { page, errors } = await open(browser, url);
    t.after(() => page.close());
    await page.getByText('No event has named tokens and cost yet').waitFor();
    assert.equal(await tile(page, 'Tokens and cost').textContent(), '–');
    await page.getByText('Tokens per hour, Cost per hour: no data yet').waitFor();
    await page.locator('#projects-title').waitFor();
    assert.equal(await page.getByText('$0.00').count(), 0);
    await post(url, [event({ tokens_in: 1200, tokens_out: 42, cost_usd: 0.5 })]);
    await tile(page, 'Cost').getByText('$0.500').waitFor();
    await tile(page, 'Tokens in / out').getByText('1.20k/42').waitFor();
    await page.locator('.unmeasured').waitFor({ state: 'detached' });
    await page.getByText('Cost per hour', { exact: true }).waitFor();
    assert.deepEqual(errors, []);
  });

  test(`${name}: a click on a session narrows figures and panels to it`, { skip }, async (t) => {
    const { url } = await onFile(t)(name);
    await postHooks(url, fiveSessions());
    const { page, errors } = await open(browser, url);
    t.after(() => page.close());
    await page.locator('.session', { hasText: 'billing · Deploy' }).click();
    const headline = page.getByRole('region', { name: 'Chosen session' });
    await headline.getByRole('heading', { name: 'billing · Deploy the fixed invoice service' }).waitFor();
    for (const text of ['1 turn', '1 call', '1 error', '1 wait'])
      await headline.getByText(text, { exact: true }).waitFor();
    await tile(page, 'Events').getByText('7', { exact: true }).waitFor();
    assert.deepEqual(await page.locator('[aria-labelledby="tools-title"] tbody th').allTextContents(), [
      'Bash',
    ]);
    assert.deepEqual(await page.locator('[aria-labelledby="projects-title"] tbody th').allTextContents(), [
      'billing',
    ]);
    const models = page.getByRole('region', { name: 'Models' });
    await models.getByText('events that name one').waitFor();
    // Of the session's seven events, only its start names a model.
    assert.deepEqual(await models.locator('tbody td').allTextContents(), ['1']);
    const agent = sessionOf('0002', 'billing');
    await postHooks(url, [agent.prompt('Never mind'), sessionOf('0001', 'shop').prompt('Go on')]);
    await headline.getByText('2 turns', { exact: true }).waitFor();
    await tile(page, 'Events').getByText('8', { exact: true }).waitFor();
    await shot(page, `${name}-scope`);
    await headline.getByRole('button', { name: 'All sessions' }).click();
    await tile(page, 'Events')
      .getByText(String(fiveSessions().length + 2), { exact: true })
      .waitFor();
    assert.deepEqual(errors, []);
  });
}
