/** Tests names of files with unusual characters: every path means the same in both servers (rules PRO-20, STO-14). */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { ApiClient, event } from '@twin-ingest/testkit/http/api-client.ts';
import { type Ended, failedStart, plainLines } from '@twin-ingest/testkit/servers/failed-start.ts';
import { TARGET_NAMES, TARGETS, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import CONFIG from '../../contract/config.json' with { type: 'json' };
import LIMITS from '../../contract/limits.json' with { type: 'json' };
import { linesOf, runCommand } from '../src/command-line.ts';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';

export const PATHS: ScenarioFile = {
  name: 'paths',
  about: 'names of files with unusual characters',
  scenarios: [
    {
      name: 'a database has exactly the name that --db gives, and one server',
      rules: ['STO-14', 'STO-02', 'PRO-08'],
      uses: 'both',
      run: exactNames,
    },
    {
      name: 'a path leads where the system leads it, also behind a link',
      rules: ['STO-14', 'STO-02'],
      uses: 'both',
      run: behindLinks,
    },
    {
      name: 'both servers refuse the same paths of a database with the same text',
      rules: ['STO-14', 'PRO-06', 'LAW'],
      uses: 'both',
      run: refusedPaths,
    },
    {
      name: 'a pipe in place of a file next to the database stops no server, and is refused by a start',
      rules: ['STO-13', 'STO-14', 'LAW'],
      uses: 'each',
      run: pipesBeside,
    },
    {
      name: 'both servers refuse a value that is not UTF-8 with the same text',
      rules: ['PRO-20', 'PRO-03', 'LAW'],
      uses: 'both',
      run: notText,
    },
    {
      name: 'the commands use exactly the files that they are given',
      rules: ['PRO-20', 'BAK-01', 'BAK-02', 'BAK-05', 'BAK-06'],
      uses: 'both',
      run: commands,
    },
    {
      name: 'every flag and variable with a path uses exactly that file',
      rules: ['PRO-20', 'PRO-11', 'PRO-16', 'SEC-08'],
      uses: 'each',
      run: otherFiles,
    },
  ],
};

/** Names that a library, a URI, a shell or a normal form would change. */
const NAMES = [
  ' e.db ',
  'e.db\t',
  'e.db\n',
  '\u00a0\ufeffe.db\ufeff\u00a0',
  ' ',
  'file:e.db?mode=memory#x%20',
  'a\\b:c\'".db',
  ':memory: ',
  './:memory:',
  '~',
  '3000',
  '\u00e9.db',
  'e\u0301.db',
  'folder /e.db ',
  'e'.repeat(LIMITS.database_name_bytes),
];

/** Number of names that are tried at the same time. */
const AT_ONCE = 2;

async function exactNames(context: ScenarioContext): Promise<void> {
  const left = NAMES.map((name, at) => [name, at] as const);
  const work = async (): Promise<void> => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await exactName(context, ...one);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

async function exactName(context: ScenarioContext, db: string, at: number): Promise<void> {
  const what = JSON.stringify(db);
  const cwd = join(context.folder, `name-${at}`);
  mkdirSync(cwd);
  const [first, second]: readonly [TargetName, TargetName] = at % 2 === 0 ? ['rs', 'ts'] : ['ts', 'rs'];
  const server = await context.start({ target: first, db, cwd });
  assert.deepEqual((await context.client(server).ingest([event({ event_id: 'once' })])).ids, [1], what);
  const ended = await failedStart(second, ['--db', db], cwd);
  assert.equal(ended.code, 75, `${second} ${what}: ${ended.stderr}`);
  await server.stop();
  assert.deepEqual(filesIn(cwd, db), [db.replace('./', ''), `${db.replace('./', '')}.lock`], what);
  const next = await context.start({ target: second, db, cwd });
  const again = await context.client(next).post('/api/events', event({ event_id: 'once' }));
  assert.equal(again.json<{ duplicates: number }>().duplicates, 1, what);
  await next.stop();
}

/** Returns the exact names of all files in a folder; those in the folder of `db` with its name. */
function filesIn(cwd: string, db: string): string[] {
  const names = readdirSync(cwd, { recursive: true }).map(String);
  const folder = db.startsWith('./') ? '' : db.slice(0, db.lastIndexOf('/'));
  return names.filter((name) => name !== folder).sort();
}

async function behindLinks(context: ScenarioContext): Promise<void> {
  mkdirSync(context.db('far/sub'), { recursive: true });
  symlinkSync('far/sub', context.db('link'));
  symlinkSync('link/../e.db', context.db('to-file'));
  symlinkSync('far/e.db', context.db('direct'));
  const names = ['link/../e.db', 'to-file', 'direct', './far/./e.db', 'far//e.db', 'far/sub/../e.db'];
  for (const [at, db] of names.entries()) {
    const server = await context.start({ target: TARGET_NAMES[at % 2]!, db });
    assert.deepEqual(readdirSync(context.folder).sort(), ['direct', 'far', 'link', 'to-file'], db);
    for (const target of TARGET_NAMES) {
      const name = names[(at + 1) % names.length]!;
      const ended = await failedStart(target, ['--db', name], context.folder);
      assert.equal(ended.code, 75, `${target} ${name} while ${db} is in use: ${ended.stderr}`);
      assert.ok(ended.stderr.includes(`${context.db('far/e.db')} is in use`), ended.stderr);
    }
    await server.stop();
  }
  const verified = await Promise.all(
    TARGET_NAMES.map((target) => runCommand(target, ['verify', 'link/../e.db'], { cwd: context.folder })),
  );
  assert.deepEqual(
    verified.map((result) => linesOf(result)[0]?.file),
    [context.db('far/e.db'), context.db('far/e.db')],
  );
}

async function refusedPaths(context: ScenarioContext): Promise<void> {
  const { folder, not_a_file, text: wrongText, too_long, unusable } = CONFIG.exits.database;
  mkdirSync(context.db('d'));
  writeFileSync(context.db('f'), '');
  symlinkSync('d', context.db('to-folder'));
  symlinkSync('e.db/', context.db('ends-in-slash'));
  symlinkSync('loop', context.db('loop'));
  execFileSync('mkfifo', [context.db('pipe')]);
  symlinkSync('pipe', context.db('to-pipe'));
  symlinkSync(Buffer.from('\xff.db', 'latin1'), context.db('not-text'));
  mkdirSync(Buffer.concat([Buffer.from(`${context.folder}/`), Buffer.from('\xff', 'latin1')]));
  symlinkSync(Buffer.from('\xff', 'latin1'), context.db('folder-not-text'));
  const deep = `${Array.from({ length: 5 }, () => 'a'.repeat(99)).join('/')}/e.db`;
  const cases: readonly (readonly [db: string, message: string])[] = [
    ...['d', 'd/', '.', '..', 'd/..', 'e.db/', 'e.db/.', 'to-folder', 'ends-in-slash', '/'].map(
      (db) => [db, folder] as const,
    ),
    ['pipe', not_a_file],
    ['to-pipe', not_a_file],
    ['/dev/null', not_a_file],
    ['not-text', wrongText],
    ['folder-not-text/e.db', wrongText],
    ['e'.repeat(LIMITS.database_name_bytes + 1), too_long],
    ['é'.repeat(LIMITS.database_name_bytes / 2 + 1), too_long],
    [deep, too_long],
    ['f/e.db', unusable.replace('{reason}', 'not_a_folder')],
    ['f/d/e.db', unusable.replace('{reason}', 'not_a_folder')],
    ['loop', unusable.replace('{reason}', 'too_many_links')],
    // The system refuses a new name in this folder as one that does not exist.
    ['/proc/none/d/e.db', unusable.replace('{reason}', 'not_found')],
    [`${'a'.repeat(256)}/e.db`, unusable.replace('{reason}', 'too_long')],
  ];
  for (const [db, message] of cases) {
    const path = db;
    const { database_name_bytes: name, database_path_bytes: whole } = LIMITS;
    const expected = fill(message, { path, name, whole });
    const before = readdirSync(context.folder).filter((name) => !name.startsWith('aaa'));
    for (const target of TARGET_NAMES) {
      const ended = await failedStart(target, ['--db', db], context.folder);
      assert.deepEqual([ended.code, plainLines(ended.stderr)], [65, [expected]], `${target} ${db}`);
    }
    const after = readdirSync(context.folder).filter((name) => !name.startsWith('aaa'));
    assert.deepEqual(after, before, `${db} leaves no file`);
  }
}

/** The files next to a database that a start opens. */
const BESIDE = ['.lock', '-wal', '-shm', '-journal', '.attachments/state'];

async function pipesBeside(context: ScenarioContext): Promise<void> {
  const { not_a_file } = CONFIG.exits.database;
  const server = await context.start();
  const client = context.client(server);
  await client.ingest([event()]);
  // A running server looks for the file of a request to stop.
  execFileSync('mkfifo', [context.db('events.db.stop')]);
  await pause(3_000);
  assert.equal((await client.get('/livez')).status, 200);
  // A backup opens the database anew, and looks for its journal.
  const journal = context.db('events.db-journal');
  execFileSync('mkfifo', [journal]);
  const refused = await client.send('POST', '/api/backup', undefined, [], 10_000);
  assert.deepEqual([refused.status, refused.json<{ code: string }>().code], [503, 'storage_error']);
  rmSync(journal);
  assert.equal((await client.send('POST', '/api/backup', undefined, [], 10_000)).status, 201);
  await server.stop();
  for (const suffix of BESIDE) {
    const path = context.db(`events.db${suffix}`);
    const kept = `${path}.kept`;
    if (existsSync(path)) renameSync(path, kept);
    mkdirSync(dirname(path), { recursive: true });
    execFileSync('mkfifo', [path]);
    for (const target of TARGET_NAMES) {
      const ended = await failedStart(target, ['--db', context.db()], context.folder);
      assert.deepEqual(
        [ended.code, plainLines(ended.stderr)],
        [65, [fill(not_a_file, { path })]],
        `${target} ${suffix}`,
      );
    }
    rmSync(path);
    if (existsSync(kept)) renameSync(kept, path);
  }
  const again = await context.start();
  assert.equal((await context.client(again).get('/api/events/1')).status, 200);
}

function fill(message: string, values: Readonly<Record<string, string | number>>): string {
  return message.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]));
}

