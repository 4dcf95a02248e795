/** Tests the generated events: the same for the same PRNG seed, valid by the contract, and shaped like real events. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { KINDS } from '@twin-ingest/testkit/events/kinds.ts';
import { ROOT } from '@twin-ingest/testkit/servers/targets.ts';
import { batchBody, countWithId } from '../src/load/bodies.ts';
import { generateLines } from '../src/load/payload.ts';
import { loadPool } from '../src/load/pool.ts';

const contract = (file: string) => JSON.parse(readFileSync(`${ROOT}contract/${file}`, 'utf8'));
const vocabulary = contract('vocabulary.json') as {
  event_types: string[];
  statuses: string[];
  sources: string[];
};
const { fields } = contract('fields.json') as { fields: Record<string, { bytes?: number }> };

const lines = [...generateLines(1)];
type Event = Record<string, unknown> & {
  event_type: string;
  agent_type: string;
  session_id: string;
  event_id: string;
};
const events = lines.map((line) => JSON.parse(line) as Event);
const generated = await loadPool({
  corpus: undefined,
  seed: 1,
  most: Number.MAX_SAFE_INTEGER,
  ids: 'random',
});

test('the same seed gives the same bytes, another seed others', async () => {
  assert.deepEqual([...generateLines(1)], lines);
  const again = await loadPool({ corpus: undefined, seed: 1, most: Number.MAX_SAFE_INTEGER, ids: 'random' });
  const other = await loadPool({ corpus: undefined, seed: 2, most: Number.MAX_SAFE_INTEGER, ids: 'random' });
  assert.equal(again.facts.sha256, generated.facts.sha256);
  assert.notEqual(other.facts.sha256, generated.facts.sha256);
});

test('sizes are near those of the real events', () => {
  const { event_bytes } = generated.facts;
  const near = (value: number, wanted: number, share: number) =>
    assert.ok(Math.abs(value / wanted - 1) < share, `${value} is not within ${share} of ${wanted}`);
  near(event_bytes.p50, 562, 0.05);
  near(event_bytes.p95, 2534, 0.15);
  near(event_bytes.p99, 8554, 0.2);
  near(event_bytes.max, 82_242, 0.2);
  near(event_bytes.mean, 896, 0.1);
});

test('kinds, sessions and text beyond ASCII are as many as in the real events', () => {
  assert.equal(events.length, 15_799);
  for (const { agent_type, event_type, count } of KINDS) {
    const found = events.filter(
      (event) => event.agent_type === agent_type && event.event_type === event_type,
    );
    assert.equal(found.length, count, `${agent_type} ${event_type}`);
  }
  assert.equal(new Set(events.map((event) => event.session_id)).size, 42);
  const beyond = lines.filter((line) => Buffer.byteLength(line) !== line.length).length / lines.length;
  assert.ok(Math.abs(beyond - 0.0586) < 0.002, String(beyond));
});

/** Returns the violations of the contract's section 2, checked by code written only for this test. */
function problemsOf(event: Event): string[] {
  const problems: string[] = [];
  const check = (good: boolean, what: string) => good || problems.push(what);
  for (const [field, { bytes }] of Object.entries(fields)) {
    if (bytes === undefined) continue;
    const value = event[field];
    if (value === undefined) check(!['session_id', 'agent_type'].includes(field), field);
    else check(typeof value === 'string' && value.trim() !== '' && Buffer.byteLength(value) <= bytes, field);
  }
  check(vocabulary.event_types.includes(event.event_type), 'event_type');
  check(event.status === undefined || vocabulary.statuses.includes(event.status as string), 'status');
  check(event.source === undefined || vocabulary.sources.includes(event.source as string), 'source');
  for (const field of ['duration_ms', 'tokens_in', 'tokens_out', 'cache_read_tokens', 'cache_write_tokens']) {
    const value = event[field];
    check(value === undefined || (Number.isSafeInteger(value) && (value as number) >= 0), field);
  }
  const time = event.client_timestamp;
  check(time === undefined || new Date(time as string).toISOString() === time, 'client_timestamp');
  check(typeof event.metadata === 'object' && event.metadata !== null, 'metadata');
  return problems;
}

test('every event is valid by the contract', () => {
  const broken = events
    .map((event) => ({ event, problems: problemsOf(event) }))
    .filter((one) => one.problems.length > 0);
  assert.deepEqual(broken.slice(0, 3), []);
});

test('the check above can fail', () => {
  assert.deepEqual(problemsOf({ ...events[0]!, session_id: ' ', tokens_in: 1.5 }), [
    'session_id',
    'tokens_in',
  ]);
});

test('a body is a function of its number, and repetitions have fresh ids around the same bytes', () => {
  const size = 50;
  const first = { first: 100, count: size };
  const repeated = { first: 100 + generated.templates.length, count: size };
  assert.deepEqual(batchBody(generated, first), batchBody(generated, first));
  const read = (range: typeof first) =>
    (JSON.parse(batchBody(generated, range).toString()) as { events: Event[] }).events;
  const before = read(first);
  const after = read(repeated);
  assert.equal(before.length, size);
  for (const [i, event] of before.entries()) {
    assert.notEqual(after[i]!.event_id, event.event_id);
    assert.notEqual(after[i]!.session_id, event.session_id);
    assert.deepEqual(after[i]!.metadata, event.metadata);
  }
});

test('event ids are version 4 UUIDs and never come twice', () => {
  const ids = new Set<string>();
  const count = 40_000;
  for (let at = 0; at < count; at += 1000) {
    const body = JSON.parse(batchBody(generated, { first: at, count: 1000 }).toString()) as {
      events: Event[];
    };
    for (const event of body.events) {
      assert.match(event.event_id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      ids.add(event.event_id);
    }
  }
  assert.equal(ids.size, count);
  assert.equal(countWithId(generated, { first: 7, count }), count);
});
