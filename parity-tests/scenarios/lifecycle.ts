/** Tests what ties a server to the program that started it (rules PRO-16 to PRO-18, STO-13). */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiClient, event } from '@twin-ingest/testkit/http/api-client.ts';
import { startServer } from '@twin-ingest/testkit/servers/server.ts';
import { TARGETS } from '@twin-ingest/testkit/servers/targets.ts';
import CONFIG from '../../contract/config.json' with { type: 'json' };
import { runCommand } from '../src/command-line.ts';
import { type ScenarioContext, type ScenarioFile, until } from '../src/scenario.ts';

export const LIFECYCLE: ScenarioFile = {
  name: 'lifecycle',
  about: 'a server and the program that started it',
  scenarios: [
    {
      name: 'a server ends with the process that it watches',
      rules: ['PRO-17'],
      uses: 'each',
      run: endWithProcess,
    },
    {
      name: 'a server loses no acknowledged event when the process that it watches is killed',
      rules: ['PRO-17', 'STO-03'],
      uses: 'each',
      run: killedParent,
    },
    {
      name: 'an idle server ends, and a busy one does not',
      rules: ['PRO-18', 'PRO-07'],
      uses: 'each',
      waits: true,
      run: idleExit,
    },
    {
      name: 'a slow request and standard input keep a server running',
      rules: ['PRO-18'],
      uses: 'each',
      waits: true,
      run: longRequests,
    },
    {
      name: 'a stop file ends the server that holds the database, and no other',
      rules: ['STO-13'],
      uses: 'each',
      waits: true,
      run: stopFile,
    },
    {
      name: 'a server runs on when its program is replaced',
      rules: ['PRO-08'],
      uses: 'each',
      run: replaced,
    },
    {
      name: 'the ready file is there while the server runs',
      rules: ['PRO-16'],
      uses: 'each',
      run: readyFile,
    },
    {
      name: 'a ready file that cannot be written ends the start',
      rules: ['PRO-16'],
      uses: 'each',
      run: unwritable,
    },
  ],
};

/** Time within which a server must have ended. */
const WITHIN_MS = 1_000;

/** Starts a process that only waits; it ends with the scenario at the latest. */
function startWaiting(context: ScenarioContext): ChildProcess & { readonly pid: number } {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  context.atEnd(() => child.kill('SIGKILL'));
  assert.ok(child.pid !== undefined);
  return child as ChildProcess & { readonly pid: number };
}

async function endWithProcess(context: ScenarioContext): Promise<void> {
  const app = startWaiting(context);
  const server = await context.start({ flags: ['--parent-pid', String(app.pid)] });
  await context.client(server).ingest([event({ event_id: 'kept' })]);
  const other = await context.start({ db: context.db('other.db'), flags: ['--parent-pid', '0'] });
  app.kill('SIGKILL');
  const begun = performance.now();
  assert.deepEqual(await server.exited, { code: 0, signal: null });
  const tookMs = performance.now() - begun;
  assert.ok(tookMs < WITHIN_MS, `ended after ${Math.round(tookMs)} ms`);
  assert.equal((await context.client(other).get('/livez')).status, 200, 'a server without the flag stays');
  const next = await context.start();
  assert.equal((await context.client(next).get('/api/events/1')).status, 200);
  context.note(`ended ${Math.round(tookMs)} ms after the process`);
}

/** Sends events until the server refuses; returns the ids of acknowledged ones. */
async function sendUntilRefused(client: ApiClient, sender: number, acknowledged: string[]): Promise<void> {
  for (let at = 0; ; at++) {
    const event_id = `${sender}-${at}`;
    try {
      const { status } = await client.post('/api/events', event({ event_id }));
      if (status !== 201) return;
    } catch {
      // The server closed the connection or has ended.
      return;
    }
    acknowledged.push(event_id);
  }
}

