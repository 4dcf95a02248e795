/** Tests that the audit detects and names every difference between stored and acknowledged events. */
import assert from 'node:assert/strict';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { BenchFailure } from '../src/failure.ts';
import { batchBody } from '../src/load/bodies.ts';
import { loadPool } from '../src/load/pool.ts';
import type { Audit } from '../src/observe/sample.ts';
import { type Claim, checkAudit, createAuditor } from '../src/verify/audit/auditor.ts';
import { expectedConstants } from '../src/verify/audit/expected-row.ts';
import {
  constantValues,
  hashConstants,
  hashRow,
  MultisetDigest,
  VIEW_COLUMNS,
} from '../src/verify/audit/row.ts';
import { type FakeEvent, FakeStore } from './fake-store.ts';
import { SMALL_POOL } from './fake-targets.ts';
import { folder, lifetime } from './scratch.ts';

const EVENTS = 2000;
const BATCH_EVENTS = 200;
const pool = await loadPool(SMALL_POOL);
const auditor = await createAuditor(SMALL_POOL, lifetime);

const claimOf = (count: number, acknowledged_events = count): Claim => ({
  ranges: [{ first: 0, count }],
  acknowledged_events,
});

const failsWith = (text: RegExp) => (error: unknown) =>
  error instanceof BenchFailure &&
  error.code === 'audit_failed' &&
  text.test([error.message, ...error.details].join('\n'));

/** Makes the file of a server with the first events of the pool, and returns the number of acknowledged ones. */
function storeIn(file: string, count: number, fault = 'none'): number {
  const store = new FakeStore(file, fault);
  let acknowledged = 0;
  for (let first = 0; first < count; first += BATCH_EVENTS) {
    const body = batchBody(pool, { first, count: BATCH_EVENTS }).toString();
    acknowledged += store.ingest((JSON.parse(body) as { events: FakeEvent[] }).events).ids.length;
  }
  store.database.close();
  return acknowledged;
}

const good = join(folder, 'good.db');
storeIn(good, EVENTS);

test('a server that stores what it acknowledged agrees, round after round, whatever the ranges', async () => {
  const ranges = [
    { first: 700, count: 1300 },
    { first: 0, count: 699 },
    { first: 699, count: 1 },
  ];
  const audits = [
    await auditor.audit(good, claimOf(EVENTS)),
    await auditor.audit(good, { ...claimOf(EVENTS), ranges }),
  ];
  for (const audit of audits) {
    await checkAudit(audit, 'round 1', []);
    assert.deepEqual([audit.expected_events, audit.stored_events], [EVENTS, EVENTS]);
    assert.match(audit.stored_digest, /^[0-9a-f]{32}$/);
  }
  assert.deepEqual(audits[0], audits[1]);
  assert.deepEqual(await auditor.explain(good, claimOf(EVENTS)), []);
});

for (const [fault, text] of [
  [
    'lose-one',
    /acknowledged 2000, stored 1999; [\s\S]*events that are not in the file: 1\n {2}index 999, event_id [0-9a-f-]{36}/,
  ],
  [
    'alters-one',
    /stored 2000; .*different[\s\S]*: 1\n {2}index 999, (event_id .*)\nrows that were not sent so: 1\n {2}row 1000, \1$/,
  ],
  ['stores-twice', /stored 2001; [\s\S]*rows that were not sent so: 1\n {2}row 1001, event_id/],
] as const) {
  test(`a server with the fault "${fault}" fails, and the row is named`, async () => {
    const file = join(folder, `${fault}.db`);
    const claim = claimOf(EVENTS, storeIn(file, EVENTS, fault));
    const audit = await auditor.audit(file, claim);
    await assert.rejects(
      checkAudit(audit, 'round 1', [], () => auditor.explain(file, claim)),
      failsWith(text),
    );
  });
}

