/**
 * Finds or builds the program of a peer, and runs it as a child process. It waits until the peer answers, kills it, and
 * starts it again on the same folder.
 *
 * Programs in Go are built once with `go install`, into a folder that git ignores. Redis comes from the system.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { freePorts } from '@twin-ingest/testkit/servers/free-port.ts';
import { ROOT } from '@twin-ingest/testkit/servers/targets.ts';
import { BenchFailure } from '../failure.ts';
import { endProcess } from '../run/helper.ts';
import type { Found, Missing, Peer } from './peer.ts';

/** Builds a Go module of this version, unless that was done before. */
export async function goProgram(module: string, program: string, version: string): Promise<Found | Missing> {
  const folder = join(ROOT, '.bench/bin', `${program}-${version}`);
  const path = join(folder, program);
  if (!existsSync(path)) {
    process.stderr.write(`building ${program} ${version} with Go\n`);
    const built = spawnSync('go', ['install', `${module}@v${version}`], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, GOBIN: folder },
      encoding: 'utf8',
    });
    if (built.error !== undefined) return { missing: 'Go builds it, and Go is not installed' };
    if (built.status !== 0)
      return { missing: `go install failed: ${built.stderr.trim().split('\n').at(-1)}` };
  }
  return { command: [path], version };
}

/** Finds the server of Redis in the system. */
export async function redisProgram(): Promise<Found | Missing> {
  const { stdout } = spawnSync('redis-server', ['--version'], { encoding: 'utf8' });
  const version = /v=(\S+)/.exec(stdout ?? '')?.[1];
  if (version === undefined) return { missing: 'not installed: apt-get install redis-server' };
  return { command: ['redis-server'], version };
}

const READY_MS = 60_000;
const STOP_MS = 60_000;
const POLL_MS = 20;

export async function startPeer(peer: Peer, { command }: Found, folder: string, lifetime: Lifetime) {
  const port = (await freePorts(1))[0]!;
  const [program, ...args] = [...command, ...(await peer.flags(folder, port))];
  const child = spawn(program!, args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const release = lifetime.add(() => endProcess(child));
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-2_000);
  });
  const failed = (what: string) =>
    new BenchFailure('server_failed', `${peer.title} ${what}`, said.trim().split('\n').slice(-5));
  const answers = () => peer.ask(port).then(Boolean, () => false);
  const until = performance.now() + READY_MS;
  while (!(await answers())) {
    lifetime.signal.throwIfAborted();
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined)
      throw failed('ended at its start');
    if (performance.now() > until) throw failed(`did not answer within ${READY_MS} ms`);
    await pause(POLL_MS);
  }
  return {
    port,
    pid: child.pid!,
    kill: release,
    /** Sends SIGTERM and waits for the end. */
    async stop() {
      const closed = once(child, 'close');
      child.kill('SIGTERM');
      const ended = await Promise.race([closed, pause(STOP_MS, null, { ref: false })]);
      await release();
      if (ended === null) throw failed(`did not stop within ${STOP_MS} ms`);
    },
  };
}
