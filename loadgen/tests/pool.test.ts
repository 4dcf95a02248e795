/**
 * Tests the pool of events. Generated events are the same for the same PRNG seed, valid by the contract, and shaped like
 * real events. A corpus keeps every byte except its two ids, whatever form its lines have.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { KINDS } from '@twin-ingest/testkit/events/kinds.ts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import EVENT from '../../contract/event.schema.json' with { type: 'json' };
import CONTRACT from '../../contract/fields.json' with { type: 'json' };
import { batchBody, type Range, singleBody } from '../src/load/bodies.ts';
import { generateLines } from '../src/load/payload.ts';
import { loadPool, type Pool } from '../src/load/pool.ts';
import { folder } from './scratch.ts';

const SOURCE = { corpus: undefined, seed: 1, most: Number.MAX_SAFE_INTEGER } as const;
const generated = await loadPool(SOURCE);

type Event = Record<string, unknown> &
  Record<'event_type' | 'agent_type' | 'session_id' | 'event_id', string>;
const lines = [...generateLines(1)];
const events = lines.map((line) => JSON.parse(line) as Event);
const eventsOf = (pool: Pool, range: Range) =>
  (JSON.parse(batchBody(pool, range).toString()) as { events: Event[] }).events;

test('the same seed gives the same bytes, another seed others', async () => {
  assert.deepEqual([...generateLines(1)], lines);
  const other = await loadPool({ ...SOURCE, seed: 2 });
  assert.notEqual(other.facts.sha256, generated.facts.sha256);
  const digest = createHash('sha256');
  for (let i = 0; i < 20; i++) digest.update(batchBody(generated, { first: 15_000 + i * 50, count: 50 }));
  assert.equal(digest.digest('hex'), 'ed87bd5f697c66b867afa05ef34c93796e47488d6f02aefa5b4ae46cb451c0d2');
});

test('sizes, kinds, sessions and text beyond ASCII are those of the real events', () => {
  const { p50, p95, p99, max, mean } = generated.facts.event_bytes;
  for (const [value, wanted, share] of [
    [p50, 562, 0.05],
    [p95, 2534, 0.15],
    [p99, 8554, 0.2],
    [max, 82_242, 0.2],
    [mean, 896, 0.1],
    [lines.filter((line) => Buffer.byteLength(line) !== line.length).length / lines.length, 0.0586, 0.03],
  ] as const)
    assert.ok(Math.abs(value / wanted - 1) < share, `${value} is not within ${share} of ${wanted}`);
  assert.equal(events.length, 15_799);
  const found = Map.groupBy(events, ({ agent_type, event_type }) => `${agent_type} ${event_type}`);
  for (const { agent_type, event_type, count } of KINDS)
    assert.equal(found.get(`${agent_type} ${event_type}`)?.length, count, `${agent_type} ${event_type}`);
  assert.equal(new Set(events.map((event) => event.session_id)).size, 42);
});

test('every event is valid by the contract', () => {
  const isEvent = new Ajv2020({ strict: false, formats: { 'date-time': true } }).compile(EVENT);
  for (const event of events) {
    assert.ok(isEvent(event), JSON.stringify([isEvent.errors, event]));
    // The schema counts code points of a text, and the contract bytes.
    for (const [field, spec] of Object.entries(CONTRACT.fields))
      if ('bytes' in spec) assert.ok(Buffer.byteLength(String(event[field] ?? '')) <= spec.bytes, field);
  }
});

test('a repetition has fresh ids around the same bytes, and a single event the bytes it has in a batch', () => {
  const before = eventsOf(generated, { first: 100, count: 50 });
  const after = eventsOf(generated, { first: 100 + generated.events, count: 50 });
  for (const [i, { event_id, session_id, ...rest }] of before.entries()) {
    const { event_id: other_id, session_id: other_session, ...others } = after[i]!;
    assert.ok(other_id !== event_id && other_session !== session_id);
    assert.deepEqual(others, rest);
  }
  for (const index of [0, 17, 15_798, 15_799, 40_000]) {
    const batch = batchBody(generated, { first: index, count: 1 }).toString();
    assert.equal(batch, `{"events":[${singleBody(generated, index)}]}`);
  }
});

test('random event ids are version 4 UUIDs and never come twice', () => {
  const ids = new Set(eventsOf(generated, { first: 7, count: 40_000 }).map(({ event_id }) => event_id));
  assert.equal(ids.size, 40_000);
  for (const id of ids)
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

function load(content: string | Buffer, most = 1000): Promise<Pool> {
  const file = join(folder, 'corpus.ndjson');
  writeFileSync(file, content);
  return loadPool({ corpus: file, seed: 1, most });
}

const METADATA =
  '{ "b":1.50,\t"a":12345678901234567890,"event_id":"inner","t":"\\ud800 \u2028 é \\"session_id\\":\\"x\\"" }';
const BLANK = ['""', '" \\t"', '"\\u00a0\\u0020"', '"\u2003"'];

/** Lines of a corpus, with `#` before the text of ids that every event gets afresh. */
for (const [what, [sessions, ids], ...corpus] of [
  [
    'metadata keeps its bytes',
    [1, 1],
    `{"session_id":"#s-1", "metadata":${METADATA},"event_id":"#toolu_01","agent_type":"codex"}`,
  ],
  [
    'an event without an id gets none, and sessions are distinguished by value',
    [2, 0],
    '{"session_id":"#a"}',
    '{"event_id":null,"session_id":"#\\u0061"}',
    '{"event_id":7,"session_id":"#b"}',
  ],
  ['a blank id is none', [1, 0], ...BLANK.map((id) => `{"session_id":"#a","event_id":${id}}`)],
  [
    'of a key given twice the last counts, and escapes in keys are resolved',
    [1, 1],
    '{"session_id":"a","session_id":"#b","event\\u005fid":"#x"}',
    '{"event_id":"x","event_id":7,"session_id":"#b"}',
  ],
] as const) {
  test(`only the ids of the event itself change: ${what}`, async () => {
    const { facts, ...pool } = await load(corpus.join('\n').replaceAll('#', ''));
    const body = batchBody(pool, { first: 0, count: corpus.length }).toString();
    const blanked = body.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '#');
    assert.equal(blanked, `{"events":[${corpus.join().replace(/#[^"]*/g, '#')}]}`);
    assert.deepEqual([facts.sessions, facts.with_event_id], [sessions, ids]);
  });
}