/**
 * Runs a server with bytes that Node cannot pass on: `$x` in the command of a shell. Other scenarios go on meanwhile, so
 * nothing here blocks the process.
 */
async function withBytes(target: TargetName, cwd: string, command: string): Promise<Ended> {
  const { command: program, args } = TARGETS[target];
  const script = `x=$(printf 'a\\377\\355\\240\\200b'); ${command}`;
  const env = { PATH: process.env.PATH };
  const child = spawn('sh', ['-c', script, 'sh', program, ...args], { cwd, env, timeout: 10_000 });
  child.stdin.end();
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}

async function notText(context: ScenarioContext): Promise<void> {
  const flags = ['db', 'socket', 'token-file', 'ready-file', 'prices', 'redact', 'webhook-secret-file'];
  const commands = [
    ...flags.map((flag) => `exec "$@" --${flag} "$x"`),
    ...flags.map((flag) => `INGEST_${flag.toUpperCase().replaceAll('-', '_')}="$x" exec "$@"`),
    'exec "$@" verify "$x"',
    'exec "$@" backup "$x"',
    'exec "$@" dump --db "$x"',
    'exec "$@" "$x" "--$x" --port "$x" --log-level "$x" --allow-host "$x"',
    'exec "$@" --token-file "$x" --new-token',
    // The character by which Node replaces such bytes.
    'exec "$@" --db \'\uFFFD.db\'',
    'exec "$@" verify \'\uFFFD.db\'',
  ];
  for (const command of commands) {
    const [one, other] = await Promise.all(
      TARGET_NAMES.map((target) => withBytes(target, context.folder, command)),
    );
    assert.deepEqual(one, other, command);
    assert.deepEqual([one!.code, one!.stdout], [2, ''], `${command}: ${one!.stderr}`);
    assert.match(one!.stderr, /must be valid text|unexpected argument/, command);
  }
  assert.deepEqual(readdirSync(context.folder), []);
}

