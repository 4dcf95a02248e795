/** Tests that each event counts at its own time: in sums, ranges, sessions, and in the dashboard of either server. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { skip } from '@twin-ingest/testkit/browser/chromium.ts';
import { launch, open } from '@twin-ingest/testkit/browser/page.ts';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import type { Browser } from 'playwright-core';
import { findingsOf, idsOf, overflow, shot, tile, untilConnection, untilIds } from './browser.ts';
import { event, onFile, post } from './servers.ts';

let browser: Browser;
before(async () => {
  if (!skip) browser = await launch();
});
after(() => browser?.close());

const FEBRUARY = ['2026-02-10T00:00:00.000Z', '2026-02-11T00:00:00.000Z'] as const;

/** Events of 10 February, as an import sends them. */
function february(count: number): object[] {
  return Array.from({ length: count }, (_, i) =>
    event({
      session_id: 'february',
      source: 'import',
      client_timestamp: new Date(Date.parse(FEBRUARY[0]) + i * 60_000).toISOString(),
      cost_usd: 1,
      status: 'error',
    }),
  );
}

interface Answer {
  readonly events: readonly { id: number; time: string; history: boolean }[];
  readonly sessions: readonly Readonly<Record<string, unknown>>[];
  readonly buckets: readonly string[];
  readonly total_events: number;
  readonly total_cost_usd: number;
}

for (const name of TARGET_NAMES) {
  test(`${name}: an event of 10 February is in sums, ranges and its session of that day, not in today's`, async (t) => {
    const { url } = await onFile(t)(name);
    await post(url, [...february(3), event({ cost_usd: 5 })]);
    const get = async (path: string) => (await (await fetch(`${url}${path}`)).json()) as Answer;
    const then = `since=${FEBRUARY[0]}&until=${FEBRUARY[1]}`;
    const today = `since=${new Date(Date.now() - 3_600_000).toISOString()}`;
    for (const [range, ids, cost] of [
      [then, [3, 2, 1], 3],
      [today, [4], 5],
    ] as const) {
      const { total_events, total_cost_usd } = await get(`/api/stats?${range}`);
      assert.deepEqual([total_events, total_cost_usd], [ids.length, cost]);
      assert.deepEqual(
        (await get(`/api/events?${range}`)).events.map(({ id }) => id),
        ids,
      );
    }
    const { buckets } = await get(`/api/series?bucket=day&tz=Asia/Kathmandu&${then}`);
    assert.deepEqual(buckets, ['2026-02-09T18:15:00.000Z']);
    const { sessions } = await get('/api/sessions');
    const [newest, older] = sessions;
    assert.deepEqual([newest!.id, older!.id], ['s1', 'february']);
    assert.deepEqual(
      [older!.started_at, older!.last_event_at, older!.live_at, older!.status],
      [FEBRUARY[0], '2026-02-10T00:02:00.000Z', null, 'ended'],
    );
  });

  test(`${name}: the live feed skips an import, and filters and ranges show it`, { skip }, async (t) => {
    const { url } = await onFile(t)(name);
    await post(url, [...february(3), event({ session_id: 'now' })]);
    const { page, errors } = await open(browser, url);
    t.after(() => page.close());
    await untilConnection(page, 'live');
    await untilIds(page, [4]);
    assert.deepEqual(await idsOf(page), [4]);
    await tile(page, 'Events').getByText('4', { exact: true }).waitFor();
    // More rows than a page has, in one change: the live one between them appears.
    await post(url, [...february(250), event({ session_id: 'now' }), ...february(250)]);
    await untilIds(page, [255, 4]);
    await post(url, [event({ session_id: 'now' })]);
    await untilIds(page, [506, 255, 4]);
    assert.deepEqual(await idsOf(page), [506, 255, 4]);
    assert.deepEqual(await findingsOf(page), []);
    await page.reload();
    await untilIds(page, [506, 255, 4]);
    await page.getByRole('button', { name: 'Load older events' }).click();
    await page.getByRole('button', { name: 'Load older events' }).waitFor({ state: 'detached' });
    assert.deepEqual(await idsOf(page), [506, 255, 4]);

    const visit = (query: string) =>
      page.evaluate(`history.pushState(null, '', '${query}'); dispatchEvent(new PopStateEvent('popstate'))`);
    await visit('?range=today');
    await untilIds(page, [506, 255, 4]);
    await tile(page, 'Events').getByText('3', { exact: true }).waitFor();
    await visit('?session_id=february');
    await untilIds(page, [505, 504, 503]);
    const headline = page.locator('.headline');
    await headline.getByText('ended', { exact: true }).waitFor();
    await headline.getByText(/since 2026-02-(09|10) /).waitFor();
    assert.deepEqual(errors, []);
  });

  test(`${name}: with an import alone the feed says where its events are`, { skip }, async (t) => {
    const { url } = await onFile(t)(name);
    await post(url, february(300));
    const { page, errors } = await open(browser, url, { width: 390 });
    t.after(() => page.close());
    await page.getByText('No event is recent.').waitFor();
    await page.getByRole('button', { name: 'Load older events' }).click();
    await page.getByRole('button', { name: 'Load older events' }).waitFor({ state: 'detached' });
    await page.getByText('No event is recent.').waitFor();
    assert.deepEqual(await idsOf(page), []);
    assert.deepEqual([await overflow(page), await findingsOf(page)], [0, []]);
    await shot(page, `${name}-import-alone`);
    assert.deepEqual(errors, []);
  });

  test(`${name}: days are those of the server's zone, and the dashboard names it`, { skip }, async (t) => {
    const { url } = await onFile(t)(name, 0, ['--time-zone', 'Australia/Lord_Howe']);
    await post(url, [event({ cost_usd: 2 })]);
    const { page, errors } = await open(browser, url);
    t.after(() => page.close());
    const zone = page.getByText('Days begin at midnight in Australia/Lord_Howe.');
    await zone.waitFor();
    assert.deepEqual([await overflow(page), await findingsOf(page)], [0, []]);
    await zone.scrollIntoViewIfNeeded();
    await shot(page, `${name}-other-zone`);
    const asked = page.waitForRequest((request) => {
      const since = new URL(request.url()).searchParams.get('since');
      if (since === null) return false;
      const at = new Intl.DateTimeFormat('en-GB', { timeZone: 'Australia/Lord_Howe', timeStyle: 'short' });
      return request.url().includes('/api/events') && at.format(new Date(since)) === '00:00';
    });
    await page.getByLabel('Time range').selectOption('today');
    await asked;
    await untilIds(page, [1]);
    assert.deepEqual(errors, []);
  });
}
