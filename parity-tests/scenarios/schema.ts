/**
 * Tests the schema of a file (rule STO-10): a new file has it complete, or does not exist. A file with another number
 * is refused with the commands that convert it. `dumps` loads dumps of earlier schemas.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { event } from '@twin-ingest/testkit/http/api-client.ts';
import { failedStart } from '@twin-ingest/testkit/servers/failed-start.ts';
import { TARGETS } from '@twin-ingest/testkit/servers/targets.ts';
import Database from 'better-sqlite3';
import CONFIG from '../../contract/config.json' with { type: 'json' };
import SCHEMA_FACTS from '../../contract/schema.json' with { type: 'json' };
import { runCommand } from '../src/command-line.ts';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';
import { snapshot } from '../src/snapshot.ts';

export const SCHEMA: ScenarioFile = {
  name: 'schema',
  about: 'the schema of a file',
  scenarios: [
    { name: 'a file with only a header gets the schema', rules: ['STO-10'], uses: 'each', run: schemaZero },
    {
      name: 'a file with another number is refused by a start and by every command',
      rules: ['STO-10', 'PRO-06', 'BAK-02'],
      uses: 'each',
      run: refuseOthers,
    },
    {
      name: 'the commands in the refusal of an older file convert it, whatever its name',
      rules: ['STO-10', 'BAK-05'],
      uses: 'each',
      run: convert,
    },
    {
      name: 'kill -9 during the first start leaves no file or the schema',
      rules: ['STO-10', 'STO-03'],
      uses: 'each',
      run: killDuringStart,
    },
  ],
};

const { number: NUMBER } = SCHEMA_FACTS;
const { database: MESSAGES } = CONFIG.exits;
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
  assert.deepEqual({ version, integrity }, { version: NUMBER, integrity: 'ok' });
}

async function refuseOthers(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  await context.client(server).ingest([event()]);
  await server.stop();
  const [file, cwd] = [context.db(), context.folder];
  for (const found of [0, NUMBER - 1, NUMBER + 1]) {
    setNumber(file, found);
    const message = found < NUMBER ? older(file, found) : newer(file, found);
    const before = readFileSync(file);
    const start = await failedStart(context.target, ['--db', file], cwd);
    assert.deepEqual([start.code, start.stdout], [MESSAGES.code, ''], String(found));
    assert.ok(start.stderr.includes(message), start.stderr);
    for (const args of [
      ['verify', file],
      ['dump', '--db', file],
      ['backup', 'copy.db', '--db', file],
      ['restore', file, '--db', 'restored.db'],
    ]) {
      const done = await runCommand(context.target, args, { cwd });
      assert.deepEqual([done.exit, done.stdout, done.stderr], [MESSAGES.code, '', `${message}\n`], args[0]);
    }
    assert.deepEqual(
      [existsSync(join(cwd, 'copy.db')), existsSync(join(cwd, 'restored.db'))],
      [false, false],
    );
    assert.ok(readFileSync(file).equals(before), `the file with ${found} stays as it was`);
  }
}

async function convert(context: ScenarioContext): Promise<void> {
  // The shell finds the server under test by this name.
  const { command, args } = TARGETS[context.target];
  const program = join(context.folder, 'ingest-server');
  writeFileSync(program, `#!/bin/sh\nexec '${[command, ...args].join("' '")}' "$@"\n`, { mode: 0o755 });
  const shell = async (line: string): Promise<void> => {
    const env = { ...process.env, PATH: `${context.folder}:${process.env.PATH}` };
    const child = spawn('/bin/sh', ['-c', line], { cwd: '/', stdio: ['ignore', 'ignore', 'inherit'], env });
    assert.deepEqual(await once(child, 'exit'), [0, null], line);
  };
  for (const folder of ['plain', `it's "old" & $HOME #1;`]) {
    mkdirSync(context.db(folder));
    const db = context.db(join(folder, 'events.db'));
    const server = await context.start({ db });
    await context.client(server).ingest([event({ event_id: 'one', cost_usd: 1 }), event()]);
    const { epoch: _, ...before } = await snapshot(context.client(server));
    await server.stop();
    setNumber(db, NUMBER - 1);
    const { stderr } = await failedStart(context.target, ['--db', db], context.folder);
    const word = (text: string) => (folder === 'plain' ? text : `'${text.replaceAll("'", "'\\''")}'`);
    assert.ok(stderr.includes(older(db, NUMBER - 1, word)), stderr);
    const [dump, load] = [...stderr.matchAll(/`([^`]+)`/g)].map(([, line]) => line!);
    // The program that wrote the file has its number.
    setNumber(db, NUMBER);
    await shell(dump!);
    await shell(load!);
    const next = await context.start({ db: `${db}.${NUMBER}` });
    const { epoch: __, ...after } = await snapshot(context.client(next));
    assert.deepEqual(after, before);
    await next.stop();
  }
}

function newer(path: string, found: number): string {
  return filled(MESSAGES.newer, { path, found, known: NUMBER });
}

/** Returns the message for an older file; `word` quotes for a shell. */
function older(path: string, found: number, word = (text: string) => text): string {
  const names = { file: word(path), dump: word(`${path}.ndjson`), new: word(`${path}.${NUMBER}`) };
  return filled(MESSAGES.older, { path, found, known: NUMBER, ...names });
}

function filled(message: string, values: Readonly<Record<string, string | number>>): string {
  return message.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name]));
}

function setNumber(file: string, number: number): void {
  const db = new Database(file);
  db.pragma(`user_version = ${number}`);
  db.pragma('journal_mode = DELETE');
  db.close();
}

async function killDuringStart(context: ScenarioContext): Promise<void> {
  const first = await context.start();
  const startMs = performance.now() - first.spawned_at_ms;
  await first.stop();
  const { objects } = stateOf(context.db());
  const found = new Map<string, number>();
  for (let kill = 0; kill < KILLS; kill++) {
    // Also a journal, next to which a start refuses a missing file (PRO-06).
    for (const name of readdirSync(context.folder))
      rmSync(context.db(name), { force: true, recursive: true });
    const { command, args } = TARGETS[context.target];
    const child = spawn(command, [...args, '--db', context.db(), '--port', '0'], {
      cwd: context.folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let log = '';
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
    const exited = once(child, 'close');
    await setTimeout((startMs * (kill + 1)) / KILLS);
    child.kill('SIGKILL');
    assert.deepEqual(await exited, [null, 'SIGKILL'], log);
    const state = existsSync(context.db()) ? stateOf(context.db()) : undefined;
    if (state !== undefined) assert.deepEqual(state, { version: NUMBER, objects, integrity: 'ok' });
    const what = state === undefined ? 'no file' : 'the schema';
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