test('events of one session stay in one session, a fresh one each repetition, also of a gzip', async () => {
  const text = ['a', 'b', 'a'].map((session_id) => JSON.stringify({ session_id })).join('\n');
  const [plain, packed] = [await load(text), await load(gzipSync(text))];
  assert.equal(packed.facts.sha256, plain.facts.sha256);
  const ids = eventsOf(packed, { first: 0, count: 6 }).map((event) => event.session_id);
  assert.deepEqual([ids[0], ids[3]], [ids[2], ids[5]]);
  assert.equal(new Set(ids).size, 4);
  assert.equal((await load(gzipSync(text), 2)).events, 2, 'not more than is needed is kept');
});

test('what cannot be an event is named by its line', async () => {
  for (const [corpus, message] of [
    ['{"session_id":"a"}\n{"session_id":', /^line 2 of the corpus: Unexpected end of JSON input/],
    ['[1]', /^line 1 of the corpus: not a JSON object$/],
    ['{"session_id":7}', /^line 1 of the corpus: no session_id that is a string$/],
    ['null', /: not a JSON object$/],
    ['{"session_id":"a","session_id":[]}', /: no session_id/],
    ['\n', /holds no event/],
  ] as const)
    await assert.rejects(load(corpus), { code: 'corpus_unusable', message });
});
