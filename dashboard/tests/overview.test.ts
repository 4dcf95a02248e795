/** Tests the overview's time ranges, the names of projects, and the cost of today and this week. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Series, SeriesLine } from '@twin-ingest/client';
import type { Row, Session, Spent } from '../src/api.ts';
import { costText } from '../src/cost-text.ts';
import { costsOfRow } from '../src/costs.ts';
import { dateOf, firstInstantOf, otherZone } from '../src/days.ts';
import { hourCounts, hourly } from '../src/hourly.ts';
import { labelsOf } from '../src/paths.ts';
import { rangeIn, sinceOf } from '../src/range.ts';
import { byFolder, joined } from '../src/spending.ts';

test('a range begins with a whole hour: of the local day, of Monday, of the thirtieth day', () => {
  // A Thursday.
  const now = new Date(2026, 1, 19, 14, 35, 12);
  const at = (...day: [number, number, number, number]) => new Date(...day).toISOString();
  assert.equal(sinceOf('hour', now), at(2026, 1, 19, 13));
  assert.equal(sinceOf('today', now), at(2026, 1, 19, 0));
  assert.equal(sinceOf('week', now), at(2026, 1, 16, 0));
  assert.equal(sinceOf('month', now), at(2026, 0, 21, 0));
  assert.equal(sinceOf('week', new Date(2026, 1, 22, 23)), at(2026, 1, 16, 0));
  assert.deepEqual(['week', 'year', '', null].map(rangeIn), ['week', null, null, null]);
});

test('days of a range are those of the given zone, which may begin at any quarter of an hour', () => {
  // It is 00:10 of a Monday in Kathmandu, and still Sunday in UTC.
  const now = new Date('2026-02-15T18:25:00Z');
  assert.equal(sinceOf('today', now, 'Asia/Kathmandu'), '2026-02-15T18:15:00.000Z');
  assert.equal(sinceOf('week', now, 'Asia/Kathmandu'), '2026-02-15T18:15:00.000Z');
  assert.equal(sinceOf('month', now, 'Asia/Kathmandu'), '2026-01-17T18:15:00.000Z');
  assert.equal(sinceOf('week', now, 'UTC'), '2026-02-09T00:00:00.000Z');
  // The clock of Beirut skips midnight of this day.
  const march = Date.UTC(2026, 2, 29);
  assert.equal(firstInstantOf(march, 'Asia/Beirut').toISOString(), '2026-03-28T22:00:00.000Z');
  assert.equal(dateOf(new Date('2026-03-28T22:00:00Z'), 'Asia/Beirut'), march);
  assert.equal(dateOf(new Date('2026-03-28T21:59:59Z'), 'Asia/Beirut'), march - 86_400_000);
});

test('only a zone that differs from that of the browser counts', () => {
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const [first, second] = ['Asia/Kathmandu', 'Australia/Lord_Howe'];
  assert.equal(otherZone(own), null);
  assert.equal(otherZone(undefined), null);
  assert.equal(otherZone('Nowhere/Else'), null);
  assert.equal(otherZone(own === first ? second : first), own === first ? second : first);
});

test('projects of one name are told apart by the end of their folders', () => {
  const labels = labelsOf([
    '/home/a/shop',
    '/home/b/shop',
    '/srv/site',
    '/home/a/shop',
    'C:\\work\\site',
    '/x/b/shop',
  ]);
  assert.deepEqual(
    [...labels],
    [
      ['/home/a/shop', 'a/shop'],
      ['/home/b/shop', 'home/b/shop'],
      ['/srv/site', 'srv/site'],
      ['C:\\work\\site', 'work/site'],
      ['/x/b/shop', 'x/b/shop'],
    ],
  );
  assert.deepEqual(
    [...labelsOf(['/', '/shop', '/a/shop'])],
    [
      ['/', ''],
      ['/shop', 'shop'],
      ['/a/shop', 'a/shop'],
    ],
  );
});

test('the cost of today stands next to that of the week, the most expensive first', () => {
  const spent = (name: string, cost_usd: number, computed_cost_usd = 0, unpriced_tokens = 0) =>
    ({ name, cost_usd, computed_cost_usd, unpriced_tokens, tokens_in: 10, tokens_out: 1 }) as Spent;
  const costs = (reported: number, computed: number, unpriced: number, tokens = 11) => {
    return { reported, computed, unpriced, tokens };
  };
  const week = [spent('a', 2), spent('b', 0, 5), spent('c', 0), spent('d', 0, 0, 8), spent('e', 0, 0, 9)];
  assert.deepEqual(joined([spent('a', 1)], week), [
    { name: 'b', today: costs(0, 0, 0, 0), week: costs(0, 5, 0) },
    { name: 'a', today: costs(1, 0, 0), week: costs(2, 0, 0) },
    // Tokens without a price are listed, the most first.
    { name: 'e', today: costs(0, 0, 0, 0), week: costs(0, 0, 9) },
    { name: 'd', today: costs(0, 0, 0, 0), week: costs(0, 0, 8) },
  ]);
});

test('a cost names its parts, and $0.00 is a price of zero', () => {
  for (const [reported, computed, unpriced, tokens, text] of [
    [1.2, 0, 0, 10, '$1.20'],
    [1.2, 0.35, 0, 10, '$1.20 + ~$0.350 computed'],
    [0, 0.35, 12_000, 20_000, '~$0.350 computed + 12.0k tokens without a price'],
    [0, 0, 1, 1, '1 token without a price'],
    [0, 0, 0, 10, '$0.00'],
    [0, 0, 0, 0, '–'],
  ] as const) {
    assert.equal(costText({ reported, computed, unpriced, tokens }), text);
  }
});

test('the tokens of a row have no price without a cost', () => {
  const row = { tokens_in: 1, tokens_out: 2, cache_read_tokens: 3, cache_write_tokens: 4 };
  const of = (cost_usd: number | null, computed_cost_usd: number | null) =>
    costsOfRow({ ...row, cost_usd, computed_cost_usd } as Row);
  assert.deepEqual(of(null, null), { reported: 0, computed: 0, unpriced: 10, tokens: 10 });
  assert.deepEqual(of(0, null), { reported: 0, computed: 0, unpriced: 0, tokens: 10 });
  assert.deepEqual(of(null, 0.5), { reported: 0, computed: 0.5, unpriced: 0, tokens: 10 });
});

test('plots of a range have its hours', () => {
  assert.deepEqual(hourly([], 1004, 1002).at, [1002 * 3600, 1003 * 3600, 1004 * 3600]);
});

test('a series by hour becomes events and failures of each hour', () => {
  const line = { name: null, event_count: [5, 2], error_count: [1, 0] } as unknown as SeriesLine;
  const buckets = ['1970-01-01T01:00:00.000Z', '1970-01-01T03:00:00.000Z'];
  const counts = hourCounts({ buckets, series: [line] } as unknown as Series);
  assert.deepEqual(
    [...counts],
    [
      [3600, [5, 1]],
      [10_800, [2, 0]],
    ],
  );
  assert.equal(hourCounts({ buckets: [], series: [] } as unknown as Series).size, 0);
});

test('sessions tell the cost of folders of one name apart', () => {
  const today = '2026-02-19T00:00:00.000Z';
  const session = (id: string, last_event_at: string, total_cost_usd: number) =>
    ({ id, last_event_at, total_cost_usd, total_computed_cost_usd: 0 }) as Session;
  const list = [
    session('a1', '2026-02-19T08:00:00.000Z', 1),
    session('a2', '2026-02-17T08:00:00.000Z', 2),
    session('b', '2026-02-18T23:59:59.999Z', 4),
    session('?', today, 8),
  ];
  const sums = [...byFolder(list, today, ({ id }) => (id === '?' ? null : `/${id[0]}/shop`)).values()];
  assert.deepEqual(
    sums.map(({ name, today: now, week }) => [name, now.reported, week.reported]),
    [
      ['/a/shop', 1, 3],
      ['/b/shop', 0, 4],
    ],
  );
});
