/** Tests starts that must fail, and the output of a start: broken files, taken ports, one ready line. */
import assert from 'node:assert/strict';
import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { event } from '@twin-ingest/testkit/http/api-client.ts';
import { type Ended, failedStart } from '@twin-ingest/testkit/servers/failed-start.ts';
import Database from 'better-sqlite3';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';

export const START: ScenarioFile = {
  name: 'start',
  about: 'starts that must not succeed, and the ready line',
  scenarios: [
    { name: 'a start refuses a file that is not SQLite', rules: ['PRO-06'], uses: 'each', run: notSqlite },
    {
      name: 'a start refuses a SQLite file of another program',
      rules: ['PRO-06'],
      uses: 'each',
      faults: ['F11'],
      run: foreign,
    },
    {
      name: 'a start refuses a SQLite file of another program even without tables',
      rules: ['PRO-06'],
      uses: 'each',
      run: foreignAndEmpty,
    },
    {
      name: 'a start refuses a corrupt file',
      rules: ['PRO-06'],
      faults: ['F11'],
      uses: 'each',
      run: corrupt,
    },
    {
      name: 'a start refuses an empty file next to a write-ahead log',
      rules: ['PRO-06'],
      uses: 'each',
      faults: ['F11'],
      run: emptyWithLog,
    },
    { name: 'a start refuses a port that is taken', rules: ['PRO-05'], uses: 'each', run: portTaken },
    {
      name: 'a start prints one ready line on stdout and creates private files',
      rules: ['PRO-01', 'STO-09'],
      uses: 'each',
      run: readyLine,
    },
    { name: 'a :memory: database leaves no file', rules: ['PRO-02'], uses: 'each', run: memory },
  ],
};

/** Checks that the start exits with 65 and this text, and that the file is unchanged. */
async function refused(context: ScenarioContext, text: string): Promise<void> {
  const file = context.db();
  const before = readFileSync(file);
  const exit = await failedStart(context.target, ['--db', file], context.folder);
  assert.equal(exit.code, 65, describe(exit));
  assert.equal(exit.stdout, '', 'no ready line');
  assert.ok(exit.stderr.includes(text), describe(exit));
  assert.ok(readFileSync(file).equals(before), 'the file is left as it was');
}

async function notSqlite(context: ScenarioContext): Promise<void> {
  writeFileSync(
    context.db(),
    'this is a text file, and longer than the header of a database would be\n'.repeat(100),
  );
  await refused(
    context,
    `${context.db()} is not a SQLite database; move it away or name another file with --db`,
  );
}

async function foreign(context: ScenarioContext): Promise<void> {
  const db = new Database(context.db());
  db.exec('CREATE TABLE notes (text); INSERT INTO notes VALUES (1)');
  db.close();
  await refused(context, ofAnother(context));
}

/** Tests empty files of another program, which only the application id or the schema version identifies. */
async function foreignAndEmpty(context: ScenarioContext): Promise<void> {
  for (const pragma of ['application_id = 77', 'user_version = 3']) {
    rmSync(context.db(), { force: true });
    const db = new Database(context.db());
    db.pragma(pragma);
    db.close();
    await refused(context, ofAnother(context));
  }
}

function ofAnother(context: ScenarioContext): string {
  return `${context.db()} is a SQLite database of another program; name another file with --db`;
}

async function corrupt(context: ScenarioContext): Promise<void> {
  await filled(context);
  const { size } = statSync(context.db());
  const file = openSync(context.db(), 'r+');
  // Overwrites every page except the first, whose header identifies the file as one of a server.
  const noise = Buffer.alloc(size - 4_096, 0xa5);
  writeSync(file, noise, 0, noise.length, 4_096);
  closeSync(file);
  await refused(context, `${context.db()} is corrupt; keep it, then recover it with`);
}

async function emptyWithLog(context: ScenarioContext): Promise<void> {
  writeFileSync(context.db(), '');
  writeFileSync(`${context.db()}-wal`, Buffer.alloc(4_096, 1));
  await refused(
    context,
    `${context.db()} is empty but has a write-ahead log beside it; keep both and restore the database file`,
  );
  assert.equal(statSync(`${context.db()}-wal`).size, 4_096);
}

async function portTaken(context: ScenarioContext): Promise<void> {
  const other = net.createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  context.atEnd(() => other.close());
  const { port } = other.address() as net.AddressInfo;
  const exit = await failedStart(
    context.target,
    ['--db', context.db(), '--port', String(port)],
    context.folder,
  );
  assert.equal(exit.code, 69, describe(exit));
  assert.equal(exit.stdout, '');
  assert.ok(
    exit.stderr.includes(
      `127.0.0.1:${port} is already in use; stop what listens there or choose another --port`,
    ),
    describe(exit),
  );
}

async function readyLine(context: ScenarioContext): Promise<void> {
  const db = join(context.folder, 'deep', 'er', 'events.db');
  const server = await context.start({ db });
  const client = context.client(server);
  await client.post('/api/events', event({ metadata: { secret: 'never-in-a-log' } }));
  await client.send('POST', '/api/events', Buffer.from('{"never-in-a-log'), []);
  const modes = [db, join(context.folder, 'deep', 'er'), join(context.folder, 'deep')].map(
    (path) => statSync(path).mode & 0o777,
  );
  assert.deepEqual(modes, [0o600, 0o700, 0o700]);
  await server.stop();
  const runtime = context.target === 'rs' ? 'rust' : 'node';
  const { pid, url, addresses, ...rest } = server.ready;
  assert.deepEqual(rest, { event: 'ready', runtime, version: rest.version, contract: rest.contract });
  const contract = readFileSync(new URL('../../contract/VERSION', import.meta.url), 'utf8').trim();
  assert.equal(rest.contract, contract);
  const line = `{"event":"ready","url":"${url}","addresses":${JSON.stringify(addresses)},"pid":${pid},"runtime":"${runtime}","version":"${rest.version}","contract":"${contract}"}\n`;
  assert.equal(server.stdout(), line);
  assert.match(url, /^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
  assert.ok(!server.stderr().includes('never-in-a-log'), 'no body in a log');
  for (const log of server.stderr().split('\n').filter(Boolean)) JSON.parse(log);
}

async function memory(context: ScenarioContext): Promise<void> {
  const server = await context.start({ db: ':memory:', cwd: context.folder });
  const { ids } = await context.client(server).ingest([event()]);
  assert.deepEqual(ids, [1]);
  await server.stop();
  assert.ok(!existsSync(join(context.folder, ':memory:')), 'no file of that name');
}

/** Creates a server's database with some rows; the server has ended. */
async function filled(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  await context
    .client(server)
    .ingest(Array.from({ length: 200 }, (_, index) => event({ metadata: { index } })));
  assert.deepEqual(await server.stop(), { code: 0, signal: null });
}

function describe(exit: Ended): string {
  return `exit ${exit.code}\n${exit.stdout}${exit.stderr}`;
}
