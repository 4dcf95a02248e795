/**
 * Tests the schema of a file: a start migrates an older file to the newest schema, completely or not at all (rule
 * STO-10).
 *
 * Schema 0, a SQLite file with only a header, is the only older one. Each server's own tests run a later step on a file
 * of schema 1.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { event } from '@twin-ingest/testkit/http/api-client.ts';
import { TARGETS } from '@twin-ingest/testkit/servers/targets.ts';
import Database from 'better-sqlite3';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';

export const SCHEMA: ScenarioFile = {
  name: 'schema',
  about: 'the schema of a file',
  scenarios: [
    { name: 'a file of schema 0 is brought up to date', rules: ['STO-10'], uses: 'each', run: schemaZero },
    {
      name: 'kill -9 during the first start leaves schema 0 or the newest',
      rules: ['STO-10', 'STO-03'],
      uses: 'each',
      run: killDuringStart,
    },
  ],
};

const NEWEST = readdirSync(new URL('../../contract/migrations/', import.meta.url)).length;
const KILLS = 12;

async function schemaZero(context: ScenarioContext): Promise<void> {
  const db = new Database(context.db());
  db.pragma('journal_mode = WAL');
  db.exec('VACUUM');
  db.close();
  assert.ok(statSync(context.db()).size > 0, 'the file has a header');
  assert.deepEqual(stateOf(context.db()), { version: 0, objects: 0, integrity: 'ok' });
  const server = await context.start();
  assert.deepEqual((await context.client(server).ingest([event()])).ids, [1]);
  await server.stop();
  const { version, integrity } = stateOf(context.db());
  assert.deepEqual({ version, integrity }, { version: NEWEST, integrity: 'ok' });
}

async function killDuringStart(context: ScenarioContext): Promise<void> {
  const first = await context.start();
  const startMs = performance.now() - first.spawned_at_ms;
  await first.stop();
  const { objects } = stateOf(context.db());
  const found = new Map<string, number>();
  for (let kill = 0; kill < KILLS; kill++) {
    for (const suffix of ['', '-wal', '-shm', '.lock']) rmSync(`${context.db()}${suffix}`, { force: true });
    const { command, args } = TARGETS[context.target];
    const child = spawn(command, [...args, '--db', context.db(), '--port', '0'], {
      cwd: context.folder,
      stdio: 'ignore',
    });
    await setTimeout((startMs * (kill + 1)) / KILLS);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const state = existsSync(context.db()) ? stateOf(context.db()) : undefined;
    const isOld = state === undefined || (state.version === 0 && state.objects === 0);
    const isNewest = state?.version === NEWEST && state.objects === objects;
    assert.ok(isOld || isNewest, JSON.stringify(state));
    if (state !== undefined) assert.equal(state.integrity, 'ok');
    const what = isOld ? 'schema 0' : `schema ${NEWEST}`;
    found.set(what, (found.get(what) ?? 0) + 1);
  }
  const server = await context.start();
  assert.deepEqual((await context.client(server).ingest([event()])).ids, [1]);
  context.note([...found].map(([what, count]) => `${count} kills left ${what}`).join(', '));
}

function stateOf(file: string): { version: number; objects: number; integrity: unknown } {
  const db = new Database(file, { fileMustExist: true });
  try {
    return {
      version: Number(db.pragma('user_version', { simple: true })),
      objects: Number(db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get()),
      integrity: db.pragma('integrity_check', { simple: true }),
    };
  } finally {
    db.close();
  }
}