async function killedParent(context: ScenarioContext): Promise<void> {
  const app = startWaiting(context);
  const server = await context.start({ flags: ['--parent-pid', String(app.pid)] });
  const acknowledged: string[] = [];
  const sending = Array.from({ length: 4 }, (_, sender) =>
    sendUntilRefused(context.client(server), sender, acknowledged),
  );
  await until(() => acknowledged.length >= 200, 'events are acknowledged');
  const begun = performance.now();
  app.kill('SIGKILL');
  assert.deepEqual(await server.exited, { code: 0, signal: null });
  const tookMs = performance.now() - begun;
  assert.ok(tookMs < WITHIN_MS, `ended after ${Math.round(tookMs)} ms`);
  await Promise.all(sending);
  const next = await context.start();
  const again = acknowledged.map((event_id) => event({ event_id }));
  const { duplicates, received } = await context.client(next).ingest(again);
  assert.deepEqual([duplicates, received], [acknowledged.length, 0]);
  context.note(
    `ended ${Math.round(tookMs)} ms after the kill; ${acknowledged.length} acknowledged, all stored`,
  );
}

const IDLE_S = 1;
/** Time by which a busy server would have ended. */
const BUSY_MS = 2_500 * IDLE_S;

async function idleExit(context: ScenarioContext): Promise<void> {
  const flags = ['--idle-exit', String(IDLE_S)];
  const unused = await context.start({ flags });
  const begun = performance.now();
  assert.deepEqual(await unused.exited, { code: 0, signal: null });
  const unusedMs = performance.now() - begun;
  // The time begins between the spawn and the ready line, which this process may read late.
  const aliveMs = performance.now() - unused.spawned_at_ms;
  assert.ok(aliveMs > IDLE_S * 1000 && unusedMs < IDLE_S * 1000 + WITHIN_MS, `ended after ${unusedMs} ms`);
  assert.equal(existsSync(`${context.db()}-wal`), false, 'a clean end leaves no log');

  const server = await context.start({ flags });
  const client = context.client(server);
  const until_ms = performance.now() + BUSY_MS;
  while (performance.now() < until_ms) {
    await client.ingest([event()]);
    await sleep(IDLE_S * 300);
  }
  const stream = await context.stream(server, '?mode=invalidate');
  await sleep(BUSY_MS);
  assert.equal((await client.get('/livez')).status, 200, 'a stream keeps it running');
  // A page of another origin must not keep it running.
  const foreign = setInterval(() => {
    void fetch(`${server.url}/livez`, { headers: { origin: 'http://evil.example' } }).catch(() => {});
  }, 200);
  context.atEnd(() => clearInterval(foreign));
  const closed = performance.now();
  stream.close();
  assert.deepEqual(await server.exited, { code: 0, signal: null });
  const idleMs = performance.now() - closed;
  assert.ok(idleMs > IDLE_S * 900 && idleMs < IDLE_S * 1000 + WITHIN_MS, `ended after ${idleMs} ms`);
  context.note(`ended ${Math.round(unusedMs)} ms after the start, ${Math.round(idleMs)} ms after the stream`);
}

async function longRequests(context: ScenarioContext): Promise<void> {
  const flags = ['--idle-exit', String(IDLE_S)];
  const slow = await context.start({ flags });
  const upload = request({ port: slow.port, host: '127.0.0.1', method: 'POST', path: '/api/events' });
  context.atEnd(() => upload.destroy());
  upload.setHeader('content-type', 'application/json');
  const body = JSON.stringify(event());
  upload.setHeader('content-length', body.length);
  const answered = once(upload, 'response') as Promise<[IncomingMessage]>;
  upload.write(body.slice(0, 5));
  await sleep(BUSY_MS);
  upload.end(body.slice(5));
  assert.equal((await answered)[0].statusCode, 201);
  assert.deepEqual(await slow.exited, { code: 0, signal: null });

  const reading = await context.start({ flags: [...flags, '--stdin', 'ndjson'], hasInput: true });
  await sleep(BUSY_MS);
  assert.equal((await fetch(`${reading.url}/livez`)).status, 200);
  reading.endInput();
  assert.deepEqual(await reading.exited, { code: 0, signal: null });
}

