/** Tests that the audit detects and names every difference between stored and acknowledged events. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { openStore } from '../plain/typescript/store.ts';
import { batchBody } from '../src/load/bodies.ts';
import { loadPool, type PoolSource } from '../src/load/pool.ts';
import { createAuditor } from '../src/verify/audit/auditor.ts';
import { VIEW_COLUMNS } from '../src/verify/audit/expected-row.ts';
import { changedFile } from './changed-file.ts';
import { failsWith } from './fake-targets.ts';
import { folder, lifetime } from './scratch.ts';

const EVENTS = 2000;
const BATCH_EVENTS = 200;
/** Smaller than the number of events, so that it is sent more than once. */
const SMALL_POOL: PoolSource = { corpus: undefined, seed: 1, most: 1500 };
const pool = await loadPool(SMALL_POOL);
const auditor = await createAuditor(SMALL_POOL, lifetime);

/** Makes the file of a server with the first events of the pool, and returns what the server claims. */
function storeIn(name: string, count: number) {
  const file = join(folder, `${name}.db`);
  const store = openStore(file, 'process');
  let acknowledged_events = 0;
  for (let first = 0; first < count; first += BATCH_EVENTS) {
    const body = batchBody(pool, { first, count: BATCH_EVENTS }).toString();
    acknowledged_events += store.insert(JSON.parse(body).events).received;
  }
  store.close();
  return { name: 'round 1', file, ranges: [{ first: 0, count }], acknowledged_events, details: ['why'] };
}

test('a server that stores what it acknowledged agrees, round after round, whatever the ranges', async () => {
  const claim = storeIn('good', EVENTS);
  const part = (first: number, count: number) => ({ first, count });
  const ranges = [part(700, 1300), part(0, 699), part(699, 1)];
  const audit = await auditor.ask('audit', claim);
  assert.equal(audit.events, EVENTS);
  assert.match(audit.digest, /^[0-9a-f]{32}$/);
  assert.deepEqual(await auditor.ask('audit', { ...claim, ranges }), audit);
  const fewer = auditor.ask('audit', { ...claim, acknowledged_events: EVENTS - 1 });
  await assert.rejects(fewer, failsWith('audit_failed', /acknowledged 1999, .* equal in content\nwhy$/));
});

const many = storeIn('many', 100_200);

for (const [fault, sql, text] of [
  [
    'one event of 100,000 is lost',
    'DELETE FROM events_readable WHERE id = 100000',
    /stored 100199; [\s\S]*why\nevents that are not in the file: 1\n {2}index 99999, event_id [0-9a-f-]{36}.*$/,
  ],
  [
    'one event is altered',
    `UPDATE events_readable SET metadata = '{"altered":true}' WHERE id = 1000`,
    /stored 100200; [\s\S]*: 1\n {2}index 999, (event_id .*)\nrows that were not sent so: 1\n {2}row 1000, \1$/,
  ],
  [
    'one event is stored twice',
    'INSERT INTO events_readable SELECT * FROM events_readable WHERE id = 1000',
    /stored 100201; [\s\S]*rows that were not sent so: 1\n {2}row 1000, event_id/,
  ],
] as const) {
  test(`a file in which ${fault} fails, and the row is named`, async () => {
    const claim = { ...many, file: changedFile(many.file, sql) };
    await assert.rejects(auditor.ask('audit', claim), failsWith('audit_failed', text));
  });
}

test('every column counts, and an empty text is not an absent one', async () => {
  const claim = storeIn('original', BATCH_EVENTS);
  const columns = VIEW_COLUMNS.filter((column) => !['id', 'created_at'].includes(column));
  const changes = columns.map((column) => `${column} = ifnull(${column}, 0) || '1' WHERE id = 7`);
  const absent = "tool_name = '' WHERE id = (SELECT min(id) FROM events_readable WHERE tool_name IS NULL)";
  for (const change of [...changes, absent]) {
    const file = changedFile(claim.file, `UPDATE events_readable SET ${change}`);
    const text = /stored 200; the stored rows are different/;
    await assert.rejects(auditor.ask('audit', { ...claim, file }), failsWith('audit_failed', text), change);
  }
});

test('a view with other columns, or none, is not audited', async () => {
  const claim = storeIn('other', 0);
  const database = new Database(claim.file);
  database.exec('DROP VIEW events_readable');
  await assert.rejects(auditor.ask('audit', claim), failsWith('audit_failed', /other columns: none/));
  database.exec('CREATE TABLE events_readable (id INTEGER PRIMARY KEY, metadata TEXT)');
  await assert.rejects(auditor.ask('audit', claim), failsWith('audit_failed', /other columns: id metadata/));
  database.close();
});

test('a corpus whose events can have no row is reported before anything is sent', async () => {
  const corpus = join(folder, 'corpus.ndjson');
  writeFileSync(corpus, '{"session_id":"a"}\n{"session_id":"a","model":1}');
  const creating = createAuditor({ ...SMALL_POOL, corpus }, lifetime);
  const message = 'event 1 of the corpus: model has no value by the contract';
  await assert.rejects(creating, { code: 'corpus_unusable', message });
});
