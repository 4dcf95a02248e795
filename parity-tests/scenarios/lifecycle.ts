/** Tests what ties a server to the program that started it (rules PRO-16 and PRO-17). */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { event } from '@twin-ingest/testkit/http/api-client.ts';
import CONFIG from '../../contract/config.json' with { type: 'json' };
import { runCommand } from '../src/command-line.ts';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';

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
  const args = ['--port', '0', '--db', context.db(), '--ready-file', folder];
  const { exit, stdout, stderr } = await runCommand(context.target, args, { cwd: context.folder });
  const { target } = CONFIG.exits;
  const message = target.unwritable.replace('{path}', folder).replace('{reason}', 'storage_error');
  assert.deepEqual([exit, stdout], [target.code, '']);
  assert.ok(stderr.includes(`${message}\n`), stderr);
}
