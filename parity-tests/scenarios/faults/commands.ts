/**
 * Kills `backup`, `restore` and `load` at their Nth write, sync or change of a name, and runs them again (fault F2). The
 * second run ends with a whole database, and nothing of the first one is left.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { event } from '@twin-ingest/testkit/http/api-client.ts';
import CONFIG from '../../../contract/config.json' with { type: 'json' };
import { attach, filesOf } from '../../src/attachment-client.ts';
import { type CommandResult, runCommand } from '../../src/command-line.ts';
import type { ScenarioContext } from '../../src/scenario.ts';
import { injecting, requireStrace } from '../../src/strace.ts';

const { target: exits } = CONFIG.exits;

interface Sweep {
  readonly calls: string;
  /** A file below the folder whose calls alone count; all files without it. */
  readonly file?: string;
}

/** Each thread counts its own calls of each name. So calls of threads that Node shares out are counted by file. */
const SWEEPS: readonly Sweep[] = [
  { calls: 'pwrite64' },
  { calls: 'write,pwritev,copy_file_range,sendfile,ioctl' },
  { calls: 'fsync,fdatasync' },
  { calls: 'mkdir,mkdirat,rename,renameat,renameat2,rmdir,unlink,unlinkat,ftruncate' },
  {
    calls: 'write,copy_file_range,sendfile,ioctl,fsync,fdatasync,rename,renameat',
    file: 'made.db.attachments/upload-1',
  },
];
/** Writes of a kind at which a command is killed. */
const MOST = 200;
/** Growth of the number of the write in a sample. */
const SAMPLE_STEP = 4;
const ATTACHMENTS = ['a', 'b', 'c'].map((text) => Buffer.alloc(100_000, text));
const EVENTS = 300;

interface Command {
  readonly name: string;
  readonly args: readonly string[];
  readonly input?: string;
}

export async function killCommands(context: ScenarioContext): Promise<void> {
  requireStrace(context);
  const { source, dump } = await fill(context);
  const commands: Command[] = [
    { name: 'backup', args: ['backup', 'made.db', '--db', source] },
    { name: 'restore', args: ['restore', source, '--db', 'made.db'] },
    { name: 'load', args: ['load', '--db', 'made.db'], input: dump },
  ];
  const { everyWrite, seed } = context.options;
  for (const command of commands) {
    for (const sweep of SWEEPS) {
      let nth = 1;
      while (nth <= MOST && (await killAt(context, command, sweep, nth, dump)))
        nth = everyWrite ? nth + 1 : nth * SAMPLE_STEP + (seed % SAMPLE_STEP);
    }
  }
  context.note(`${context.counts.kills} kills of commands, each ran again to its end`);
  assert.ok(context.counts.kills! >= commands.length * SWEEPS.length, 'every sweep has a kill');
}

/** Makes a database with attachments; returns its path and its dump. */
async function fill(context: ScenarioContext): Promise<{ source: string; dump: string }> {
  const server = await context.start();
  const metadata = { text: 'x'.repeat(1_000) };
  await context.client(server).ingest(Array.from({ length: EVENTS }, () => event({ metadata })));
  for (const [at, bytes] of ATTACHMENTS.entries())
    assert.equal(await attach(server.port, at + 1, 'bytes', bytes), 201);
  await server.stop();
  return { source: context.db(), dump: await dumpOf(context, context.db()) };
}

async function dumpOf(context: ScenarioContext, db: string): Promise<string> {
  const { exit, stdout, stderr } = await runCommand(context.target, ['dump', '--db', db], {
    cwd: context.folder,
  });
  assert.equal(exit, 0, stderr);
  return stdout;
}

