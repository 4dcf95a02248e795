/** Tests the checker on handmade files: it must detect every kind of fault, and exit with 1. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { inFolder } from '@twin-ingest/testkit/files/temporary-folder.ts';
import Database from 'better-sqlite3';
import { checkLog, isSound, type LogCheck } from '../src/check-log.ts';
import { DeliveryLog, type LogLine, readLog } from '../src/delivery-log.ts';

const PROGRAM = fileURLToPath(new URL('../src/check-log.ts', import.meta.url));

const LINES: readonly LogLine[] = [
  { kind: 'sent', request: 0, event_ids: ['a', 'b'] },
  { kind: 'acknowledged', request: 0, ids: [1, 2] },
  { kind: 'sent', request: 1, event_ids: ['c', 'd'] },
];

test('all acknowledged events are there once', async () => {
  const check = await checkOf([
    [1, 'a'],
    [2, 'b'],
  ]);
  assert.ok(isSound(check));
  assert.deepEqual([check.sent, check.acknowledged, check.stored, check.unacknowledged_stored], [4, 2, 2, 0]);
});

test('an event stored without an answer is allowed', async () => {
  const check = await checkOf([
    [1, 'a'],
    [2, 'b'],
    [3, 'c'],
    [4, 'd'],
  ]);
  assert.ok(isSound(check));
  assert.equal(check.unacknowledged_stored, 2);
});

test('every kind of fault is detected', async () => {
  assert.deepEqual((await checkOf([[1, 'a']])).lost, ['b']);
  assert.deepEqual(
    (
      await checkOf([
        [1, 'a'],
        [2, 'b'],
        [3, 'b'],
      ])
    ).double,
    ['b'],
  );
  assert.deepEqual(
    (
      await checkOf([
        [1, 'a'],
        [2, 'b'],
        [3, 'x'],
      ])
    ).foreign,
    ['x'],
  );
  assert.deepEqual(
    (
      await checkOf([
        [1, 'a'],
        [3, 'b'],
      ])
    ).other_id,
    ['b'],
  );
  assert.deepEqual(
    (
      await checkOf([
        [1, 'a'],
        [2, 'b'],
        [3, 'c'],
      ])
    ).partial,
    [1],
  );
  for (const rows of [
    [[1, 'a']],
    [
      [1, 'a'],
      [2, 'b'],
      [3, 'b'],
    ],
    [
      [1, 'a'],
      [2, 'b'],
      [3, 'c'],
    ],
  ] as const) {
    assert.ok(!isSound(await checkOf(rows)));
  }
});

test('the program exits 0, 1 or 2', async () => {
  await inFolder(async (folder) => {
    const run = (...args: readonly string[]) =>
      spawnSync(process.execPath, [PROGRAM, ...args], { encoding: 'utf8' });
    const files = prepare(folder, [
      [1, 'a'],
      [2, 'b'],
    ]);
    const good = run('--log', files.log, '--db', files.db);
    assert.equal(good.status, 0, good.stderr);
    assert.match(good.stdout, /^sent 4\nacknowledged 2\nstored 2\n/);
    appendFileSync(files.log, '{"kind":"acknowledged","request":1,"ids":[3,4]}\n');
    const bad = run('--log', files.log, '--db', files.db);
    assert.equal(bad.status, 1);
    assert.match(bad.stdout, /lost 2: c d/);
    assert.equal(run('--log', files.log).status, 2);
    assert.equal(run('--log', files.log, '--db', `${folder}/absent.db`).status, 2);
  });
});

test('an incomplete last line is ignored', async () => {
  await inFolder(async (folder) => {
    const { log } = prepare(folder, []);
    appendFileSync(log, '{"kind":"acknowled');
    assert.deepEqual(readLog(log), LINES);
    appendFileSync(log, '"}\n');
    assert.throws(() => readLog(log), /line 4 is no line of a delivery log/);
  });
});

async function checkOf(rows: readonly (readonly [number, string])[]): Promise<LogCheck> {
  return inFolder(async (folder) => {
    const { log, db } = prepare(folder, rows);
    return checkLog(log, db);
  });
}

function prepare(folder: string, rows: readonly (readonly [number, string])[]): { log: string; db: string } {
  const files = { log: `${folder}/log.ndjson`, db: `${folder}/events.db` };
  const log = new DeliveryLog(files.log);
  for (const line of LINES) log.append(line);
  log.close();
  const db = new Database(files.db);
  db.exec('CREATE TABLE events (id, event_id); CREATE VIEW events_readable AS SELECT * FROM events');
  for (const row of rows) db.prepare('INSERT INTO events VALUES (?, ?)').run(...row);
  db.close();
  return files;
}