test('one row in 100,000 that is not there fails', async () => {
  const count = 100_200;
  const file = join(folder, 'many.db');
  assert.equal(storeIn(file, count, 'lose-one-in-100000'), count);
  const audit = await auditor.audit(file, claimOf(count));
  assert.equal(audit.stored_events, count - 1);
  const lines = await auditor.explain(file, claimOf(count));
  assert.match(lines.join('\n'), /^events that are not in the file: 1\n {2}index 99999, [^\n]*$/);
});

test('every column counts, and an empty text is not an absent one', async () => {
  const original = join(folder, 'original.db');
  storeIn(original, BATCH_EVENTS);
  const file = join(folder, 'edited.db');
  const columns = VIEW_COLUMNS.filter((column) => !['id', 'created_at'].includes(column));
  const absent = "tool_name = '' WHERE id = (SELECT min(id) FROM events_readable WHERE tool_name IS NULL)";
  for (const change of [
    ...columns.map((column) => `${column} = ifnull(${column}, 0) || '1' WHERE id = 7`),
    absent,
  ]) {
    copyFileSync(original, file);
    const database = new Database(file);
    database.exec(`UPDATE events_readable SET ${change}`);
    database.close();
    const audit = await auditor.audit(file, claimOf(BATCH_EVENTS));
    assert.equal(audit.stored_events, BATCH_EVENTS);
    assert.notEqual(audit.stored_digest, audit.expected_digest, change);
  }
  const lines = await auditor.explain(original, claimOf(BATCH_EVENTS - 1));
  assert.match(lines.join('\n'), /^rows that were not sent so: 1\n {2}row 200, event_id [^\n]*$/);
});

test('a view with other columns, or none, is not audited', async () => {
  const file = join(folder, 'other.db');
  const database = new Database(file);
  await assert.rejects(auditor.audit(file, claimOf(1)), failsWith(/other columns: none/));
  database.exec('CREATE TABLE events_readable (id INTEGER PRIMARY KEY, metadata TEXT)');
  database.close();
  await assert.rejects(auditor.audit(file, claimOf(1)), failsWith(/other columns: id metadata/));
});

test('a corpus whose events can have no row is reported before anything is sent', async () => {
  const corpus = join(folder, 'corpus.ndjson');
  writeFileSync(corpus, '{"session_id":"a"}\n{"session_id":"a","model":1}');
  const creating = createAuditor({ ...SMALL_POOL, corpus }, lifetime);
  const message = 'event 1 of the corpus: model has no value by the contract';
  await assert.rejects(creating, { code: 'corpus_unusable', message });
});

test('numbers or digests that differ fail, with the details and without an explanation asked in vain', async () => {
  const [counts, digest] = [{ expected_events: 5, acknowledged_events: 5, stored_events: 5 }, 'a'];
  const audit: Audit = { ...counts, expected_digest: digest, stored_digest: digest };
  await checkAudit(audit, 'round 1', [], () => Promise.reject(new Error('asked')));
  for (const change of [{ acknowledged_events: 4 }, { stored_events: 6 }, { stored_digest: 'b' }]) {
    const explain = () => Promise.resolve(['row 3']);
    const checking = checkAudit({ ...audit, ...change }, 'round 1', ['why'], explain);
    await assert.rejects(checking, failsWith(/^round 1: expected 5[\s\S]*why\nrow 3$/));
  }
});

test('a multiset has no order, and a member that comes twice counts twice', () => {
  const constants = hashConstants(constantValues(expectedConstants('{"agent_type":"a"}', 256)), 0);
  const [a, b] = [hashRow(constants, 's', null), hashRow(constants, 's', '')];
  assert.notEqual(a, b);
  const digestOf = (...hashes: string[]) => {
    const digest = new MultisetDigest();
    for (const hash of hashes) digest.add(hash);
    return digest.digest();
  };
  assert.deepEqual(digestOf(a, b, b), digestOf(b, a, b));
  assert.notDeepEqual(digestOf(a, b, b), digestOf(a, a, b));
});