/** Returns whether the command was killed. */
async function killAt(
  context: ScenarioContext,
  { name, args, input = '' }: Command,
  { calls, file }: Sweep,
  nth: number,
  dump: string,
): Promise<boolean> {
  const what = `${name}, ${calls} number ${nth}${file === undefined ? '' : ` of ${file}`}`;
  const made = context.db('made.db');
  const cwd = context.folder;
  const run = (wrapper: readonly string[]): Promise<CommandResult> =>
    runCommand(
      context.target,
      args.map((arg) => (arg === 'made.db' ? made : arg)),
      { cwd, input, wrapper },
    );
  const path = file === undefined ? {} : { path: context.db(file) };
  const wrapper = injecting({ calls, effect: 'signal=KILL', when: String(nth), ...path });
  const first = await run(wrapper);
  const isKilled = first.exit === null;
  assert.ok(isKilled || first.exit === 0, `${what}: ${first.stderr}`);
  const isWhole = existsSync(made);
  const second = await run([]);
  // A kill may come after the database has its name.
  const { code, exists } = exits;
  if (isWhole)
    assert.deepEqual([second.exit, second.stderr], [code, `${exists.replace('{path}', made)}\n`], what);
  else assert.deepEqual([second.exit, second.stderr], [0, ''], what);
  assert.equal(await dumpOf(context, made), dump, what);
  const names = readdirSync(context.folder).filter((found) => found.startsWith('made.db'));
  const isLocked = name !== 'backup';
  assert.deepEqual(
    names.filter((found) => found !== 'made.db.lock-journal').sort(),
    ['made.db', 'made.db.attachments', ...(isLocked ? ['made.db.lock'] : [])],
    what,
  );
  assert.equal(filesOf(made).length, ATTACHMENTS.length, `${what}: ${filesOf(made).join()}`);
  for (const found of names) rmSync(context.db(found), { recursive: true });
  if (isKilled) context.count('kills');
  return isKilled;
}

/** Size of a disk that holds a database and its attachments, but not their copy. */
const DISK = '6m';
const FULL = '{"error":"Storage is full","code":"storage_full"}';

export async function backUpToFullDisk(context: ScenarioContext): Promise<void> {
  const disk = context.db('disk');
  mkdirSync(disk);
  const mounting = ['-t', 'tmpfs', '-o', `size=${DISK},mode=0700`, 'tmpfs', disk];
  const mount = spawnSync('mount', mounting, { encoding: 'utf8' });
  if (mount.status !== 0) context.skip(`a small file system cannot be mounted: ${mount.stderr.trim()}`);
  context.atEnd(() => spawnSync('umount', ['-l', disk]));
  const db = join(disk, 'events.db');
  const server = await context.start({ db });
  const client = context.client(server);
  const ids = (await client.ingest([event(), event(), event(), event()])).ids;
  for (const [at, id] of ids.entries())
    assert.equal(await attach(server.port, id, 'bytes', Buffer.alloc(800_000, String(at))), 201);
  const copies = [
    async () => {
      const { status, text } = await client.post('/api/backup', {});
      assert.deepEqual([status, text], [507, FULL]);
    },
    async () => {
      const copy = join(disk, 'copy.db');
      const { exit, stderr } = await runCommand(context.target, ['backup', copy, '--db', db], { cwd: disk });
      const { code, unwritable } = exits;
      const message = unwritable.replace('{path}', copy).replace('{reason}', 'storage_full');
      assert.deepEqual([exit, stderr], [code, `${message}\n`]);
    },
  ];
  const backups = `${db}.backups`;
  mkdirSync(backups, { mode: 0o700 });
  // What a killed server left, and what a user keeps.
  const old = join(backups, '2026-01-01T000000.000Z.db');
  const left = [`${old}.partial`, `${old}.partial-journal`, `${old}.attachments/state.partial`];
  left.push(`${old}.attachments/upload-1`, `${old}.attachments/ab/${'ab'.repeat(32)}`);
  const kept = [join(backups, 'mine.db.attachments/state'), join(backups, 'notes')];
  for (const path of [...left, ...kept]) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, 'x');
  }
  const before = filesIn(disk).filter((path) => !left.includes(path));
  for (const copy of [...copies, ...copies]) {
    await copy();
    assert.deepEqual(filesIn(disk), before, 'nothing is left');
  }
  assert.equal((await client.post('/api/events', event())).status, 201, 'there is space for events');
}

/** Returns the paths of all files below a folder that have bytes of a user. */
function filesIn(folder: string): string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path));
  return paths.filter((path) => statSync(path).isFile()).sort();
}