async function commands(context: ScenarioContext): Promise<void> {
  const cwd = context.folder;
  const server = await context.start({ db: 'e.db ' });
  await context.client(server).ingest([event()]);
  await server.stop();
  const run = async (target: TargetName, args: readonly string[], input = ''): Promise<string> => {
    const result = await runCommand(target, args, { cwd, input });
    assert.equal(result.exit, 0, `${target} ${JSON.stringify(args)}: ${result.stderr}`);
    return result.stdout;
  };
  for (const [at, target] of TARGET_NAMES.entries()) {
    const other = TARGET_NAMES[1 - at]!;
    await run(target, ['backup', '--db', 'e.db ', `${at}?mode=ro `]);
    await run(other, ['verify', `${at}?mode=ro `]);
    await run(target, ['restore', '--db', `${at}r\n`, `${at}?mode=ro `]);
    const dump = await run(other, ['dump', '--db', `${at}r\n`]);
    await run(target, ['load', '--db', `${at}:memory: `], dump);
    assert.equal(await run(other, ['dump', '--db', `${at}:memory: `]), dump);
    for (const name of ['d/', '.', '..']) {
      const { exit, stderr } = await runCommand(target, ['backup', '--db', 'e.db ', name], { cwd });
      assert.deepEqual([exit, stderr], [73, `${name} cannot be written: storage_error\n`]);
    }
  }
  const made = ['0', '1'].flatMap((at) => [`${at}?mode=ro `, `${at}r\n`, `${at}r\n.lock`]);
  const loaded = ['0', '1'].flatMap((at) => [`${at}:memory: `, `${at}:memory: .lock`]);
  assert.deepEqual(
    readdirSync(cwd)
      .filter((name) => !/-(wal|shm)$/.test(name))
      .sort(),
    ['e.db ', 'e.db .lock', ...made, ...loaded].sort(),
  );
}

