/** Tests the observer with a real process and a real write-ahead log. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { type Observer, observe } from '../src/observe/observer.ts';
import type { Timeline } from '../src/observe/sample.ts';
import { folder, lifetime } from './scratch.ts';

/** Program that opens files or uses CPU time on command. It answers only `/livez`. */
const PROGRAM = `
  import { openSync } from 'node:fs';
  import { createServer } from 'node:http';
  const server = createServer((request, response) => {
    response.writeHead(request.url === '/livez' ? 200 : 404).end();
  });
  server.listen(0, '127.0.0.1', () => process.send(server.address().port));
  process.on('message', ({ files, busy_ms }) => {
    for (let i = 0; i < files; i++) openSync(process.execPath);
    const begun = process.cpuUsage();
    const used = ({ user, system }) => user + system;
    while (used(process.cpuUsage(begun)) < busy_ms * 1000);
    process.send('done');
  });
`;
const notLinux = process.platform !== 'linux' && 'proc(5) is a matter of Linux';
const path = join(folder, 'events.db');
const database = new Database(path);
let child: ChildProcess;
let url = '';

before(async () => {
  database.pragma('journal_mode = WAL');
  database.pragma('wal_autocheckpoint = 0');
  database.exec('CREATE TABLE grown (bytes BLOB)');
  child = spawn(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  lifetime.add(async () => {
    child.kill('SIGKILL');
    database.close();
  });
  const [port] = await once(child, 'message');
  url = `http://127.0.0.1:${port}`;
});

const start = (lag_url: string | null) =>
  observe({ pid: child.pid!, database: path, lag_url, interval_ms: 10, lifetime });

/** Makes the log larger, and waits until the observer has sampled it after this call. */
async function nextLook(observer: Observer): Promise<number> {
  database.exec('INSERT INTO grown VALUES (zeroblob(20000))');
  const { size } = statSync(`${path}-wal`);
  while (observer.walPeak !== size) await sleep(5);
  return size;
}

/** Samples the process before and after a command. All columns have a value for each time. */
async function during(lag_url: string | null, what: { files: number; busy_ms: number }) {
  const observer = start(lag_url);
  await nextLook(observer);
  observer.begin();
  await nextLook(observer);
  child.send(what);
  await once(child, 'message');
  await nextLook(observer);
  const size = await nextLook(observer);
  const timeline: Timeline = observer.stop();
  const lengths = new Set(Object.values(timeline).map((column) => column.length));
  assert.equal(lengths.size, 1);
  const times = timeline.t_ms;
  assert.ok(times[0]! >= 0 && times.every((t, i) => i === 0 || t > times[i - 1]!));
  return { timeline, size, walPeak: observer.walPeak };
}

test('memory, CPU time, open files and the log are those of the process', { skip: notLinux }, async () => {
  const { timeline, size, walPeak } = await during(null, { files: 10, busy_ms: 100 });
  assert.ok(timeline.rss_bytes.every((bytes) => bytes! > 10e6));
  const growth = (column: readonly (number | null)[]) => column.at(-1)! - column[0]!;
  assert.equal(growth(timeline.file_descriptors), 10);
  assert.ok(growth(timeline.cpu_us) >= 80_000, String(growth(timeline.cpu_us)));
  assert.deepEqual([timeline.wal_bytes.at(-1), walPeak], [size, size]);
  assert.ok(timeline.lag_ms.every((lag) => lag === null));
});

test('a server that does something else makes an idle request wait', async () => {
  const { timeline } = await during(url, { files: 0, busy_ms: 1000 });
  const lags = timeline.lag_ms.filter((lag) => lag !== null);
  assert.ok(Math.max(...lags) > 200 && Math.min(...lags) < 200, String(lags));
});

test('nothing is kept before it begins, and what is not there is null', async () => {
  const early = start(url);
  await nextLook(early);
  assert.deepEqual(early.stop().t_ms, []);
  const gone = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await once(gone, 'close');
  // Port 1 of the loopback address: reserved, so nothing of a test listens there.
  const nothing = { pid: gone.pid!, database: join(folder, 'nothing.db'), lag_url: 'http://127.0.0.1:1' };
  const observer = observe({ ...nothing, interval_ms: 5, lifetime });
  observer.begin();
  await sleep(100);
  const { t_ms, ...columns } = observer.stop();
  assert.ok(t_ms.length > 0);
  for (const column of Object.values(columns)) assert.ok(column.every((value) => value === null));
  assert.equal(observer.walPeak, null);
});
