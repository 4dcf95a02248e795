/**
 * A registry of npm for one test: verdaccio on loopback, with a temporary storage and no connection to another one.
 *
 * Invariant: it ends with the test, and its storage is removed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const START_MS = 30_000;

export interface LocalRegistry {
  readonly url: string;
  /** A configuration of npm that may publish. */
  readonly userconfig: string;
  stop(): Promise<void>;
}

export async function startRegistry(tools: string): Promise<LocalRegistry> {
  const folder = mkdtempSync(join(tmpdir(), 'twin-ingest-registry-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const userconfig = join(folder, 'npmrc');
  // Anyone may publish, but npm refuses to try without a token.
  writeFileSync(userconfig, `registry=${url}\n//127.0.0.1:${port}/:_authToken=local\n`);
  writeFileSync(join(folder, 'config.json'), JSON.stringify(configIn(folder)));
  const child = spawn(
    process.execPath,
    [
      join(tools, 'node_modules/verdaccio/bin/verdaccio'),
      '--config',
      join(folder, 'config.json'),
      '--listen',
      `127.0.0.1:${port}`,
    ],
    { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const stop = async () => {
    await ended(child);
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', () => child.kill('SIGKILL'));
  let log = '';
  for (const output of [child.stdout, child.stderr])
    output.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
  const deadline = Date.now() + START_MS;
  while (!(await answers(`${url}-/ping`))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      await stop();
      throw new Error(`verdaccio did not start\n${log}`);
    }
    await sleep(100);
  }
  return { url, userconfig, stop };
}

function configIn(folder: string): object {
  return {
    storage: join(folder, 'storage'),
    packages: { '**': { access: '$all', publish: '$all', unpublish: '$all' } },
    web: { enable: false },
    max_body_size: '100mb',
    log: { type: 'stdout', format: 'pretty', level: 'warn' },
  };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

async function answers(url: string): Promise<boolean> {
  return await fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
