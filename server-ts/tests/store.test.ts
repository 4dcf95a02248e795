import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { Buffers } from '../src/buffers.ts';
import { SCHEMA } from '../src/contract.ts';
import { EventTable, RawEvents } from '../src/event.ts';
import { FIELD } from '../src/field.ts';
import { scanBatch } from '../src/json.ts';
import { QUERIES } from '../src/queries.ts';
import {
  type Connection,
  checkEmpty,
  checkFile,
  Numbered,
  OpenError,
  openConnection,
} from '../src/store/connection.ts';
import { EventInsert, MOST_STATEMENTS, placeOf } from '../src/store/event-insert.ts';
import { EventWriter } from '../src/store/events.ts';
import { sqliteCode, storeCode } from '../src/store/failure.ts';
import { Lock } from '../src/store/lock.ts';
import { Queries } from '../src/store/query.ts';
import { createSchema } from '../src/store/schema.ts';
import { sessionRevision } from '../src/store/session-query.ts';
import { ALL_TIME, QUARTER_MS } from '../src/store/stats.ts';
import type { Submission } from '../src/store/submission.ts';
import { Totals } from '../src/store/totals.ts';
import { validator } from '../src/validate.ts';

const NOW = Date.UTC(2026, 10, 20, 12, 34, 56);
let folder = '';
let path = '';
const connections: Connection[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ingest-store-'));
  path = join(folder, 'events.db');
});

