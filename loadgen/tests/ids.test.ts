/** Tests the ids of events: ids that grow with time by RFC 9562, and random ids whose bytes never change. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { batchBody, type Range, singleBody } from '../src/load/bodies.ts';
import { loadPool } from '../src/load/pool.ts';
import { writeTimeUuid } from '../src/load/uuid.ts';

const SOURCE = { corpus: undefined, seed: 1, most: Number.MAX_SAFE_INTEGER };
const random = await loadPool({ ...SOURCE, ids: 'random' });
const time = await loadPool({ ...SOURCE, ids: 'time' });

function timeUuid(seed: number, index: number): string {
  const text = Buffer.alloc(36);
  writeTimeUuid(new DataView(text.buffer, text.byteOffset), 0, seed, index);
  return text.toString('latin1');
}

interface Event {
  readonly event_id: string;
  readonly session_id: string;
}
const eventsOf = (pool: typeof random, range: Range) =>
  (JSON.parse(batchBody(pool, range).toString()) as { events: Event[] }).events;

const HIGHEST = 2 ** 32 - 1;

test('time ids are version 7 UUIDs whose clock moves a millisecond every 50 events', () => {
  const form = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
  const clock = (id: string) => Number.parseInt(id.replace('-', '').slice(0, 12), 16);
  const first = clock(timeUuid(1, 0));
  assert.equal(first, Date.UTC(2026, 1, 11, 20, 0, 0));
  for (const index of [0, 1, 49, 50, 99, 100, 1_000_000, 2 ** 31, HIGHEST]) {
    const id = timeUuid(1, index);
    assert.match(id, form);
    assert.equal(clock(id) - first, Math.floor(index / 50), String(index));
  }
});

test('time ids grow with the index, so that none comes twice', () => {
  // An id grows with time and position only: 50 positions a millisecond, the same in every millisecond.
  for (const from of [0, 3_276_750, 2 ** 31 - 50_000, HIGHEST - 100_000]) {
    let before = timeUuid(1, from);
    for (let index = from + 1; index <= from + 100_000; index++) {
      const id = timeUuid(1, index);
      assert.ok(id > before, `${id} at ${index} after ${before}`);
      before = id;
    }
  }
});

test('time ids are a function of seed and index', () => {
  assert.equal(timeUuid(1, 12_345), timeUuid(1, 12_345));
  assert.notEqual(timeUuid(1, 12_345), timeUuid(2, 12_345));
  assert.equal(timeUuid(1, 12_345).slice(0, 16), timeUuid(2, 12_345).slice(0, 16), 'the clock has no seed');
  const tails = new Set(Array.from({ length: 10_000 }, (_, index) => timeUuid(1, index).slice(19)));
  assert.equal(tails.size, 10_000, 'the rest looks random');
});

test('a pool with time ids has them in its events, and random ids of sessions', () => {
  const range = { first: 20_000, count: 200 };
  const events = eventsOf(time, range);
  assert.deepEqual(
    events.map((event) => event.event_id),
    events.map((_, i) => timeUuid(1, range.first + i)),
  );
  assert.deepEqual(
    events.map((event) => event.session_id),
    eventsOf(random, range).map((event) => event.session_id),
  );
  assert.equal(time.facts.sha256, random.facts.sha256);
});

test('bodies with random ids keep their bytes', () => {
  const digest = createHash('sha256');
  for (let i = 0; i < 20; i++) digest.update(batchBody(random, { first: 15_000 + i * 50, count: 50 }));
  assert.equal(digest.digest('hex'), 'ed87bd5f697c66b867afa05ef34c93796e47488d6f02aefa5b4ae46cb451c0d2');
});

test('a single event has the bytes it has in a batch', () => {
  for (const pool of [random, time]) {
    for (const index of [0, 17, 15_798, 15_799, 40_000]) {
      const batch = batchBody(pool, { first: index, count: 1 }).toString();
      assert.equal(batch, `{"events":[${singleBody(pool, index)}]}`);
    }
  }
});
