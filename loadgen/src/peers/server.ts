/** Runs a peer as a child process: starts it, waits until it answers, kills it, starts it again on the same folder. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
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
    kill: async () => void (await release()),
    async stop() {
      const closed = once(child, 'close');
      child.kill('SIGTERM');
      const ended = await Promise.race([closed, pause(STOP_MS, null, { ref: false })]);
      await release();
      if (ended === null) throw failed(`did not stop within ${STOP_MS} ms`);
    },
  };
}
