/**
 * Tests the plain servers: the same answers and the same rows as the products, for the subset of the API that they
 * have. Of a refusal only the status is compared.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startServer } from '@twin-ingest/testkit/servers/server.ts';
import { TARGETS, type Target } from '@twin-ingest/testkit/servers/targets.ts';
import Database from 'better-sqlite3';
import EVENT from '../../contract/example-event.json' with { type: 'json' };
import CONTRACT from '../../contract/fields.json' with { type: 'json' };
import VOCABULARY from '../../contract/vocabulary.json' with { type: 'json' };
import { PLAIN_TARGETS } from '../plain/targets.ts';
import { batchBody } from '../src/load/bodies.ts';
import { loadPool, type PoolSource } from '../src/load/pool.ts';
import { createAuditor } from '../src/verify/audit/auditor.ts';
import { readHealth } from '../src/verify/health.ts';
import { lifetime } from './scratch.ts';

const SERVERS: Readonly<Record<string, Target>> = {
  rs: TARGETS.rs,
  ts: TARGETS.ts,
  'plain rs': PLAIN_TARGETS.rs,
  'plain ts': PLAIN_TARGETS.ts,
};
const NAMES = Object.keys(SERVERS);
const built = NAMES.filter((name) => existsSync(SERVERS[name]!.artefact));
const compared = built.filter((name) => name.startsWith('plain'));
const missing = NAMES.filter((name) => !built.includes(name)).map((name) => SERVERS[name]!.build);
// The plain server in Rust takes longest to build, so the others are also compared without it.
const skip = !existsSync(TARGETS.rs.artefact) && `not built: ${missing.join(' ')}`;

type Started = Awaited<ReturnType<typeof start>>;

async function start(name: string) {
  const target = SERVERS[name]!;
  const folder = await lifetime.temporaryFolder();
  const database = join(folder.path, 'events.db');
  const server = await startServer(target.name, { flags: ['--db', database] }, target);
  lifetime.add(() => server.stop());
  return { server, database };
}

type Answer = Readonly<{ status: number; body: Record<string, unknown> }>;

async function ask(url: string, path: string, body?: string | Buffer): Promise<Answer> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url + path, body === undefined ? {} : { method: 'POST', headers, body });
  const text = await response.text();
  // Refusals have no common body, and axum refuses JSON of another type with 422.
  if (!response.ok) return { status: response.status === 422 ? 400 : response.status, body: {} };
  return { status: response.status, body: JSON.parse(text) };
}

/** Returns the rows of a server after its end. */
async function rowsAfter({ server, database }: Started): Promise<unknown[]> {
  const exit = await server.stop();
  assert.deepEqual(exit, { code: 0, signal: null });
  const db = new Database(database, { readonly: true });
  const rows = db.prepare<[], Record<string, unknown>>('SELECT * FROM events_readable ORDER BY id').all();
  db.close();
  return rows.map(({ created_at, time, history, ...row }) => ({ ...row, created_at: typeof created_at }));
}

/** An event with a value in every field. */
const WHOLE = {
  ...EVENT,
  session_id: ' trimmed ',
  status: 'timeout',
  cache_read_tokens: 3,
  cache_write_tokens: 9_007_199_254_740_991,
  cache_write_1h_tokens: 4,
  source_event: 'PostToolUse',
  call_id: 'call',
  agent_id: 'agent',
  response_id: 'response',
  service_tier: 'priority',
  subagent: 'code-reviewer',
  skill: 'pdf',
  mcp_server: 'github',
  host: 'laptop',
  client_timestamp: '2026-02-18T20:06:41.2319+02:00',
  arrived_at: '2026-02-18T20:06:42.5+02:00',
};
const { event_id: _, ...WITHOUT_ID } = WHOLE;
const LEAST = { session_id: 's', agent_type: 'agent', event_type: 'error', tool_name: '  ', status: null };
const SUMMARY = Object.fromEntries(VOCABULARY.summary_keys.map((key) => [key, [key]]));
const LONG = { ...LEAST, metadata: { text: 'é'.repeat(9_000), ...SUMMARY } };
const WORDS = [
  ...VOCABULARY.event_types.map((event_type) => ({ ...LEAST, event_type })),
  ...VOCABULARY.statuses.map((status) => ({ ...LEAST, status })),
  ...VOCABULARY.sources.map((source) => ({ ...LEAST, source })),
];
/** The numbers of bytes of those fields that have a limit. */
const LIMITS = Object.entries(CONTRACT.fields).flatMap(([name, field]) =>
  'bytes' in field ? [[name, field.bytes] as const] : [],
);
const LONGEST = Object.fromEntries(LIMITS.map(([name, bytes]) => [name, `${name} é`.padEnd(bytes - 1, '.')]));
const withEach = (members: object) =>
  Object.entries(members).map(([name, value]) => ({ ...LEAST, [name]: value }));
