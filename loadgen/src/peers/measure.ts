/**
 * A server of the comparison, and one round of it: a closed loop, an open loop, and a kill under load, in a fresh folder.
 *
 * Invariant: a round has a result only if the server has stored at least what it acknowledged before the kill.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { NatsMissing, NatsProgram } from '@twin-ingest/testkit/nats/program.ts';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { freePorts } from '@twin-ingest/testkit/servers/free-port.ts';
import { tail } from '@twin-ingest/testkit/servers/server.ts';
import { BenchFailure } from '../failure.ts';
import { withCost } from '../ladders/shared.ts';
import { folderBytes } from '../observe/size.ts';
import { endProcess } from '../run/helper.ts';
import { drive, type Generator, LOAD } from './drive.ts';
import type { Protocol } from './protocol.ts';

/**
 * Where an event is when the server acknowledges it: synced to disk, handed to the kernel, or in memory. A kill of the
 * process loses only what is in its memory; a power cut loses what is not synced.
 */
export type Class = 'disk' | 'kernel' | 'memory';

export interface Peer {
  readonly name: string;
  readonly title: string;
  readonly durability: Class;
  /** The setting that gives this class, as its documentation names it. */
  readonly setting: string;
  /** What happens to a repeated `event_id`. */
  readonly repeated: string;
  readonly protocol: Protocol;
  /** Returns the path of the program and its version, or why it is not there. */
  find(): Promise<NatsProgram | NatsMissing>;
  /** Returns the arguments of the program; may write a configuration to the folder. */
  flags(folder: string, port: number): Promise<readonly string[]>;
  /**
   * Returns the number of stored events; creates what events go to, where that must be done. Rejects while the server
   * does not answer.
   */
  stored(port: number): Promise<number>;
}

export type Round = Awaited<ReturnType<typeof measureRound>>;

/** Measures a round with loads of `duration_s` seconds. `program` is the path of the server's program. */
export async function measureRound(peer: Peer, program: string, generator: Generator, duration_s: number) {
  const { lifetime } = generator;
  const folder = await lifetime.temporaryFolder();
  let server = await startPeer(peer, program, folder.path, lifetime);
  let first = 0;
  let acknowledged = 0;
  const load = async (seconds: number, rate: number | null, crashes = false) => {
    const order = { protocol: peer.protocol, port: server.port, first, rate, duration_s: seconds, crashes };
    const driving = drive(generator, order).catch((error: Error) => {
      throw new BenchFailure('server_failed', `${peer.title}: ${error.message}`);
    });
    const driven = await lifetime.orInterrupted(driving);
    first += driven.sent_events;
    acknowledged += driven.acknowledged_events;
    return driven;
  };
  await load(LOAD.warm_up_s, null);
  const closed = await withCost(server.pid, () => load(duration_s, null));
  const open = await withCost(server.pid, () => load(duration_s, LOAD.rate));
  const stored = await peer.stored(server.port);
  const counts = `has ${stored} events, and acknowledged ${acknowledged}`;
  if (stored !== acknowledged) throw new BenchFailure('audit_failed', `${peer.title} ${counts}`);
  const crash = pause(LOAD.crash_s * 1000).then(server.kill);
  await Promise.all([load(LOAD.crash_s * 10, null, true), crash]);
  server = await startPeer(peer, program, folder.path, lifetime);
  const after = await peer.stored(server.port);
  await server.stop();
  const bytes = await folderBytes(folder.path);
  await folder.release();
  return {
    events_per_s: closed.acknowledged_events / closed.seconds,
    cpu_us_per_event: closed.cpuPer(closed.acknowledged_events),
    /** Of the open loop. */
    p99_ms: open.p99_ms,
    open_cpu_us_per_event: open.cpuPer(open.acknowledged_events),
    peak_rss_bytes: open.peak_rss_bytes,
    /** Bytes of the folder after a clean stop, per stored event; `null` when the kill left none. */
    bytes_per_event: after === 0 ? null : bytes / after,
    /** Number of acknowledged events that the server did not have after a kill and a start. */
    lost_events: Math.max(0, acknowledged - after),
  };
}

const PATIENCE_MS = 60_000;
const POLL_MS = 20;

/** Starts a peer as a child process on a folder that may have its events; resolves when it answers. */
async function startPeer(peer: Peer, program: string, folder: string, lifetime: Lifetime) {
  const port = (await freePorts(1))[0]!;
  const flags = await peer.flags(folder, port);
  const child = spawn(program, flags, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const kill = lifetime.add(() => endProcess(child));
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-2_000);
  });
  const failed = (what: string) => new BenchFailure('server_failed', `${peer.title} ${what}`, tail(said));
  const until = performance.now() + PATIENCE_MS;
  while ((await peer.stored(port).catch(() => null)) === null) {
    lifetime.signal.throwIfAborted();
    if (child.exitCode !== null || child.signalCode !== null) throw failed('ended at its start');
    if (performance.now() > until) throw failed(`did not answer within ${PATIENCE_MS} ms`);
    await pause(POLL_MS);
  }
  return {
    port,
    pid: child.pid!,
    kill,
    /** Sends SIGTERM and waits for the end. */
    async stop(): Promise<void> {
      child.kill('SIGTERM');
      await once(child, 'close', { signal: AbortSignal.timeout(PATIENCE_MS) });
    },
  };
}
