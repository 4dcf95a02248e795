/** Tests the check of a database, and wrong command lines. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import CONFIG from '../../contract/config.json' with { type: 'json' };
import { attach } from '../src/attachment-client.ts';
import { linesOf, runCommand } from '../src/command-line.ts';
import { fillEveryKind } from '../src/every-kind.ts';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';

export const COMMANDS: ScenarioFile = {
  name: 'commands',
  about: 'verify, and wrong command lines',
  scenarios: [
    {
      name: 'a check finds each kind of difference',
      rules: ['BAK-06'],
      uses: 'each',
      run: findDifferences,
    },
    {
      name: 'a command leaves no file next to the database that it reads',
      rules: ['BAK-06'],
      uses: 'each',
      run: leaveNothing,
    },
    {
      name: 'a wrong command line names every problem',
      rules: ['PRO-15', 'PRO-03', 'BAK-03', 'STO-11'],
      uses: 'each',
      run: wrongCommands,
    },
    {
      name: 'a variable of another flag has no effect on a command, whatever its value is',
      rules: ['PRO-15', 'PRO-03'],
      uses: 'each',
      run: otherVariables,
    },
  ],
};

const EXITS = CONFIG.exits;

async function findDifferences(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  await fillEveryKind(client);
  await attach(server.port, 2, 'a', Buffer.from('hello'));
  await server.stop();
  const cwd = context.folder;
  const found = async (change: string, changes = 1, events = 1200): Promise<unknown[]> => {
    const copy = context.db('damaged.db');
    await runCommand(context.target, ['backup', copy, '--db', context.db()], { cwd });
    const db = new Database(copy);
    assert.equal(db.prepare(change).run().changes, changes, change);
    db.close();
    const before = readFileSync(copy);
    const result = await runCommand(context.target, ['verify', copy], { cwd });
    assert.ok(before.equals(readFileSync(copy)), 'the file stays as it is');
    rmSync(copy);
    rmSync(`${copy}.attachments`, { recursive: true });
    const lines = linesOf(result);
    const last = lines.pop();
    assert.deepEqual(last, { event: 'verify', file: copy, events, findings: lines.length });
    assert.equal(result.exit, lines.length === 0 ? 0 : EXITS.verify.code);
    return lines.map(({ check, count }) => `${check} ${count}`);
  };
  const cases: [string, string[]][] = [
    ['UPDATE sessions SET event_count = event_count + 1 WHERE key = 3', ['sessions 1']],
    ['DELETE FROM sessions WHERE key = 3', ['sessions 1']],
    ['UPDATE sessions SET first_event_id = first_event_id + 1 WHERE key = 3', ['sessions 1']],
    [
      'UPDATE stats SET duration_ms = duration_ms - 1 WHERE quarter = (SELECT max(quarter) FROM stats) AND name = 0 AND agent_type = 1',
      ['statistics 1'],
    ],
    ['UPDATE events SET time_shift = time_shift - 1, late = 0 WHERE id = 700', ['order 1']],
    ['UPDATE event_blocks SET last_time = first_time - 1 WHERE id = 0', ['blocks 255']],
    ['UPDATE event_spans SET last_time = first_time - 1 WHERE id = 0', ['spans 1200']],
    ["UPDATE event_blocks SET sessions = x'' WHERE id = 0", ['blocks 255']],
    ["UPDATE event_spans SET names = x'' WHERE id = 0", ['spans 1200']],
    ["UPDATE names SET id = 999 WHERE name = 'a model'", ['names 1']],
    ['UPDATE attachments SET sha256 = zeroblob(32)', ['attachments 1']],
    ['UPDATE attachments SET event = 99999', ['attachments 1']],
  ];
  for (const [change, findings] of cases) assert.deepEqual(await found(change), findings, change);
  const keys = await found('DELETE FROM event_key_tail WHERE id = 200');
  assert.deepEqual(keys, ['event_ids 150'], 'the ids of one batch');
  const objects: [string, string[]][] = [
    ['CREATE TRIGGER t AFTER INSERT ON events BEGIN DELETE FROM events; END', ['schema 1']],
    ['CREATE VIEW v AS SELECT 1', ['schema 1']],
    ['CREATE INDEX i ON events (metadata)', ['schema 1']],
    ['CREATE TABLE t (a PRIMARY KEY)', ['schema 2']],
    ['ANALYZE', []],
  ];
  for (const [change, findings] of objects) assert.deepEqual(await found(change, 0), findings, change);
  const lost = [
    'DROP VIEW events_readable',
    'DROP INDEX attachments_by_sha256',
    'DROP INDEX late_events_by_time',
  ];
  for (const change of lost) assert.deepEqual(await found(change, 0, 0), ['schema 1'], change);
  writeFileSync(context.db('text'), 'no database at all');
  const text = await runCommand(context.target, ['verify', 'text'], { cwd });
  assert.equal(text.exit, EXITS.database.code);
  assert.match(text.stderr, /text is not a SQLite database/);
}

async function leaveNothing(context: ScenarioContext): Promise<void> {
  const cwd = context.folder;
  const run = (...args: string[]) => runCommand(context.target, args, { cwd });
  const names = () => readdirSync(cwd).sort();
  const readers = async (exit: number): Promise<void> => {
    const before = names();
    const bytes = readFileSync(context.db());
    for (const args of [
      ['verify', context.db()],
      ['dump'],
      ['backup', 'copy.db'],
      ['restore', context.db()],
    ]) {
      const db =
        args[0] === 'restore' ? ['--db', 'copy.db'] : args[0] === 'verify' ? [] : ['--db', context.db()];
      const done = await run(...args, ...db);
      assert.equal(done.exit, exit, `${args[0]}: ${done.stderr}`);
      for (const name of names().filter((name) => name.startsWith('copy.db')))
        rmSync(context.db(name), { recursive: true });
      assert.deepEqual(names(), before, args[0]);
      assert.ok(bytes.equals(readFileSync(context.db())), `${args[0]} changes nothing`);
    }
  };
  const server = await context.start();
  await fillEveryKind(context.client(server));
  await readers(0);
  await server.kill();
  assert.ok(names().includes('events.db-wal'), 'a kill leaves the log');
  await readers(0);
  await (await context.start()).stop();
  await readers(0);
  const db = new Database(context.db());
  db.pragma('user_version = 1');
  db.close();
  await readers(EXITS.database.code);
}

async function wrongCommands(context: ScenarioContext): Promise<void> {
  const cwd = context.folder;
  const run = (...args: string[]) => runCommand(context.target, args, { cwd });
  const problems = async (...args: string[]): Promise<string[]> => {
    const { exit, stderr, stdout } = await run(...args);
    assert.deepEqual([exit, stdout], [EXITS.config.code, ''], args.join(' '));
    return stderr.trimEnd().split('\n');
  };
  assert.deepEqual(await problems('backup'), ['backup needs FILE']);
  assert.deepEqual(await problems('backup', ''), ['unexpected argument ""', 'backup needs FILE']);
  assert.deepEqual(await problems('backup', 'a', 'b'), ['unexpected argument "b"']);
  assert.deepEqual(await problems('dump', 'a'), ['unexpected argument "a"']);
  assert.deepEqual(await problems('verifies', 'verify'), [
    'unexpected argument "verifies"',
    'verify needs FILE',
  ]);
  assert.deepEqual(await problems('verify', '--port', '0', '--db', 'a.db', '--nope', '--bench', 'x'), [
    'unknown flag --nope',
    '--port has no effect on verify',
    '--db has no effect on verify',
    '--bench has no effect on verify',
  ]);
  const missing = await run('dump', '--db', 'nothing.db');
  assert.deepEqual(
    [missing.exit, missing.stderr],
    [EXITS.database.code, `${EXITS.database.missing.replace('{path}', 'nothing.db')}\n`],
  );
  assert.deepEqual(readdirSync(cwd), [], 'a command that reads creates nothing');
  const server = await context.start();
  const folder = await run('backup', 'no/folder.db', '--db', context.db());
  const { target } = EXITS;
  const unwritable = target.unwritable.replace('{path}', 'no/folder.db').replace('{reason}', 'storage_error');
  assert.deepEqual([folder.exit, folder.stderr], [target.code, `${unwritable}\n`]);
  writeFileSync(context.db('taken.db'), 'mine');
  const taken = await run('backup', 'taken.db', '--db', context.db());
  assert.deepEqual([taken.exit, readFileSync(context.db('taken.db'), 'utf8')], [target.code, 'mine']);
  const source = await run('backup', 'copy.db', '--db', context.db());
  assert.equal(source.exit, 0);
  const held = await run('restore', 'copy.db', '--db', context.db());
  assert.equal(held.exit, EXITS.lock.code);
  assert.ok(held.stderr.includes(`is in use by the server with pid ${server.pid}`), held.stderr);
  await server.stop();
  const existing = await run('restore', 'copy.db', '--db', context.db());
  assert.equal(existing.exit, target.code);
}

async function otherVariables(context: ScenarioContext): Promise<void> {
  const { target, folder: cwd } = context;
  const server = await context.start();
  await fillEveryKind(context.client(server));
  await server.stop();
  const dump = context.db('dump.ndjson');
  await runCommand(target, ['dump', '--db', context.db()], { cwd, outputFile: dump });
  const values = ['bad', '', '0', '/none/none', 'true', 'jetstream'];
  for (const { name, options } of CONFIG.commands) {
    const others = CONFIG.options.filter((option) => !(options as readonly string[]).includes(option.name));
    for (const value of values) {
      const env = Object.fromEntries(others.map((option) => [option.env, value]));
      const to = context.db('to.db');
      const args = {
        backup: [to, '--db', context.db()],
        restore: [context.db(), '--db', to],
        dump: ['--db', context.db()],
        load: ['--db', to],
        verify: [context.db()],
      }[name]!;
      const input = name === 'load' ? { inputFile: dump } : {};
      const ran = await runCommand(target, [name, ...args], { cwd, env, ...input });
      assert.deepEqual(
        [ran.exit, ran.stderr],
        [0, ''],
        `${name} with ${value} in ${Object.keys(env).join()}`,
      );
      for (const path of readdirSync(cwd).filter((file) => file.startsWith('to.db')))
        rmSync(join(cwd, path), { recursive: true });
    }
    if ((options as readonly string[]).includes('db')) {
      const ran = await runCommand(target, [name, 'x'], { cwd, env: { INGEST_DB: '/none/none/e.db' } });
      assert.notEqual(ran.exit, 0, `${name} takes its own variable`);
    }
    const unknown = await runCommand(target, [name], { cwd, env: { INGEST_UNKNOWN: '1' } });
    assert.match(unknown.stderr, /unknown environment variable INGEST_UNKNOWN/);
  }
}
