/** Tests that no start removes attachments of another or a newer database, and that a cut database is no new one. */
import assert from 'node:assert/strict';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { event } from '@twin-ingest/testkit/http/api-client.ts';
import { failedStart } from '@twin-ingest/testkit/servers/failed-start.ts';
import type { RunningServer } from '@twin-ingest/testkit/servers/server.ts';
import CONFIG from '../../contract/config.json' with { type: 'json' };
import { attach, filesOf, readAttachment, sha256 } from '../src/attachment-client.ts';
import { runCommand } from '../src/command-line.ts';
import { type ScenarioContext, type ScenarioFile, until } from '../src/scenario.ts';

export const ATTACHMENT_OWNER: ScenarioFile = {
  name: 'attachment-owner',
  about: 'attachments next to another, an older, a cut or a missing database',
  scenarios: [
    {
      name: 'a start keeps the attachments of any other state of the database',
      rules: ['ATT-11', 'HEA-01', 'PRO-08'],
      attacks: ['X1'],
      uses: 'both',
      run: keepOthers,
    },
    {
      name: 'a second database with a link to the folder leaves its attachments to the first',
      rules: ['ATT-11'],
      attacks: ['X1'],
      uses: 'both',
      run: shareFolder,
    },
    {
      name: 'a command moves the folder of another database aside',
      rules: ['ATT-11', 'BAK-02', 'BAK-05'],
      attacks: ['X1'],
      uses: 'each',
      run: moveFolders,
    },
    {
      name: 'a start refuses a file of no bytes next to the files of a database',
      rules: ['PRO-06'],
      attacks: ['X1'],
      uses: 'each',
      faults: ['F11'],
      run: refuseEmpty,
    },
  ],
};

const { database } = CONFIG.exits;
const WARNING = 'attachments that may belong to another database were moved aside';

/** Attaches these texts, each to an event of its own; returns their hashes. */
async function attachAll(
  context: ScenarioContext,
  server: RunningServer,
  texts: readonly string[],
): Promise<string[]> {
  for (const text of texts) {
    const [id] = (await context.client(server).ingest([event()])).ids;
    assert.equal(await attach(server.port, id!, 'text', Buffer.from(text)), 201);
  }
  return texts.map((text) => sha256(Buffer.from(text)));
}

/** Returns the hashes of the whole contents below a folder, however they got there. */
function contentsBelow(folder: string): Set<string> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path));
  const files = paths.filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
  return new Set(
    files.filter((path) => basename(path) === sha256(readFileSync(path))).map((path) => basename(path)),
  );
}

function warningsOf(server: RunningServer): { readonly files: number; readonly folder: string }[] {
  const lines = server.stderr().split('\n').slice(0, -1);
  const parsed = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  return parsed.filter(({ message }) => message === WARNING) as unknown as ReturnType<typeof warningsOf>;
}

interface Change {
  readonly name: string;
  /** Puts another database, or none, in the place of the stopped one. */
  readonly change: (db: string, context: ScenarioContext) => unknown;
  /** Number of contents that the start moves aside. */
  readonly aside: number;
  /** Whether the database that comes back finds its contents without help. */
  readonly comesBack: boolean;
}

/** Every database here had these contents when the copy `early` was made. */
const EARLY = ['one', 'two'];
const LATE = ['three', 'four', 'five'];

const CHANGES: readonly Change[] = [
  { name: 'missing', change: (db) => unlinkSync(db), aside: 5, comesBack: false },
  {
    name: 'another',
    change: (db, context) => copyFileSync(context.db('foreign.db'), db),
    aside: 5,
    comesBack: false,
  },
  { name: 'older by three', change: (db) => copyFileSync(`${db}.early`, db), aside: 3, comesBack: true },
  { name: 'older by one', change: (db) => copyFileSync(`${db}.late`, db), aside: 1, comesBack: true },
  { name: 'backup', change: (db) => copyFileSync(`${db}.backup`, db), aside: 3, comesBack: true },
  {
    name: 'without a state',
    change: (db) => {
      copyFileSync(`${db}.early`, db);
      unlinkSync(`${db}.attachments/state`);
    },
    aside: 3,
    comesBack: true,
  },
  {
    name: 'with a cut state',
    change: (db) => {
      copyFileSync(`${db}.early`, db);
      truncateSync(`${db}.attachments/state`, 40);
    },
    aside: 3,
    comesBack: true,
  },
  {
    name: 'restored',
    change: async (db, context) => {
      unlinkSync(db);
      const args = ['restore', `${db}.backup`, '--db', db];
      const { exit, stderr } = await runCommand(context.target, args, { cwd: context.folder });
      assert.equal(exit, 0, stderr);
      assert.match(stderr, /belonged to another database; it is .*\.attachments\.aside-1 now/);
    },
    aside: 0,
    comesBack: false,
  },
];