afterEach(() => {
  for (const db of connections.splice(0)) db.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Choice {
  readonly readonly?: boolean;
  readonly durability?: 'process' | 'power';
}

/** Opens a connection to the file; creates a missing file. */
function connect({ readonly = false, durability = 'process' }: Choice = {}): Connection {
  writeFileSync(path, '', { flag: 'a' });
  const db = openConnection({ path, durability, nativeBinding: undefined, readonly });
  connections.push(db);
  if (!readonly) createSchema(db);
  return db;
}

function jobOf(events: readonly object[]): Submission {
  const body = Buffer.from(JSON.stringify({ events }));
  const raw = new RawEvents();
  const scan = scanBatch(body, raw, events.length).next();
  assert.ok(scan.done && scan.value?.isBatch);
  const table = new EventTable(body, events.length, new Buffers());
  const validate = validator(raw, table, 10_240);
  for (let index = 0; index < events.length; index++) assert.equal(validate(index), undefined);
  return { ...table, ascii: false };
}

const event = (more: object = {}) => ({ session_id: 's', agent_type: 'a', event_type: 'tool_use', ...more });

function count(db: Connection, table: string): number {
  return Number(db.prepare(`SELECT count(*) FROM ${table}`).pluck().get());
}

test('every connection has the pragmas of the contract', () => {
  for (const choice of [{}, { readonly: true }, { durability: 'power' }] satisfies Choice[]) {
    const db = connect(choice);
    const pragma = (name: string) => db.pragma(name, { simple: true });
    assert.deepEqual(
      ['journal_mode', 'busy_timeout', 'foreign_keys', 'trusted_schema', 'temp_store', 'mmap_size'].map(
        pragma,
      ),
      ['wal', 5000, 1, 0, 2, 0],
    );
    assert.deepEqual(
      ['wal_autocheckpoint', 'journal_size_limit', 'cache_size'].map(pragma),
      [0, 67_108_864, -2000],
    );
    assert.equal(pragma('synchronous'), 'durability' in choice ? 2 : 1);
  }
});

test('a group is stored in one transaction, and a duplicate changes nothing', () => {
  const db = connect();
  const events = new EventWriter(db);
  const id = '0a1b2c3d-4e5f-4a6b-8c7d-0123456789ab';
  const first = events.insertGroup([jobOf([event({ event_id: id }), event({ event_id: id })])], NOW);
  assert.deepEqual([...first.ids], [1, 0]);
  assert.deepEqual([first.stored, first.newest], [1, 1]);
  const tables = ['events', 'sessions', 'names', 'stats', 'event_blocks', 'event_key_blocks'];
  const before = tables.map((table) => count(db, table));
  const queries = new Queries(db, 5, 12);
  const revisions = () => [
    queries.newestRevision(),
    sessionRevision(queries, 's'),
    sessionRevision(queries, 'other'),
  ];
  assert.deepEqual(revisions(), [1, 1, 0]);
  const again = jobOf([event({ event_id: ` ${id} `, session_id: 'other', tool_name: 'new' })]);
  assert.deepEqual([...events.insertGroup([again], NOW).ids], [0]);
  assert.deepEqual(
    tables.map((table) => count(db, table)),
    before,
  );
  assert.deepEqual(revisions(), [1, 1, 0]);
  assert.equal(db.prepare('SELECT typeof(event_id) FROM events').pluck().get(), 'blob');
});

/** A value of every field that may be absent, as a row shows it. */
const OPTIONAL = {
  ...{ event_id: 'e', tool_name: 't', branch: 'b', project: 'p', model: 'm', service_tier: 'r', host: 'h' },
  ...{ source_event: 'v', call_id: 'c', response_id: 'o', agent_id: 'g', subagent: 'u', skill: 'k' },
  ...{ mcp_server: 'w', duration_ms: 1, tokens_in: 2, tokens_out: 3, cache_read_tokens: 4 },
  ...{ cache_write_tokens: 5, cache_write_1h_tokens: 6, cost_usd: 7 },
  client_timestamp: '2026-02-18T18:06:41.231Z',
  arrived_at: '2026-02-18T18:06:42.500Z',
} as const;
const NAMES = Object.keys(OPTIONAL) as (keyof typeof OPTIONAL)[];

/** Returns the values of `OPTIONAL` that a row has. */
function givenIn(row: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(NAMES.flatMap((name) => (row[name] ? [[name, row[name]]] : [])));
}

test('a row has exactly the fields of its event, whatever others were stored before', () => {
  const db = connect();
  const events = new EventWriter(db);
  const sets = [
    [],
    NAMES,
    ...NAMES.map((name) => [name]),
    ...NAMES.map((name) => NAMES.filter((other) => other !== name)),
    ...NAMES.flatMap((name, at) => NAMES.slice(at + 1).map((other) => [name, other])),
  ];
  const sent = [...sets, ...sets].map((names, n) => {
    const given = Object.fromEntries(names.map((name) => [name, OPTIONAL[name]]));
    return 'event_id' in given ? { ...given, event_id: `e${n}` } : given;
  });
  events.insertGroup([jobOf(sent.map(event))], NOW);
  const rows = db.prepare<[], Record<string, unknown>>('SELECT * FROM events_readable ORDER BY id').all();
  assert.deepEqual(
    rows.map(givenIn),
    sent.map((given) => givenIn(given)),
  );
});

test('the statements that insert a row are bounded', () => {
  const db = connect();
  const insert = new EventInsert(db);
  for (let id = 1; id <= 4 * MOST_STATEMENTS; id++) {
    insert.values.fill(1);
    insert.values[placeOf('id')] = id;
    // Each id has another set of absent values.
    for (const [bit, { sqlColumn, absent }] of NAMES.map((name) => FIELD[name]).entries())
      if ((id & (1 << bit)) !== 0) insert.values[placeOf(sqlColumn)] = Number.isNaN(absent) ? null : absent;
    insert.run();
  }
  assert.equal(insert.count, MOST_STATEMENTS);
  assert.equal(count(db, 'events'), 4 * MOST_STATEMENTS);
});

test('a rollback leaves no trace in the file or in memory', () => {
  const db = connect();
  const events = new EventWriter(db);
  events.insertGroup([jobOf([event()])], NOW);
  db.exec("CREATE TRIGGER refuse BEFORE INSERT ON event_key_tail BEGIN SELECT raise(ABORT, 'refused'); END");
  const job = jobOf([event({ session_id: 't', tool_name: 'x', event_id: 'e', tokens_in: 5 })]);
  assert.throws(() => events.insertGroup([job], NOW));
  assert.deepEqual([count(db, 'events'), count(db, 'sessions')], [1, 1]);
  assert.equal(events.newest, 1);
  db.exec('DROP TRIGGER refuse');
  assert.deepEqual([...events.insertGroup([job], NOW).ids], [2]);
  const totals = new Totals(new Queries(db, 5, 12), {}).totals();
  assert.deepEqual([totals.total_events, totals.total_tokens_in], [2, 5]);
  assert.equal(db.prepare("SELECT name FROM names WHERE kind = 'tool_name'").pluck().get(), 'x');
});

test('a rollback leaves the open quarter of an hour open', () => {
  const db = connect();
  const events = new EventWriter(db);
  const insert = (now: number) => events.insertGroup([jobOf([event({ tokens_in: 5 })])], now);
  insert(QUARTER_MS);
  // Keys are written after the statistics.
  db.exec("CREATE TRIGGER refuse BEFORE INSERT ON event_key_tail BEGIN SELECT raise(ABORT, 'refused'); END");
  assert.throws(() => insert(2 * QUARTER_MS));
  db.exec('DROP TRIGGER refuse');
  insert(2 * QUARTER_MS);
  // The clock is set back to the closed quarter.
  insert(QUARTER_MS);
  const sums = db
    .prepare('SELECT event_count * 1000 + tokens_in FROM stats WHERE quarter = ? AND name = 0')
    .pluck();
  assert.deepEqual(
    [900, 1800, ALL_TIME].map((quarter) => sums.get(quarter)),
    [2010, 1005, 2010],
  );
});

test('sums stay exact above 2^53 within one group', () => {
  const db = connect();
  const big = 2 ** 53 - 1;
  const job = jobOf(Array.from({ length: 5 }, () => event({ tokens_in: big, duration_ms: big })));
  new EventWriter(db).insertGroup([job], NOW);
  const exact = BigInt(big) * 5n;
  for (const sql of ['SELECT tokens_in FROM sessions', 'SELECT tokens_in FROM stats WHERE name = 0']) {
    assert.equal(db.prepare(sql).pluck().safeIntegers().get(), exact, sql);
  }
  assert.equal(db.prepare('SELECT event_count FROM sessions').pluck().get(), 5);
});

test('sums stop at 2^63-1', () => {
  const db = connect();
  const events = new EventWriter(db);
  const job = () => jobOf(Array.from({ length: 600 }, () => event({ tokens_in: 2 ** 53 - 1 })));
  events.insertGroup([job()], NOW);
  events.insertGroup([job()], NOW);
  const sum = db.prepare('SELECT tokens_in FROM sessions').pluck().safeIntegers().get();
  assert.equal(sum, 2n ** 63n - 1n);
});

test('an unusable file is reported with its reason', () => {
  const refusal = (): string => {
    try {
      checkEmpty(path);
      return checkFile(path, undefined, 'write');
    } catch (error) {
      assert.ok(error instanceof OpenError);
      return error.message;
    }
  };
  assert.equal(refusal(), 'new');
  writeFileSync(`${path}-wal`, 'x');
  assert.match(refusal(), /does not exist but its log does/);
  writeFileSync(path, '');
  assert.match(refusal(), /is empty but has a write-ahead log/);
  rmSync(path);
  rmSync(`${path}-wal`);
  writeFileSync(path, 'not a database at all');
  assert.match(refusal(), /is not a SQLite database/);
  rmSync(path);
  const db = connect();
  assert.equal(refusal(), 'ours');
  db.pragma('user_version = 99');
  assert.match(refusal(), new RegExp(`has schema 99, newer than ${SCHEMA.number}`));
  db.pragma('application_id = 5');
  assert.match(refusal(), /of another program/);
});

test('only a dropped column is not unknown to a load', () => {
  const db = connect();
  const line = '{"table":"names","id":1,"kind":"model","name":"m","note":1}';
  for (const [dropped, expected] of [
    ['names.note', undefined],
    ['names.not', 'note'],
    ['event_names.note', 'note'],
  ] as const) {
    const rows = new Numbered(db, QUERIES.selectLoadStatements).all(JSON.stringify([dropped]));
    const { unknown } = (rows as { name: string; unknown: string }[]).find(({ name }) => name === 'names')!;
    assert.equal(db.prepare<unknown[]>(unknown).pluck().get(line), expected, dropped);
  }
});

test('one server holds the lock and releases it', () => {
  const lock = Lock.acquire(path, undefined);
  assert.throws(() => Lock.acquire(path, undefined), /in use by another server/);
  lock.release();
  Lock.acquire(path, undefined).release();
});

test('result codes determine the kind of a failure', () => {
  const db = connect({ readonly: false });
  const reader = connect({ readonly: true });
  db.pragma('busy_timeout = 0');
  const codeOf = (work: () => void): string => {
    try {
      work();
    } catch (error) {
      return storeCode(error);
    }
    return 'none';
  };
  assert.equal(
    codeOf(() => reader.exec('DELETE FROM events')),
    'read_only',
  );
  const other = connect();
  other.exec('BEGIN IMMEDIATE');
  assert.equal(
    codeOf(() => new EventWriter(db).insertGroup([jobOf([event()])], NOW)),
    'storage_busy',
  );
  other.exec('ROLLBACK');
  assert.equal(
    codeOf(() => db.prepare('SELECT no_such_column FROM events')),
    'internal',
  );
  assert.equal(sqliteCode(new Error('SQLITE_BUSY')), undefined);
});

/** Returns the text of a time, in seconds before `NOW`. */
const ago = (seconds: number): string => new Date(NOW - seconds * 1000).toISOString();

test('a row is late when its time is before that of an earlier row', () => {
  const db = connect();
  const insert = (writer: EventWriter, ...seconds: readonly number[]) =>
    writer.insertGroup([jobOf(seconds.map((one) => event({ client_timestamp: ago(one) })))], NOW);
  const events = new EventWriter(db);
  insert(events, 50, 60, 50, 40);
  db.exec("CREATE TRIGGER refuse BEFORE INSERT ON event_key_tail BEGIN SELECT raise(ABORT, 'refused'); END");
  assert.throws(() => insert(events, 10));
  db.exec('DROP TRIGGER refuse');
  insert(events, 30, 45);
  // A writer without a cache reads the last time.
  insert(new EventWriter(db), 35, 30);
  const late = db.prepare('SELECT id FROM events WHERE late = 1').pluck().all();
  assert.deepEqual(late, [2, 6, 7]);
  const times = 'SELECT last_time, last_late FROM event_blocks';
  assert.deepEqual(db.prepare(times).raw().get(), [NOW - 30_000, NOW - 35_000]);
});

test('a session has the times of its events, and the arrival of its newest live one', () => {
  const db = connect();
  const events = new EventWriter(db);
  const times = () =>
    db
      .prepare('SELECT started_at - ?1, last_event_at - ?1, live_at - ?1 FROM sessions')
      .raw()
      .get({ 1: NOW });
  events.insertGroup(
    [jobOf([{ client_timestamp: ago(3600) }, { client_timestamp: ago(3000) }].map(event))],
    NOW,
  );
  assert.deepEqual(times(), [-3_600_000, -3_000_000, null]);
  events.insertGroup([jobOf([event({ client_timestamp: ago(60) })])], NOW + 5);
  assert.deepEqual(times(), [-3_600_000, -60_000, 5]);
  events.insertGroup([jobOf([event({ client_timestamp: ago(7200) })])], NOW + 9);
  assert.deepEqual(times(), [-7_200_000, -60_000, 5]);
  assert.deepEqual(db.prepare('SELECT history FROM events').pluck().all(), [1, 1, 0, 1]);
});
