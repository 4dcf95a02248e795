/** Tests the notifications of the browser, and the line of the budget. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { skip } from '@twin-ingest/testkit/browser/chromium.ts';
import { DEADLINE_MS, launch, open } from '@twin-ingest/testkit/browser/page.ts';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import type { Browser, Page } from 'playwright-core';
import { findingsOf, overflow, shot, untilConnection } from './browser.ts';
import { event, onFile, post } from './servers.ts';

let browser: Browser;
before(async () => {
  if (!skip) browser = await launch();
});
after(() => browser?.close());

/** Replaces the browser's notifications and sound by lists of what was asked for. */
const STUBS = `
  window.shown = []; window.asked = 0; window.tones = 0;
  window.Notification = class {
    static permission = localStorage.getItem('test-permission') ?? 'default';
    static async requestPermission() {
      window.asked++;
      Notification.permission = localStorage.getItem('test-answer') ?? 'granted';
      localStorage.setItem('test-permission', Notification.permission);
      return Notification.permission;
    }
    constructor(title, { body, tag }) { window.shown.push({ title, body, tag }); window.last = this; }
    close() {}
  };
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (...args) { window.tones++; return start.apply(this, args); };
`;

async function openStubbed(url: string, width = 1280): Promise<{ page: Page; errors: string[] }> {
  const { page, errors } = await open(browser, url, { width, height: 844 });
  await page.addInitScript(STUBS);
  await page.reload();
  await untilConnection(page, 'live');
  return { page, errors };
}

const evaluate = <T>(page: Page, text: string) => page.evaluate<T>(text);
const button = (page: Page, name: RegExp) => page.getByRole('button', { name });

async function hook(url: string, session_id: string, hook_event_name: string): Promise<void> {
  const response = await fetch(`${url}/api/hooks/claude-code`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ session_id, hook_event_name, cwd: '/home/me/shop' }),
  });
  assert.equal(response.status, 200);
}

/** Polls from the test: a wait within the page would evaluate text there. */
async function untilShown(page: Page, count: number): Promise<readonly { body: string; tag: string }[]> {
  const deadline_ms = performance.now() + DEADLINE_MS;
  for (;;) {
    const shown = await evaluate<{ body: string; tag: string }[]>(page, 'window.shown');
    if (shown.length >= count) return shown;
    assert.ok(performance.now() < deadline_ms, `shown: ${JSON.stringify(shown)}`);
    await page.waitForTimeout(20);
  }
}

for (const name of TARGET_NAMES) {
  test(`${name}: the page notifies only after a click, also while it is hidden`, { skip }, async (t) => {
    const { url } = await onFile(t)(name, 0, ['--budget-usd-day', '10']);
    await hook(url, 'old', 'PermissionRequest');
    const { page, errors } = await openStubbed(url);
    t.after(() => page.close());
    await page.getByText('asks for permission').first().waitFor();
    await hook(url, 'before', 'PermissionRequest');
    await page.getByRole('list', { name: 'Needs an answer (2)' }).waitFor();
    assert.deepEqual(await evaluate(page, '[shown.length, asked, tones]'), [0, 0, 0], 'off at first');
    await button(page, /^Notify me: off/).click();
    await button(page, /^Notify me: sound/).waitFor();
    assert.equal(await evaluate(page, 'asked'), 1);
    const tones = await evaluate<number>(page, 'tones');
    assert.equal(tones, 2, 'the click plays the sound');
    await evaluate(
      page,
      `Object.defineProperty(document, 'hidden', { configurable: true, get: () => true });
       dispatchEvent(new Event('visibilitychange')); document.dispatchEvent(new Event('visibilitychange'))`,
    );
    await hook(url, 'new', 'PermissionRequest');
    const [first] = await untilShown(page, 1);
    assert.match(first!.body, /asks for permission$/);
    assert.match(first!.tag, /^waiting new /);
    assert.equal(await evaluate(page, 'tones'), tones + 2);
    await post(url, [event({ session_id: 'api', event_type: 'error', tool_name: null, cost_usd: 10.5 })]);
    const shown = await untilShown(page, 3);
    assert.deepEqual(
      shown
        .slice(1)
        .map(({ tag }) => tag.split(' ')[0])
        .sort(),
      ['budget', 'failed'],
    );
    await evaluate(page, 'window.last.onclick()');
    assert.deepEqual(errors, []);
  });
}

test('the choice is kept, a silent one plays nothing, and off is the end', { skip }, async (t) => {
  const { url } = await onFile(t)('ts');
  await hook(url, 'old', 'PermissionRequest');
  const { page, errors } = await openStubbed(url);
  t.after(() => page.close());
  await button(page, /^Notify me: off/).click();
  await button(page, /^Notify me: sound/).click();
  await button(page, /^Notify me: silent/).waitFor();
  await page.reload();
  await button(page, /^Notify me: silent/).waitFor();
  await untilConnection(page, 'live');
  await page.getByRole('list', { name: 'Needs an answer (1)' }).waitFor();
  await hook(url, 'a', 'PermissionRequest');
  await untilShown(page, 1);
  assert.deepEqual(await evaluate(page, '[asked, tones]'), [0, 0]);
  await button(page, /^Notify me: silent/).click();
  await button(page, /^Notify me: off/).waitFor();
  assert.equal(await evaluate(page, `localStorage.getItem('notify')`), null);
  await hook(url, 'b', 'PermissionRequest');
  await page.getByRole('list', { name: 'Needs an answer (3)' }).waitFor();
  assert.equal(await evaluate(page, 'shown.length'), 1);
  assert.deepEqual(errors, []);
});

test('a refused permission leaves the choice off and says so', { skip }, async (t) => {
  const { url } = await onFile(t)('ts');
  const { page } = await openStubbed(url);
  t.after(() => page.close());
  await evaluate(page, `localStorage.setItem('test-answer', 'denied')`);
  await button(page, /^Notify me: off/).click();
  await page.getByText('Notify me: refused').waitFor();
  assert.equal(await evaluate(page, `localStorage.getItem('notify')`), null);
});

test('the cost of the day is shown next to its budget', { skip }, async (t) => {
  const { url } = await onFile(t)('ts', 0, ['--budget-usd-day', '10']);
  await post(url, [event({ cost_usd: 3.2 })]);
  for (const width of [1280, 390]) {
    const { page, errors } = await open(browser, url, { width, height: 844 });
    await page.getByText('3.20 of 10.00 USD today', { exact: true }).waitFor();
    assert.equal(await overflow(page), 0);
    assert.deepEqual(await findingsOf(page), []);
    await shot(page, `budget-${width}`);
    assert.deepEqual(errors, []);
    await page.close();
  }
});