async function keepOthers(context: ScenarioContext): Promise<void> {
  const cwd = context.folder;
  await (await context.start({ db: context.db('foreign.db') })).stop();
  for (const [at, { name, change, aside, comesBack }] of CHANGES.entries()) {
    // The two servers are used in turn.
    const targets = at % 2 === 0 ? [context.target, context.other] : [context.other, context.target];
    const [target, next] = [targets[0]!, targets[1]!];
    const db = context.db(`${at}.db`);
    // A content of another turn must not stand for one of this turn.
    const of = (text: string): string => `${name}: ${text}`;
    let server = await context.start({ target, db });
    const hashes = await attachAll(context, server, EARLY.map(of));
    const backup = await runCommand(target, ['backup', `${db}.backup`, '--db', db], { cwd });
    assert.equal(backup.exit, 0, backup.stderr);
    await server.stop();
    copyFileSync(db, `${db}.early`);
    server = await context.start({ target, db });
    assert.deepEqual(warningsOf(server), [], `${name}: the same database`);
    hashes.push(...(await attachAll(context, server, LATE.slice(0, -1).map(of))));
    await server.stop();
    copyFileSync(db, `${db}.late`);
    server = await context.start({ target, db });
    hashes.push(...(await attachAll(context, server, LATE.slice(-1).map(of))));
    await server.stop();
    copyFileSync(db, `${db}.newest`);
    const before = contentsBelow(cwd);
    for (const hash of hashes) assert.ok(before.has(hash));
    await change(db, context);

    server = await context.start({ target: next, db });
    const after = contentsBelow(cwd);
    for (const hash of before) assert.ok(after.has(hash), `${name}: ${hash} is there`);
    // The log may arrive after the ready line, which is in another pipe.
    const running = server;
    if (aside > 0) await until(() => warningsOf(running).length > 0, `${name}: a warning`);
    const warnings = warningsOf(server);
    assert.deepEqual(
      warnings.map(({ files }) => files),
      aside === 0 ? [] : [aside],
      name,
    );
    for (const { folder } of warnings) assert.ok(existsSync(folder), folder);
    const health = (await context.client(server).get('/api/health')).json<{ attachments_aside: number }>();
    assert.equal(health.attachments_aside, aside, name);
    const isOlder = !['missing', 'another'].includes(name);
    for (const hash of hashes.slice(0, EARLY.length))
      assert.equal((await readAttachment(server.port, hash)) !== undefined, isOlder, name);
    // What is new now must not harm what is aside.
    await attachAll(context, server, ['six', LATE[0]!].map(of));
    await server.stop();

    copyFileSync(`${db}.newest`, db);
    if (!comesBack) {
      renameSync(`${db}.attachments`, `${db}.attachments.replaced`);
      renameSync(`${db}.attachments.aside-1`, `${db}.attachments`);
    }
    server = await context.start({ target, db });
    for (const hash of hashes)
      assert.ok((await readAttachment(server.port, hash)) !== undefined, `${name}: ${hash} comes back`);
    await server.stop();
  }
}

async function shareFolder(context: ScenarioContext): Promise<void> {
  const store = context.db('store');
  mkdirSync(store);
  const dbs = ['a.db', 'b.db'].map((name) => context.db(name));
  for (const db of dbs) symlinkSync(store, `${db}.attachments`);
  const [a, b] = [dbs[0]!, dbs[1]!];
  const first = await context.start({ db: a });
  const hashes = await attachAll(context, first, EARLY);
  const second = await context.start({ db: b, target: context.other });
  assert.deepEqual(
    warningsOf(second).map(({ files, folder }) => [files, folder]),
    [[2, `${b}.attachments.aside-1`]],
  );
  const own = await attachAll(context, second, [...LATE, EARLY[0]!]);
  await second.stop();
  for (const hash of hashes) assert.ok((await readAttachment(first.port, hash)) !== undefined, hash);
  assert.deepEqual(filesOf(a), hashes.map((hash) => join(hash.slice(0, 2), hash)).sort());
  await first.stop();
  const third = await context.start({ db: b });
  assert.deepEqual(warningsOf(third), []);
  for (const hash of own) assert.ok((await readAttachment(third.port, hash)) !== undefined, hash);
  const again = await context.start({ db: a, target: context.other });
  assert.deepEqual(warningsOf(again), [], 'the folder is still that of the first');
}

