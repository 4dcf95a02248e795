import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const LOADER = fileURLToPath(new URL('./load-sql.ts', import.meta.url));
const EVENT = { session_id: 's', agent_type: 'a', event_type: 'tool_use' };

let folder = '';
let child: ChildProcess | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ingest-shutdown-'));
});

afterEach(() => {
  if (child?.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** Starts the server from its sources; returns its port once it is ready. */
function start(): Promise<number> {
  const flags = ['--port', '0', '--db', join(folder, 'events.db'), '--log-level', 'error'];
  const server = spawn(process.execPath, ['--import', LOADER, MAIN, ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child = server;
  return new Promise((resolve, reject) => {
    server.once('exit', (code) => reject(new Error(`ended before it was ready: ${code}`)));
    server.stdout.once('data', (line: Buffer) => {
      resolve(Number(new URL((JSON.parse(line.toString()) as { url: string }).url).port));
    });
  });
}

function stopped(): Promise<number | null> {
  return new Promise((resolve) => {
    child?.once('exit', (code) => resolve(code));
    child?.kill('SIGTERM');
  });
}

/** Sends a head, runs `meanwhile` once the server waits for the body, then sends the body; returns the status. */
function post(port: number, meanwhile: () => void): Promise<number | undefined> {
  const body = JSON.stringify(EVENT);
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': body.length,
      expect: '100-continue',
    };
    const sending = request({ port, host: '127.0.0.1', path: '/api/events', method: 'POST', headers });
    sending.once('error', reject).once('response', (response) => {
      response.resume().once('end', () => resolve(response.statusCode));
    });
    sending.once('continue', () => {
      meanwhile();
      sending.end(body);
    });
    sending.flushHeaders();
  });
}

test('a clean stop leaves all rows in the file and no log', async () => {
  const port = await start();
  assert.equal(await post(port, () => {}), 201);
  assert.equal(await stopped(), 0);
  const path = join(folder, 'events.db');
  assert.deepEqual(
    ['-wal', '-shm'].map((suffix) => existsSync(path + suffix)),
    [false, false],
  );
  const db = new Database(path, { readonly: true });
  assert.equal(db.prepare('SELECT count(*) FROM events').pluck().get(), 1);
  db.close();
});

test('a received request is answered before the end', async () => {
  const port = await start();
  const held: { exit?: Promise<number | null> } = {};
  const status = await post(port, () => {
    held.exit = stopped();
  });
  assert.equal(status, 201);
  assert.equal(await held.exit, 0);
});