const WRONG_TYPES = { agent_type: 1, tokens_in: '1', duration_ms: 0.5, client_timestamp: '2026-02-18' };
const BAD_TYPES = [{}, 7, ...withEach(WRONG_TYPES)];
const BAD_VALUES = [
  ...withEach({ session_id: ' ', event_type: 'other', status: 'done', source: ' api' }),
  ...withEach({ tokens_in: -1, cost_usd: 1_000_001 }),
  ...LIMITS.map(([name, bytes]) => ({ ...LEAST, [name]: 'é'.repeat(bytes / 2 + 1) })),
];

const TWINS = [WHOLE, LEAST, { ...WHOLE, event_id: 'b' }, { ...LEAST, event_id: 'b' }];
const NO_BATCH = {};
const BATCHES = [[], TWINS, [LEAST, ...BAD_VALUES, { ...LEAST, session_id: 'last' }], WORDS, NO_BATCH];
const VALID = [WHOLE, WHOLE, WITHOUT_ID, LEAST, LONG, { ...LEAST, ...LONGEST }];
const SINGLES = [...VALID, ...BAD_TYPES, ...BAD_VALUES];
const REQUESTS: readonly (readonly [path: string, body?: string])[] = [
  ['/api/stats'],
  ...SINGLES.map((event) => ['/api/events', JSON.stringify(event)] as const),
  ...BATCHES.map((events) => ['/api/events/batch', JSON.stringify({ events })] as const),
  ['/api/events/batch', '[]'],
  ['/api/events', '{"session_id":'],
  ['/api/stats'],
];

/** Sends all requests. The texts of rejections differ, and the products' answer to a single event has none. */
async function answersOf({ server }: Started): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const [path, text] of REQUESTS) {
    const { status, body } = await ask(server.url, path, text);
    const rejected = (body.rejected as { index: number }[] | undefined)?.map(({ index }) => index) ?? [];
    answers.push({ status, body: { ...body, rejected } });
  }
  return answers;
}

test('the plain servers answer and store as the product does, and have its settings but for checkpoints', {
  skip,
}, async () => {
  const product = await start('rs');
  const settings = await readHealth(product.server.url);
  const wanted = await answersOf(product);
  const rows = await rowsAfter(product);
  const first = { received: 1, ids: [1], duplicates: 0, rejected: [], revision: '1' };
  assert.deepEqual(wanted[1], { status: 201, body: first });
  assert.ok(rows.length > 5 && compared.length > 0);
  for (const name of built.filter((other) => other !== 'rs')) {
    const started = await start(name);
    const health = await readHealth(started.server.url);
    for (const key of ['contract', 'durability', 'sqlite_version', 'journal_mode', 'synchronous'] as const)
      assert.equal(health[key], settings[key], `${name}: ${key}`);
    const wal_autocheckpoint = compared.includes(name) ? 1000 : 0;
    assert.deepEqual(health.pragmas, { ...settings.pragmas, wal_autocheckpoint }, name);
    for (const [i, answer] of (await answersOf(started)).entries())
      assert.deepEqual(answer, wanted[i], `${name}: ${REQUESTS[i]!.join(' ').slice(0, 200)}`);
    assert.deepEqual(await rowsAfter(started), rows, name);
  }
});

test('the audit finds every generated event in the files of the plain servers', { skip }, async () => {
  // Fourteen of them have long metadata.
  const EVENTS = 4_000;
  const source: PoolSource = { corpus: undefined, seed: 1, most: EVENTS };
  const pool = await loadPool(source);
  const auditor = await createAuditor(source, false, lifetime);
  const claim = { ranges: [{ first: 0, count: EVENTS }], acknowledged_events: EVENTS, details: [] };
  for (const name of compared) {
    const { server, database } = await start(name);
    for (let first = 0; first < EVENTS; first += 400) {
      const { body } = await ask(server.url, '/api/events/batch', batchBody(pool, { first, count: 400 }));
      assert.equal(body.received, 400);
    }
    await server.stop();
    const audit = await auditor.ask('audit', { ...claim, name, file: database });
    assert.equal(audit.events, EVENTS, name);
  }
  await auditor.close();
});
