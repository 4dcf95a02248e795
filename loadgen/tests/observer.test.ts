/** Tests the observer with the test's own process and a real write-ahead log. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { observe } from '../src/observe/observer.ts';
import { listen } from './listening-server.ts';
import { folder, lifetime } from './scratch.ts';

const notLinux = process.platform !== 'linux' && 'proc(5) is a matter of Linux';
const path = join(folder, 'events.db');
const own = { pid: process.pid, database: path };

test('memory, CPU time, open files and the log are those of the process', { skip: notLinux }, async () => {
  const stop = observe(own, null, 10, lifetime);
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
  const { url, close } = await listen(async (number, response) => {
    if (number === 2) await sleep(500);
    response.end();
  });
  lifetime.add(async () => close());
  const stop = observe(own, url, 10, lifetime);
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
