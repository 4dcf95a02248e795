/**
 * Tests the rules of the contract as the audit applies them, and that it detects and names every difference between
 * stored and acknowledged events.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import CONTRACT from '../../contract/fields.json' with { type: 'json' };
import { openStore } from '../plain/typescript/store.ts';
import { batchBody } from '../src/load/bodies.ts';
import { loadPool, type PoolSource } from '../src/load/pool.ts';
import { createAuditor } from '../src/verify/audit/auditor.ts';
import { expectedConstants, VIEW_COLUMNS } from '../src/verify/audit/expected-row.ts';
import { failsWith } from './fake-targets.ts';
import { changedFile, folder, lifetime } from './scratch.ts';

const EVENTS = 2000;
/** Smaller than the number of events, so that it is sent more than once. */
const SMALL_POOL: PoolSource = { corpus: undefined, seed: 1, most: 1500 };
const pool = await loadPool(SMALL_POOL);
// The plain store computes no cost.
const auditor = await createAuditor(SMALL_POOL, false, lifetime);

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

const columns = VIEW_COLUMNS.filter((column) => !['id', 'created_at', 'time', 'history'].includes(column));
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
    /other columns: .* metadata_bytes$/,
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
  const creating = createAuditor({ ...SMALL_POOL, corpus }, false, lifetime);
  const message = 'event 1 of the corpus: model has no value by the contract';
  await assert.rejects(creating, { code: 'corpus_unusable', message });
});

const REQUIRED = '"session_id":"s","agent_type":"a","event_type":"tool_use"';

/** Returns the row of an event with these members in addition to the required ones. */
function row(members: string, maxBytes?: number) {
  return expectedConstants(`{${[REQUIRED, members].filter(Boolean).join()}}`, true, maxBytes);
}

test('what an event does not say has its default, and null is not said', () => {
  const absent = Object.entries(CONTRACT.fields).flatMap(([name, spec]) =>
    'default' in spec && name !== 'event_id' ? [[name, spec.default]] : [],
  );
  const defaults = {
    ...Object.fromEntries(absent),
    ...{ agent_type: 'a', event_type: 'tool_use', metadata: '{}' },
    ...{ schema_version: 1, payload_truncated: 0, metadata_bytes: null, computed_cost_usd: null },
  };
  assert.deepEqual(row(''), defaults);
  const costOf = (members: string): unknown => row(members).computed_cost_usd;
  assert.equal(
    costOf('"model":"gpt-5-codex","tokens_in":1500,"tokens_out":50,"cache_read_tokens":500'),
    0.0024375,
  );
  assert.equal(
    costOf('"model":" Claude-Opus-5[1m] ","cache_write_tokens":2000,"cache_write_1h_tokens":1500'),
    0.018125,
  );
  assert.equal(costOf('"model":"gemini-2.5-pro","tokens_in":250000,"tokens_out":1000'), 0.64);
  assert.equal(costOf('"model":"claude-opus-4-8","tokens_out":100,"service_tier":"batch"'), 0.00125);
  assert.equal(costOf('"model":"gpt-5-codex","tokens_in":1500,"cost_usd":0'), null);
  assert.equal(costOf('"model":"no-such-model","tokens_in":1500'), null);
  const optional = Object.keys(defaults).filter(
    (name) => !/schema|type|truncated|_bytes|computed/.test(name),
  );
  assert.deepEqual(row(optional.map((name) => `"${name}":null`).join(',')), defaults);
});

test('each rule of a field has its value, and an event of wrong types has no row', () => {
  for (const [members, column, value] of [
    // An event of the type error is one unless it says otherwise; of a key given twice the last counts.
    ['"event_type":" error "', 'status', 'error'],
    ['"event_type":"error","status":"timeout"', 'status', 'timeout'],
    ['"status":"error","status":null', 'status', 'success'],
    ['"metadata":1,"\\u006detadata":[2]', 'metadata', '[2]'],
    // Text is trimmed, and empty text is absent.
    ['"tool_name":"\\u00a0\\ufeff Bash\\u2028\\n"', 'tool_name', 'Bash'],
    ['"project":" \\t"', 'project', null],
    ['"tokens_in":1e2', 'tokens_in', 100],
    ['"duration_ms":0', 'duration_ms', 0],
    ['"duration_ms":-0', 'duration_ms', -0],
    // A cost is a whole number of nano-dollars, rounded half to even.
    ['"cost_usd":0.5e-9', 'cost_usd', 0],
    ['"cost_usd":1.5e-9', 'cost_usd', 2e-9],
    ['"cost_usd":2.5e-9', 'cost_usd', 2e-9],
    ['"cost_usd":2.6e-9', 'cost_usd', 3e-9],
    ['"cost_usd":0.1', 'cost_usd', 0.1],
    ['"cost_usd":1000000', 'cost_usd', 1e6],
    // Times are kept in UTC with milliseconds, finer digits cut off.
    ['"client_timestamp":"2026-02-18T18:06:41Z"', 'client_timestamp', '2026-02-18T18:06:41.000Z'],
    ['"client_timestamp":"2026-02-18t18:06:41.9999z"', 'client_timestamp', '2026-02-18T18:06:41.999Z'],
    ['"client_timestamp":"2026-02-18T18:06:41.2-00:00"', 'client_timestamp', '2026-02-18T18:06:41.200Z'],
    ['"client_timestamp":"2024-03-01T00:30:00+01:00"', 'client_timestamp', '2024-02-29T23:30:00.000Z'],
    ['"client_timestamp":"0000-01-01T00:00:00Z"', 'client_timestamp', '0000-01-01T00:00:00.000Z'],
    ['"client_timestamp":"0099-12-31T23:59:59-00:01"', 'client_timestamp', '0100-01-01T00:00:59.000Z'],
    ['"metadata":false', 'metadata', 'false'],
  ] as const)
    assert.equal(row(members)[column], value, members);
  const text = '{ "b":1.50,\r\n"a":12345678901234567890,"t":"é\\u0041\\ud800" }';
  assert.equal(row(`"metadata" : ${text} `).metadata, text, 'metadata is kept byte for byte');
  for (const members of ['"model":1', '"tokens_in":"1"', '"cost_usd":"1"', '"client_timestamp":"today"'])
    assert.throws(() => row(members), /has no value by the contract/, members);
});

test('metadata above the limit becomes its summary, which may fill the limit to the last byte', () => {
  const big = 'x'.repeat(300);
  const text = `{"type":"t","other":"${big}","query":"${big}","error": {"a":1},"\\u0065rror":2.50}`;
  const head = '{"_truncated":true,"_original_bytes":';
  for (const [metadata, summary] of [
    [text, `${head}${text.length},"error":2.50,"type":"t"}`],
    [`["${'é'.repeat(200)}"]`, `${head}404}`],
    [`{"path":"${'p'.repeat(205)}","z":"${big}"}`, `${head}523,"path":"${'p'.repeat(205)}"}`],
    [`{"path":"${'p'.repeat(206)}","z":"${big}"}`, `${head}524}`],
  ] as const) {
    const made = row(`"metadata":${metadata}`, 256);
    const { metadata: text, payload_truncated: isTruncated, metadata_bytes: bytes } = made;
    assert.deepEqual([text, isTruncated, bytes], [summary, 1, Buffer.byteLength(metadata)]);
  }
  // The limit counts bytes, and is itself allowed.
  const truncated = (letters: number) => row(`"metadata":"${'é'.repeat(letters)}"`, 256).payload_truncated;
  assert.deepEqual([truncated(127), truncated(128)], [0, 1]);
});
