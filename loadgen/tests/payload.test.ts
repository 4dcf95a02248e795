/**
 * Tests the generated events: the same for the same PRNG seed, valid by the contract, and shaped like real events. Ids
 * that grow with time follow RFC 9562, and bodies with random ids never change.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { KINDS } from '@twin-ingest/testkit/events/kinds.ts';
import CONTRACT from '../../contract/fields.json' with { type: 'json' };
import VOCABULARY from '../../contract/vocabulary.json' with { type: 'json' };
import { batchBody, type Range, singleBody } from '../src/load/bodies.ts';
import { generateLines } from '../src/load/payload.ts';
import { loadPool, type Pool } from '../src/load/pool.ts';
import { writeTimeUuid } from '../src/load/uuid.ts';

const SOURCE = { corpus: undefined, seed: 1, most: Number.MAX_SAFE_INTEGER } as const;
const random = await loadPool({ ...SOURCE, ids: 'random' });
const time = await loadPool({ ...SOURCE, ids: 'time' });

type Event = Record<string, unknown> &
  Record<'event_type' | 'agent_type' | 'session_id' | 'event_id', string>;
const lines = [...generateLines(1)];
const events = lines.map((line) => JSON.parse(line) as Event);
const eventsOf = (pool: Pool, range: Range) =>
  (JSON.parse(batchBody(pool, range).toString()) as { events: Event[] }).events;

test('the same seed gives the same bytes, another seed others', async () => {
  assert.deepEqual([...generateLines(1)], lines);
  assert.equal(time.facts.sha256, random.facts.sha256);
  const other = await loadPool({ ...SOURCE, seed: 2, ids: 'random' });
  assert.notEqual(other.facts.sha256, random.facts.sha256);
  const digest = createHash('sha256');
  for (let i = 0; i < 20; i++) digest.update(batchBody(random, { first: 15_000 + i * 50, count: 50 }));
  assert.equal(digest.digest('hex'), 'ed87bd5f697c66b867afa05ef34c93796e47488d6f02aefa5b4ae46cb451c0d2');
});

test('sizes are near those of the real events', () => {
  for (const [key, wanted, share] of [
    ['p50', 562, 0.05],
    ['p95', 2534, 0.15],
    ['p99', 8554, 0.2],
    ['max', 82_242, 0.2],
    ['mean', 896, 0.1],
  ] as const) {
    const value = random.facts.event_bytes[key];
    assert.ok(Math.abs(value / wanted - 1) < share, `${key}: ${value} is not within ${share} of ${wanted}`);
  }
});

test('kinds, sessions and text beyond ASCII are as many as in the real events', () => {
  assert.equal(events.length, 15_799);
  const found = Map.groupBy(events, ({ agent_type, event_type }) => `${agent_type} ${event_type}`);
  for (const { agent_type, event_type, count } of KINDS) {
    const kind = `${agent_type} ${event_type}`;
    assert.equal(found.get(kind)?.length, count, kind);
  }
  assert.equal(new Set(events.map((event) => event.session_id)).size, 42);
  const beyond = lines.filter((line) => Buffer.byteLength(line) !== line.length).length / lines.length;
  assert.ok(Math.abs(beyond - 0.0586) < 0.002, String(beyond));
});

/** Returns the violations of the contract's section 2, checked by code written only for this test. */
function problemsOf(event: Event): string[] {
  const problems: string[] = [];
  const check = (good: boolean, what: string) => good || problems.push(what);
  for (const [field, spec] of Object.entries(CONTRACT.fields)) {
    if (!('bytes' in spec)) continue;
    const value = event[field];
    if (value === undefined) check(!['session_id', 'agent_type'].includes(field), field);
    else
      check(
        typeof value === 'string' && value.trim() !== '' && Buffer.byteLength(value) <= spec.bytes,
        field,
      );
  }
  const known = (words: readonly string[], value: unknown) => words.includes(value as string);
  check(known(VOCABULARY.event_types, event.event_type), 'event_type');
  check(event.status === undefined || known(VOCABULARY.statuses, event.status), 'status');
  check(event.source === undefined || known(VOCABULARY.sources, event.source), 'source');
  for (const field of ['duration_ms', 'tokens_in', 'tokens_out', 'cache_read_tokens', 'cache_write_tokens']) {
    const value = event[field];
    check(value === undefined || (Number.isSafeInteger(value) && (value as number) >= 0), field);
  }
  const at = event.client_timestamp;
  check(at === undefined || new Date(at as string).toISOString() === at, 'client_timestamp');
  check(typeof event.metadata === 'object' && event.metadata !== null, 'metadata');
  return problems;
}

test('every event is valid by the contract, and the check of that can fail', () => {
  for (const event of events) assert.deepEqual(problemsOf(event), [], JSON.stringify(event));
  const wrong = { ...events[0]!, session_id: ' ', tokens_in: 1.5 };
  assert.deepEqual(problemsOf(wrong), ['session_id', 'tokens_in']);
});

test('a repetition has fresh ids around the same bytes, and a single event the bytes it has in a batch', () => {
  const before = eventsOf(random, { first: 100, count: 50 });
  const after = eventsOf(random, { first: 100 + random.events, count: 50 });
  for (const [i, event] of before.entries()) {
    assert.notEqual(after[i]!.event_id, event.event_id);
    assert.notEqual(after[i]!.session_id, event.session_id);
    assert.deepEqual(after[i]!.metadata, event.metadata);
  }
  for (const pool of [random, time]) {
    for (const index of [0, 17, 15_798, 15_799, 40_000]) {
      const batch = batchBody(pool, { first: index, count: 1 }).toString();
      assert.equal(batch, `{"events":[${singleBody(pool, index)}]}`);
    }
  }
});

test('random event ids are version 4 UUIDs and never come twice', () => {
  const ids = eventsOf(random, { first: 7, count: 40_000 }).map(({ event_id }) => event_id);
  for (const id of ids)
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(new Set(ids).size, ids.length);
  assert.equal(random.facts.with_event_id, random.facts.events);
});

function timeUuid(seed: number, index: number): string {
  const text = Buffer.alloc(36);
  writeTimeUuid(new DataView(text.buffer, text.byteOffset), 0, seed, index);
  return text.toString('latin1');
}
const HIGHEST = 2 ** 32 - 1;

test('time ids are version 7 UUIDs whose clock moves a millisecond every 50 events', () => {
  const form = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
  const clock = (id: string) => Number.parseInt(id.replace('-', '').slice(0, 12), 16);
  for (const index of [0, 1, 49, 50, 99, 100, 1_000_000, 2 ** 31, HIGHEST]) {
    const id = timeUuid(1, index);
    assert.match(id, form);
    assert.equal(clock(id), Date.UTC(2026, 1, 11, 20, 0, 0) + Math.floor(index / 50), String(index));
  }
  assert.notEqual(timeUuid(1, 12_345), timeUuid(2, 12_345));
  const tails = new Set(Array.from({ length: 10_000 }, (_, index) => timeUuid(1, index).slice(19)));
  assert.equal(tails.size, 10_000, 'the rest looks random');
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

test('a pool with time ids has them in its events, and random ids of sessions', () => {
  const range = { first: 20_000, count: 200 };
  const wanted = eventsOf(random, range).map((event, i) => ({
    ...event,
    event_id: timeUuid(1, range.first + i),
  }));
  assert.deepEqual(eventsOf(time, range), wanted);
});