async function stopFile(context: ScenarioContext): Promise<void> {
  const [owner, stop] = [`${context.db()}.owner`, `${context.db()}.stop`];
  writeFileSync(stop, 'of an earlier server');
  const server = await context.start();
  assert.equal(existsSync(stop), false, 'a start removes an earlier request');
  const other = await context.start({ db: context.db('other.db') });
  const own = readFileSync(owner, 'utf8');
  for (const text of ['', 'stop', `${own}\n`, JSON.stringify({ pid: server.pid, url: other.url })]) {
    writeFileSync(stop, text);
    await sleep(1_200);
    assert.equal((await context.client(server).get('/livez')).status, 200, JSON.stringify(text));
  }
  // The pid of another server, as after a crash.
  writeFileSync(`${context.db('other.db')}.stop`, own);
  writeFileSync(stop, own);
  const begun = performance.now();
  assert.deepEqual(await server.exited, { code: 0, signal: null });
  const tookMs = performance.now() - begun;
  assert.ok(tookMs < 2_000, `ended after ${tookMs} ms`);
  assert.deepEqual([existsSync(owner), existsSync(stop)], [false, false]);
  await sleep(1_200);
  assert.equal((await context.client(other).get('/livez')).status, 200, 'the other server stays');
  context.note(`ended ${Math.round(tookMs)} ms after the request`);
}

/** Replaces the program of a running server by a rename, and tries to write into it. */
async function replaced(context: ScenarioContext): Promise<void> {
  const { command, args, artefact } = TARGETS[context.target];
  const folder = context.db('program');
  cpSync(context.target === 'rs' ? artefact : dirname(artefact), join(folder, basename(artefact)), {
    recursive: true,
  });
  const isBinary = context.target === 'rs';
  const program = isBinary ? join(folder, basename(artefact)) : join(folder, basename(artefact), 'main.js');
  const copy = { command: isBinary ? program : command, args: isBinary ? [] : [program, ...args.slice(1)] };
  const flags = ['--db', context.db()];
  const server = await startServer(context.target, { cwd: context.folder, flags }, copy);
  context.atEnd(() => server.kill());
  const client = context.client(server);
  await client.ingest([event()]);
  if (isBinary) {
    // The system refuses a write into a running program, so an updater must rename.
    assert.throws(() => openSync(program, 'r+'), { code: 'ETXTBSY' });
  }
  const next = `${folder}-next`;
  cpSync(folder, next, { recursive: true });
  renameSync(folder, `${folder}-old`);
  renameSync(next, folder);
  await client.ingest([event()]);
  assert.equal((await client.get('/api/stats')).status, 200);
  await server.stop();
  const after = await startServer(context.target, { cwd: context.folder, flags }, copy);
  context.atEnd(() => after.kill());
  const { events } = (await context.client(after).get('/api/events')).json<{ events: unknown[] }>();
  assert.equal(events.length, 2);
}

async function readyFile(context: ScenarioContext): Promise<void> {
  const path = context.db('ready.json');
  writeFileSync(path, 'of a server that crashed');
  const first = await context.start({ flags: ['--ready-file', path] });
  const { url, pid } = JSON.parse(readFileSync(path, 'utf8')) as { url: string; pid: number };
  assert.deepEqual([url, pid], [`http://127.0.0.1:${first.port}`, first.pid]);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.ok(readFileSync(path, 'utf8').endsWith('}\n'));
  const second = await context.start({ db: context.db('b.db'), flags: ['--ready-file', path] });
  await first.stop();
  assert.equal((JSON.parse(readFileSync(path, 'utf8')) as { pid: number }).pid, second.pid);
  await second.stop();
  assert.equal(existsSync(path), false, 'removed by the server that it names');
  const left = readdirSync(context.folder).filter((name) => name.startsWith('ready'));
  assert.deepEqual(left, []);
}

async function unwritable(context: ScenarioContext): Promise<void> {
  const folder = context.db('folder');
  mkdirSync(folder);
  // A server would replace a device, such as `/dev/null`, for all programs of the machine.
  const pipe = context.db('pipe');
  const link = context.db('link');
  assert.equal(spawnSync('mkfifo', [pipe]).status, 0);
  symlinkSync('pipe', link);
  const { target } = CONFIG.exits;
  for (const path of [folder, pipe, link]) {
    const args = ['--port', '0', '--db', context.db(), '--ready-file', path];
    const { exit, stdout, stderr } = await runCommand(context.target, args, { cwd: context.folder });
    const message = target.unwritable.replace('{path}', path).replace('{reason}', 'storage_error');
    assert.deepEqual([exit, stdout], [target.code, '']);
    assert.ok(stderr.includes(`${message}\n`), stderr);
  }
  assert.ok(lstatSync(pipe).isFIFO() && lstatSync(link).isSymbolicLink());
}
