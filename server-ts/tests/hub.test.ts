import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TUNING } from '../src/contract.ts';
import { type FrameSource, Hub, Places, type Subscription } from '../src/hub.ts';
import type { EventFilter } from '../src/store/query.ts';
import type { Frames } from '../src/store/read.ts';
import { ReadFailed } from '../src/store/reader.ts';

/** An in-memory store: event N belongs to session `s${N % 2}`, and its frame is `N;` with padding. */
class Source implements FrameSource {
  newest = 0;
  /** The oldest ids of writes to clients. */
  readonly deliveries: number[] = [];
  readonly meters = { countDelivery: (id: number) => void this.deliveries.push(id) };
  reads: EventFilter[] = [];
  private readonly filling: string;

  constructor(filling = '') {
    this.filling = filling;
  }

  async frames(filter: EventFilter): Promise<Frames> {
    this.reads.push(filter);
    const rows: number[] = [];
    let scannedTo = filter.before! - 1;
    for (let id = filter.after! + 1; id < filter.before!; id++) {
      if (filter.sessionId !== undefined && filter.sessionId !== `s${id % 2}`) continue;
      if (rows.length === filter.limit) {
        scannedTo = rows.at(-1)!;
        break;
      }
      rows.push(id);
    }
    const chunks = rows.map((id) => Buffer.from(`${id};${this.filling}`));
    let end = 0;
    const ends = chunks.map((chunk) => {
      end += chunk.length;
      return end;
    });
    return {
      bytes: Buffer.concat(chunks),
      ids: Float64Array.from(rows),
      ends: Uint32Array.from(ends),
      names: rows.map((id) => [`s${id % 2}`, 'a', 'error']),
      scannedTo,
    };
  }
}

function hubOf(source: Source, maxClients = 10): Hub {
  return new Hub(source, new Places(maxClients), (error) => assert.fail(String(error)));
}

/** Returns ids until the subscription has caught up. */
async function idsUntil(subscription: Subscription, last: number): Promise<number[]> {
  const ids: number[] = [];
  while (ids.at(-1) !== last) {
    const next = await subscription.next(5_000);
    assert.ok(next !== 'idle' && next !== 'end', `${String(next)} after ${ids.length}`);
    const text = Buffer.from(next).toString();
    ids.push(...[...text.matchAll(/(\d+);/g)].map((match) => Number(match[1])));
  }
  return ids;
}

const range = (from: number, to: number, step = 1) =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, at) => from + at * step);

test('closing a subscription frees its place, and only once', () => {
  const hub = hubOf(new Source(), 2);
  const first = hub.subscribe({}, 0)!;
  assert.ok(hub.subscribe({}, 0));
  assert.equal(hub.subscribe({}, 0), undefined);
  first.close();
  first.close();
  assert.equal(hub.clients, 1);
  assert.ok(hub.subscribe({}, 0));
  assert.equal(hub.subscribe({}, 0), undefined);
});

test('new rows are read once for all subscribers', async () => {
  const source = new Source();
  const hub = hubOf(source);
  const subscriptions = range(1, 5).map(() => hub.subscribe({}, 0)!);
  const waiting = subscriptions.map((subscription) => idsUntil(subscription, 3));
  source.newest = 3;
  hub.published();
  for (const ids of await Promise.all(waiting)) assert.deepEqual(ids, [1, 2, 3]);
  assert.equal(source.reads.length, 1);
});

test('a subscriber that is behind reads its own pages, then continues live', async () => {
  const source = new Source();
  source.newest = 1_000;
  const hub = hubOf(source);
  const subscription = hub.subscribe({ sessionId: 's1' }, 0)!;
  assert.deepEqual(await idsUntil(subscription, 999), range(1, 999, 2));
  assert.ok(source.reads.every(({ limit }) => limit === TUNING.stream_page_events));
  source.newest = 1_003;
  hub.published();
  assert.deepEqual(await idsUntil(subscription, 1_003), [1_001, 1_003]);
});

test('the ring is bounded, and a subscriber behind it loses no event', async () => {
  const source = new Source('x'.repeat(100_000));
  const hub = hubOf(source);
  const slow = hub.subscribe({}, 0)!;
  const fast = hub.subscribe({}, 0)!;
  for (let newest = 20; newest <= 200; newest += 20) {
    source.newest = newest;
    hub.published();
    assert.deepEqual(await idsUntil(fast, newest), range(newest - 19, newest));
  }
  assert.equal(hub.ring.framesAfter(0, {}), undefined);
  assert.deepEqual(await idsUntil(slow, 200), range(1, 200));
});

test('subscribers at the same cursor with the same filter get the same bytes, until there are new events', async () => {
  const source = new Source();
  const hub = hubOf(source);
  const subscription = hub.subscribe({}, 0)!;
  source.newest = 3;
  hub.published();
  assert.deepEqual(await idsUntil(subscription, 3), [1, 2, 3]);
  const bytes = hub.ring.framesAfter(1, {})!.bytes;
  assert.equal(hub.ring.framesAfter(1, {})!.bytes, bytes);
  assert.notDeepEqual(hub.ring.framesAfter(2, {})!.bytes, bytes);
  assert.notDeepEqual(hub.ring.framesAfter(1, { sessionId: 's1' })!.bytes, bytes);
  const old = hub.ring.framesAfter(1, {})!;
  source.newest = 4;
  hub.published();
  assert.deepEqual(await idsUntil(subscription, 4), [4]);
  const now = hub.ring.framesAfter(1, {})!;
  assert.deepEqual([old.cursor, now.cursor, now.first], [3, 4, 2]);
  assert.ok(now.bytes.length > bytes.length);
});

test('silence is reported after the requested time', async () => {
  const subscription = hubOf(new Source()).subscribe({}, 0)!;
  assert.equal(await subscription.next(20), 'idle');
});

test('a frame that is not an event reaches every subscriber', async () => {
  const hub = hubOf(new Source());
  const subscription = hub.subscribe({ eventType: 'response' }, 0)!;
  const next = subscription.next(5_000);
  hub.broadcast(Buffer.from('stats'));
  assert.equal(Buffer.from((await next) as Uint8Array).toString(), 'stats');
});

test('closing the hub ends waiting subscribers and refuses new ones', async () => {
  const hub = hubOf(new Source());
  const next = hub.subscribe({}, 0)!.next(60_000);
  hub.close();
  assert.equal(await next, 'end');
  assert.equal(hub.subscribe({}, 0), undefined);
});

test('a subscription behind the ring waits while every reader is busy, and ends with any other failure', async () => {
  const source = new Source();
  const hub = hubOf(source);
  source.newest = 3;
  const failures = [new ReadFailed('storage_busy', 'no reader was free', true)];
  const read = source.frames.bind(source);
  source.frames = (filter) => {
    const failure = failures.shift();
    return failure === undefined ? read(filter) : Promise.reject(failure);
  };
  const subscription = hub.subscribe({}, 0)!;
  assert.equal(await subscription.next(0), 'idle', 'heartbeats go on');
  assert.deepEqual(await idsUntil(subscription, 3), [1, 2, 3]);
  const other = hub.subscribe({}, 0)!;
  failures.push(new ReadFailed('storage_error', 'disk'));
  await assert.rejects(other.next(10), { code: 'storage_error' });
});
