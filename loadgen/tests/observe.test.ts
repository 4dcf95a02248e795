/** Tests what a run observes: a process with a real write-ahead log, a dashboard, the checkout, the size of a server. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, openSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { inTree } from '@twin-ingest/testkit/files/tree.ts';
import { Interrupted } from '@twin-ingest/testkit/process/failure.ts';
import { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { TARGETS } from '@twin-ingest/testkit/servers/targets.ts';
import Database from 'better-sqlite3';
import { isDirty } from '../src/observe/environment.ts';
import { observe } from '../src/observe/observer.ts';
import { startReader } from '../src/observe/reader.ts';
import { deployedSize } from '../src/observe/size.ts';
import { failsWith } from './fake-targets.ts';
import { listen } from './listening-server.ts';
import { folder, lifetime } from './scratch.ts';

const notLinux = process.platform !== 'linux' && 'proc(5) is a matter of Linux';
const path = join(folder, 'events.db');
const here = { pid: process.pid, database: path };

test('memory, CPU time, open files and the log are those of the process', { skip: notLinux }, async () => {
  const stop = observe(here, null, 10, lifetime);
  await sleep(50);
  const database = new Database(path);
  database.pragma('journal_mode = WAL');
  database.exec('CREATE TABLE grown (bytes BLOB); INSERT INTO grown VALUES (zeroblob(20000))');
  const { size } = statSync(`${path}-wal`);
  const files = Array.from({ length: 10 }, () => openSync(process.execPath, 'r'));
  const begun = process.cpuUsage();
  while (process.cpuUsage(begun).user < 100_000);
  await sleep(200);
  const { t_ms, rss_bytes, cpu_us, wal_bytes, file_descriptors, lag_ms } = stop();
  files.forEach(closeSync);
  database.close();
  assert.ok(t_ms.length >= 2 && t_ms.every((t, i) => t > (t_ms[i - 1] ?? -1)));
  assert.ok(rss_bytes.every((bytes) => bytes! > 10e6));
  assert.ok(cpu_us.at(-1)! - cpu_us[0]! >= 80_000, String(cpu_us));
  assert.deepEqual([wal_bytes[0], wal_bytes.at(-1)], [null, size]);
  assert.ok(file_descriptors.at(-1)! >= file_descriptors[0]! + 10, String(file_descriptors));
  assert.ok(lag_ms.every((lag) => lag === null));
});

test('a server that does something else makes an idle request wait', async () => {
  const { url } = await listen(async (number, response) => {
    if (number === 2) await sleep(500);
    response.end();
  });
  const stop = observe(here, url, 10, lifetime);
  await sleep(1000);
  const lags = stop().lag_ms.filter((lag) => lag !== null);
  assert.ok(Math.max(...lags) >= 490 && Math.min(...lags) < 200, String(lags));
});

test('what is not there is null', async () => {
  const { pid } = spawnSync(process.execPath, ['--version']);
  // Port 1 of the loopback address: reserved, so nothing of a test listens there.
  const stop = observe({ pid, database: join(folder, 'nothing.db') }, 'http://127.0.0.1:1', 10, lifetime);
  await sleep(100);
  const { t_ms, ...columns } = stop();
  assert.ok(t_ms.length > 0);
  assert.ok(Object.values(columns).every((column) => column.every((value) => value === null)));
});

/** Starts a reader, and waits until it has asked for the totals so often. */
async function startReading(answer: Parameters<typeof listen>[0], times: number, own = lifetime) {
  const { url, paths } = await listen(answer);
  const totals = () => paths.filter((path) => path === '/api/stats').length;
  const stop = startReader(url, 'round 1', own, 20);
  while (totals() < times) await sleep(5);
  return { stop, asked: paths, totals };
}

test('totals every time, the rest every fifth time, and the end waits for the slowest answer', async () => {
  const held = Promise.withResolvers<void>();
  const { stop, asked, totals } = await startReading(async (number, response) => {
    if (number === 1) await held.promise;
    response.end('{}');
  }, 12);
  const sampled = stop();
  await sleep(200);
  held.resolve();
  const sample = await sampled;
  const others = asked.filter((path) => path !== '/api/stats');
  const each = ['/api/sessions?limit=20', '/api/events?limit=50', '/api/stats/tools', '/api/stats/cost'];
  const expected = Array.from({ length: Math.ceil(totals() / 5) }, () => each).flat();
  assert.deepEqual(others.toSorted(), expected.toSorted());
  assert.deepEqual([sample.requests, sample.failed], [asked.length, 0]);
  assert.ok(sample.p50_ms! > 0 && sample.p50_ms! < 200 && sample.p99_ms! >= 200, JSON.stringify(sample));
});

test('an answer that is no 200 has failed, and so has a connection that ends', async () => {
  const { stop } = await startReading((number, response) => {
    if (number === 2) response.destroy();
    else response.writeHead(number === 3 ? 503 : 200).end('{}');
  }, 4);
  await assert.rejects(stop(), failsWith('reads_failed', /^round 1: 2 of \d+ reads/));
});

test('an interrupted run ends the reader', async () => {
  const own = new Lifetime();
  const { stop } = await startReading(() => new Promise(() => undefined), 1, own);
  const stopping = stop();
  own.interrupt();
  await assert.rejects(stopping, Interrupted);
  await own.end();
});

test('results leave a checkout clean, a source or a new file does not, and without git nothing is said', async () => {
  const results = ['benchmark-results.json', 'docs/suites/sync.json'];
  const files = Object.fromEntries(['main.ts', ...results].map((file) => [file, 'before']));
  await inTree(files, (root) => {
    const git = (...args: string[]) => execFileSync('git', args, { cwd: root });
    const dirtyAfter = (file: string, text: string) => {
      writeFileSync(join(root, file), text);
      return isDirty(root);
    };
    assert.equal(isDirty(root), null);
    git('init', '--quiet');
    git('add', '.');
    git('-c', 'user.name=t', '-c', 'user.email=t@localhost', 'commit', '--quiet', '--message=before');
    for (const file of results) assert.equal(dirtyAfter(file, 'after'), false);
    assert.equal(dirtyAfter('main.ts', 'after'), true);
    assert.equal(dirtyAfter('main.ts', 'before'), false);
    assert.equal(dirtyAfter('new.ts', 'after'), true);
  });
});

test('the deployed size contains parts outside of the folder of the server', async () => {
  const files = { 'server/main.js': '12345', 'other/sqlite.node': '123', 'bin/node': '1' };
  await inTree(files, async (root) => {
    const artefact = `${root}/server/main.js`;
    const target = { ...TARGETS.ts, artefact, command: `${root}/bin/node` };
    const parts = [`${root}/other/sqlite.node`];
    assert.deepEqual(await deployedSize(target), { own_bytes: 5, with_runtime_bytes: 6 });
    assert.deepEqual(await deployedSize({ ...target, parts }), { own_bytes: 8, with_runtime_bytes: 9 });
  });
});
