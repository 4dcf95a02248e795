/** Tests that the audit detects and names every difference between stored and acknowledged events. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openStore } from '../plain/typescript/store.ts';
import { batchBody } from '../src/load/bodies.ts';
import { loadPool, type PoolSource } from '../src/load/pool.ts';
import { createAuditor } from '../src/verify/audit/auditor.ts';
import { VIEW_COLUMNS } from '../src/verify/audit/expected-row.ts';
import { changedFile } from './changed-file.ts';
import { failsWith } from './fake-targets.ts';
import { folder, lifetime } from './scratch.ts';

const EVENTS = 2000;
/** Smaller than the number of events, so that it is sent more than once. */
const SMALL_POOL: PoolSource = { corpus: undefined, seed: 1, most: 1500 };
const pool = await loadPool(SMALL_POOL);
const auditor = await createAuditor(SMALL_POOL, lifetime);

const file = join(folder, 'events.db');
const store = openStore(file, 'process');
const range = { first: 0, count: EVENTS };
const { received } = store.insert(JSON.parse(batchBody(pool, range).toString()).events);
store.close();
/** What a server with this file claims. */
const claim = { name: 'round 1', file, ranges: [range], acknowledged_events: received, details: ['why'] };

test('a server that stores what it acknowledged agrees, round after round, whatever the ranges', async () => {
  const part = (first: number, count: number) => ({ first, count });
  const ranges = [part(700, 1300), part(0, 699), part(699, 1)];
  const audit = await auditor.ask('audit', claim);
  assert.equal(audit.events, EVENTS);
  assert.match(audit.digest, /^[0-9a-f]{32}$/);
  assert.deepEqual(await auditor.ask('audit', { ...claim, ranges }), audit);
  const fewer = auditor.ask('audit', { ...claim, acknowledged_events: EVENTS - 1 });
  await assert.rejects(fewer, failsWith('audit_failed', /acknowledged 1999, .* equal in content\nwhy$/));
});

const columns = VIEW_COLUMNS.filter((column) => !['id', 'created_at'].includes(column));
const inEachColumn = columns.map(
  (column, i) => `UPDATE events_readable SET ${column} = ifnull(${column}, 0) || '1' WHERE id = ${i + 1};`,
);

for (const [fault, sql, text] of [
  [
    'one event is lost',
    'DELETE FROM events_readable WHERE id = 2000',
    /stored 1999; [\s\S]*why\nevents that are not in the file: 1\n {2}index 1999, event_id [0-9a-f-]{36}.*$/,
  ],
  [
    'one event is altered',
    `UPDATE events_readable SET metadata = '{"altered":true}' WHERE id = 1000`,
    /stored 2000; [\s\S]*: 1\n {2}index 999, (event_id .*)\nrows that were not sent so: 1\n {2}row 1000, \1$/,
  ],
  [
    'one event is stored twice',
    'INSERT INTO events_readable SELECT * FROM events_readable WHERE id = 1000',
    /stored 2001; [\s\S]*rows that were not sent so: 1\n {2}row 1000, event_id/,
  ],
  [
    'each column of the contract differs once',
    inEachColumn.join('\n'),
    new RegExp(`rows that were not sent so: ${columns.length}, the first 5\n {2}row 1, `),
  ],
  [
    'an absent text is an empty one',
    "UPDATE events_readable SET project = '' WHERE id = (SELECT min(id) FROM events_readable WHERE project IS NULL)",
    /rows that were not sent so: 1\n/,
  ],
  ['there is no view', 'DROP TABLE events_readable', /other columns: none/],
  [
    'a column is missing',
    'ALTER TABLE events_readable DROP COLUMN metadata',
    /other columns: .* payload_truncated$/,
  ],
] as const) {
  test(`a file in which ${fault} fails, and the failure names what differs`, async () => {
    const changed = auditor.ask('audit', { ...claim, file: changedFile(file, sql) });
    await assert.rejects(changed, failsWith('audit_failed', text));
  });
}

test('a corpus whose events can have no row is reported before anything is sent', async () => {
  const corpus = join(folder, 'corpus.ndjson');
  writeFileSync(corpus, '{"session_id":"a"}\n{"session_id":"a","model":1}');
  const creating = createAuditor({ ...SMALL_POOL, corpus }, lifetime);
  const message = 'event 1 of the corpus: model has no value by the contract';
  await assert.rejects(creating, { code: 'corpus_unusable', message });
});