async function otherFiles(context: ScenarioContext): Promise<void> {
  const token = 't'.repeat(LIMITS.token_characters);
  writeFileSync(context.db('t '), token);
  chmodSync(context.db('t '), 0o600);
  writeFileSync(context.db('p\t'), '{"date":"2026-01-31","models":{}}');
  writeFileSync(context.db('r?#%20 '), '{"keys":["password"]}');
  // Files without the blanks, which no server may use instead.
  for (const name of ['t', 'p', 'r']) writeFileSync(context.db(name), '');
  const paths = { 'token-file': 't ', prices: 'p\t', redact: 'r?#%20 ', socket: 's ', 'ready-file': ' y\n' };
  const given = Object.entries(paths);
  const env = given.map(([flag, path]) => [`INGEST_${flag.toUpperCase().replace('-', '_')}`, path]);
  for (const options of [
    { flags: given.flatMap(([flag, path]) => [`--${flag}`, path]) },
    { env: Object.fromEntries(env) as Record<string, string> },
  ]) {
    const server = await context.start(options);
    assert.equal(server.ready.socket, 's ');
    assert.equal(readFileSync(context.db(' y\n'), 'utf8'), server.stdout());
    const client = new ApiClient(context.db('s '));
    const headers = [['authorization', `Bearer ${token}`]] as const;
    assert.equal((await client.send('GET', '/api/stats', undefined, headers)).status, 200);
    client.close();
    assert.deepEqual(await server.stop(), { code: 0, signal: null });
    assert.ok(!existsSync(context.db('s ')) && !existsSync(context.db(' y\n')), 'a clean stop removes them');
  }
  // Node takes some texts for the number of a port.
  for (const socket of ['3000', '0x10', ' ']) {
    const flags = ['--socket', socket, '--token-file', 'new ', '--new-token'];
    const server = await context.start({ flags });
    const client = new ApiClient(context.db(socket));
    assert.equal((await client.get('/livez')).status, 200, socket);
    client.close();
    await server.stop();
    assert.ok(existsSync(context.db('new ')) && !existsSync(context.db('new')));
  }
  await socketLengths(context);
  mkdirSync(context.db('folder'));
  for (const path of ['folder', 'folder/', 'x/', '.', '..']) {
    const before = readdirSync(context.folder).sort();
    const ended = await failedStart(
      context.target,
      ['--db', 'events.db', '--ready-file', path],
      context.folder,
    );
    assert.equal(ended.code, 73, ended.stderr);
    assert.deepEqual(plainLines(ended.stderr), [`${path} cannot be written: storage_error`]);
    assert.deepEqual(readdirSync(context.folder).sort(), before, `${path} leaves no file`);
  }
}

/** Tests that both servers have the same limit for the path of a socket: that of the system, with its NUL byte. */
async function socketLengths(context: ScenarioContext): Promise<void> {
  if (process.platform !== 'linux') return;
  const server = await context.start({ flags: ['--socket', 's'.repeat(107)] });
  await server.stop();
  const path = 's'.repeat(108);
  const ended = await failedStart(context.target, ['--db', 'events.db', '--socket', path], context.folder);
  assert.deepEqual([ended.code, plainLines(ended.stderr)], [69, [`cannot listen on ${path}`]]);
}