async function moveFolders(context: ScenarioContext): Promise<void> {
  const cwd = context.folder;
  const server = await context.start();
  await attachAll(context, server, EARLY);
  await server.stop();
  const run = (args: string[], input = '') => runCommand(context.target, args, { cwd, input });
  const dump = (await run(['dump', '--db', context.db()])).stdout;
  const commands: [string[], string][] = [
    [['backup', 'copy.db', '--db', context.db()], ''],
    [['restore', context.db(), '--db', 'copy.db'], ''],
    [['load', '--db', 'copy.db'], dump],
  ];
  const folder = context.db('copy.db.attachments');
  for (const [args, input] of commands) {
    mkdirSync(join(folder, 'ab'), { recursive: true });
    writeFileSync(join(folder, 'ab', 'ab'.repeat(32)), 'of another database');
    const done = await run(args, input);
    assert.equal(done.exit, 0, done.stderr);
    const moved = CONFIG.exits.target.aside.replace('{path}', folder).replace('{aside}', `${folder}.aside-1`);
    assert.equal(done.stderr, `${moved}\n`);
    assert.deepEqual(readdirSync(`${folder}.aside-1`, { recursive: true }).sort(), [
      'ab',
      `ab/${'ab'.repeat(32)}`,
    ]);
    assert.equal(filesOf(context.db('copy.db')).length, EARLY.length);
    assert.equal((await run(['verify', 'copy.db'])).exit, 0);
    const next = await context.start({ db: context.db('copy.db') });
    assert.deepEqual(warningsOf(next), []);
    await next.stop();
    for (const name of readdirSync(cwd).filter((name) => name.startsWith('copy.db')))
      rmSync(join(cwd, name), { recursive: true });
  }
}

async function refuseEmpty(context: ScenarioContext): Promise<void> {
  const refused = async (files: readonly string[], message: string): Promise<void> => {
    const before = readdirSync(context.folder, { recursive: true }).sort();
    const { code, stderr } = await failedStart(context.target, ['--db', context.db()], context.folder);
    assert.deepEqual(
      [code, stderr],
      [database.code, `${message.replace('{path}', context.db())}\n`],
      files.join(),
    );
    assert.deepEqual(readdirSync(context.folder, { recursive: true }).sort(), before, 'nothing changes');
  };
  const server = await context.start();
  await attachAll(context, server, EARLY);
  await server.stop();
  truncateSync(context.db());
  await refused(['the files of a server'], database.empty);
  rmSync(`${context.db()}.attachments`, { recursive: true });
  await refused(['the lock'], database.empty);
  rmSync(`${context.db()}.lock`);
  mkdirSync(`${context.db()}.attachments`);
  await refused(['a folder of attachments'], database.empty);
  rmSync(`${context.db()}.attachments`, { recursive: true });
  symlinkSync('nowhere', `${context.db()}.attachments`);
  await refused(['a link to no folder'], database.empty);
  const verified = await runCommand(context.target, ['verify', context.db()], { cwd: context.folder });
  assert.deepEqual(
    [verified.exit, verified.stderr],
    [database.code, `${database.empty.replace('{path}', context.db())}\n`],
  );
  rmSync(`${context.db()}.attachments`);
  for (const suffix of ['-wal', '-journal']) {
    writeFileSync(`${context.db()}${suffix}`, 'log');
    await refused([suffix], database.empty_with_wal);
    rmSync(context.db());
    await refused([suffix, 'no file'], database.log_alone);
    rmSync(`${context.db()}${suffix}`);
    writeFileSync(context.db(), '');
  }
  const next = await context.start();
  const { ids } = await context.client(next).ingest([event()]);
  assert.deepEqual(ids, [1], 'a file of no bytes alone is a new database');
}
