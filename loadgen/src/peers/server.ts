/** Runs a peer as a child process: starts it, waits until it answers, kills it, starts it again on the same folder. */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { freePorts } from '@twin-ingest/testkit/servers/free-port.ts';
import { BenchFailure } from '../failure.ts';
import { endProcess } from '../run/helper.ts';
import type { Found, Peer } from './peer.ts';

const READY_MS = 60_000;
const STOP_MS = 60_000;
const POLL_MS = 20;

export interface PeerServer {
  readonly port: number;
  readonly pid: number;
  kill(): Promise<void>;
  /** Sends SIGTERM and waits for the end. */
  stop(): Promise<void>;
}

export async function startPeer(
  peer: Peer,
  { command }: Found,
  folder: string,
  lifetime: Lifetime,
): Promise<PeerServer> {
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
  const until = performance.now() + READY_MS;
  for (;;) {
    lifetime.signal.throwIfAborted();
    if (hasEnded(child)) throw failed('ended at its start');
    const answers = await peer.ask(port).then(
      () => true,
      () => false,
    );
    if (answers) break;
    if (performance.now() > until) throw failed(`did not answer within ${READY_MS} ms`);
    await pause(POLL_MS);
  }
  return {
    port,
    pid: child.pid!,
    kill: async () => void (await release()),
    async stop() {
      const closed = new Promise((resolve) => child.once('close', resolve));
      child.kill('SIGTERM');
      const late = AbortSignal.timeout(STOP_MS);
      const ended = await Promise.race([closed.then(() => true), onceAborted(late).then(() => false)]);
      await release();
      if (!ended) throw failed(`did not stop within ${STOP_MS} ms`);
    },
  };
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
}

function onceAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
