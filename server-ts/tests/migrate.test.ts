/**
 * Tests migrations on an older file that the test creates: one step brings it up to date, completely or not at all
 * (rule STO-10).
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { MIGRATIONS } from '../src/contract.ts';
import { type Connection, openConnection } from '../src/store/connection.ts';
import { migrate } from '../src/store/migrate.ts';

/** A step after the newest schema, as a later release could add it. */
const STEP = "ALTER TABLE events ADD COLUMN note TEXT; UPDATE meta SET value = 'migrated' WHERE key = 'mark'";
/** A step that writes without end, so that a kill always interrupts it. */
const ENDLESS = `CREATE TABLE half (n INTEGER) STRICT;
  INSERT INTO half WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n FROM c`;
/** Environment variable with the path of the child's database. */
const CHILD_DB = 'INGEST_TEST_MIGRATE';
/** Number of bytes above the size of SQLite's cache, so that the log contains pages of the step. */
const SPILLED_BYTES = 8 << 20;
const DEADLINE_MS = 60_000;

let folder = '';
let path = '';
const connections: Connection[] = [];

function open(file: string): Connection {
  const db = openConnection({ path: file, durability: 'process', nativeBinding: undefined });
  connections.push(db);
  return db;
}

/** Creates a file of the newest schema, which is old for a list with one more step. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ingest-migrate-'));
  path = join(folder, 'events.db');
  writeFileSync(path, '');
  const db = open(path);
  migrate(db, MIGRATIONS);
  db.exec("INSERT INTO meta (key, value) VALUES ('mark', 'older')");
});

afterEach(() => {
  for (const db of connections.splice(0)) db.close();
  rmSync(folder, { recursive: true, force: true });
});

function stateOf(db: Connection) {
  return {
    version: db.pragma('user_version', { simple: true }),
    mark: db.prepare("SELECT value FROM meta WHERE key = 'mark'").pluck().get(),
    half: db.prepare("SELECT count(*) FROM sqlite_schema WHERE name = 'half'").pluck().get(),
    note: db.prepare("SELECT count(*) FROM pragma_table_info('events') WHERE name = 'note'").pluck().get(),
    integrity: db.pragma('integrity_check', { simple: true }),
  };
}

const OLDER = { version: MIGRATIONS.length, mark: 'older', half: 0, note: 0, integrity: 'ok' };
const MIGRATED = { version: MIGRATIONS.length + 1, mark: 'migrated', half: 0, note: 1, integrity: 'ok' };

test('migrate runs the missing step once', () => {
  const db = open(path);
  migrate(db, [...MIGRATIONS, STEP]);
  assert.deepEqual(stateOf(db), MIGRATED);
  // Running the step twice would fail, since the column exists.
  migrate(db, [...MIGRATIONS, STEP]);
  assert.deepEqual(stateOf(db), MIGRATED);
});

test('migrate leaves the older file when a step fails', () => {
  const db = open(path);
  assert.throws(() => migrate(db, [...MIGRATIONS, `${STEP}; INSERT INTO missing VALUES (1)`]));
  assert.ok(!db.inTransaction, 'no transaction stays open');
  assert.deepEqual(stateOf(db), OLDER);
  migrate(db, [...MIGRATIONS, STEP]);
  assert.deepEqual(stateOf(db), MIGRATED);
});

test('migrate leaves the older file after a kill in the middle', async () => {
  const script = `
    const { MIGRATIONS } = await import('./src/contract.ts');
    const { openConnection } = await import('./src/store/connection.ts');
    const { migrate } = await import('./src/store/migrate.ts');
    const db = openConnection({ path: process.env.${CHILD_DB}, durability: 'process', nativeBinding: undefined });
    migrate(db, [...MIGRATIONS, ${JSON.stringify(`${STEP}; ${ENDLESS}`)}]);
  `;
  const child = spawn(
    process.execPath,
    ['--import', './tests/load-sql.ts', '--input-type=module', '-e', script],
    {
      cwd: new URL('..', import.meta.url),
      env: { ...process.env, [CHILD_DB]: path },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  const ended = once(child, 'exit');
  const deadline = performance.now() + DEADLINE_MS;
  while ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) < SPILLED_BYTES) {
    assert.ok(performance.now() < deadline, 'the step writes to the log');
    assert.equal(child.exitCode, null, 'the child still runs');
    await setTimeout(5);
  }
  child.kill('SIGKILL');
  await ended;
  const db = open(path);
  assert.deepEqual(stateOf(db), OLDER);
  migrate(db, [...MIGRATIONS, STEP]);
  assert.deepEqual(stateOf(db), MIGRATED);
});
