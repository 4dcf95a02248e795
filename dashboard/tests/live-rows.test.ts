/** Tests which rows the live feed asks for while a part of the newest ones is history. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Snapshot } from '@twin-ingest/client';
import type { EventPage, Row } from '../src/api.ts';
import { withLiveRows } from '../src/live-rows.ts';

const SIGNAL = new AbortController().signal;
const live = (id: number) => ({ id, history: false }) as Row;
const old = (id: number) => ({ id, history: true }) as Row;

function snapshotOf(events: readonly Row[], next: number | null, own: object = {}): Snapshot<EventPage> {
  const data = { events, next, scanned_to: next ?? 0 };
  return { topic: 'events', epoch: 'e', revision: '900', whole: true, data, ...own } as Snapshot<EventPage>;
}

/** Answers with these pages; returns the queries without the time. */
function answering(t: TestContext, pages: readonly object[]): string[] {
  const { fetch } = globalThis;
  t.after(() => {
    globalThis.fetch = fetch;
  });
  const asked: string[] = [];
  const answers = pages.values();
  globalThis.fetch = async (url) => {
    asked.push(String(url).replace(/since=[^&]+/, 'since'));
    return new Response(JSON.stringify(answers.next().value));
  };
  return asked;
}

const idsOf = ({ data }: Snapshot<EventPage>) => data.events.map(({ id }) => id);

test('a page without history, a change, and a page of everything stay as they are', async (t) => {
  const asked = answering(t, []);
  for (const snapshot of [
    snapshotOf([live(900), live(899)], 899),
    snapshotOf([old(900)], 899, { whole: false }),
    snapshotOf([old(2), live(1)], null),
  ])
    assert.equal(await withLiveRows(snapshot, null, SIGNAL), snapshot);
  assert.deepEqual(asked, []);
});

test('the first page of live rows lies below an import, and older ones follow its last row', async (t) => {
  const asked = answering(t, [{ events: [live(900), old(700), live(500)], next: null, scanned_to: 0 }]);
  const found = await withLiveRows(snapshotOf([live(900), old(899)], 899), null, SIGNAL);
  assert.deepEqual(asked, ['/api/events?since&limit=1000']);
  assert.deepEqual([idsOf(found), found.data.next, found.whole], [[900, 899, 700, 500], 500, true]);
});

test('without a live row the search for older ones begins below the newest page', async (t) => {
  answering(t, [{ events: [], next: null, scanned_to: 0 }]);
  const found = await withLiveRows(snapshotOf([old(900), old(899)], 899), null, SIGNAL);
  assert.deepEqual([idsOf(found), found.data.next], [[900, 899], 899]);
});

test('during an import the live rows since the known ones continue them', async (t) => {
  const asked = answering(t, [{ events: [live(400), live(650)], next: null, scanned_to: 900 }]);
  const known = { epoch: 'e', revision: '300' } as const;
  const snapshot = snapshotOf([old(900), old(899)], 899, { reset: true });
  const found = await withLiveRows(snapshot, known as never, SIGNAL);
  assert.deepEqual(asked, ['/api/events?since&after=300&limit=1000']);
  assert.deepEqual([idsOf(found), found.whole, found.reset], [[900, 899, 650, 400], false, false]);
});

test('more live rows than one page, or another database, begin a new page', async (t) => {
  const asked = answering(t, [
    { events: Array.from({ length: 1000 }, (_, i) => live(301 + i)), next: 1300, scanned_to: 1300 },
    { events: [live(2000)], next: null, scanned_to: 0 },
    { events: [], next: null, scanned_to: 0 },
  ]);
  const many = snapshotOf([old(2001)], 2001, { revision: '2001' });
  const found = await withLiveRows(many, { epoch: 'e', revision: '300' } as never, SIGNAL);
  assert.deepEqual([idsOf(found), found.data.next, found.whole], [[2001, 2000], 2000, true]);
  const other = await withLiveRows(many, { epoch: 'before', revision: '300' } as never, SIGNAL);
  assert.deepEqual([other.data.next, other.whole], [2001, true]);
  assert.equal(asked.length, 3);
});
