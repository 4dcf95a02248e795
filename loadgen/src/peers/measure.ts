/**
 * One round of a peer: a closed loop, an open loop, and a kill under load, in a fresh folder.
 *
 * Invariant: a round has a result only if the server has stored at least what it acknowledged before the kill.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { freePorts } from '@twin-ingest/testkit/servers/free-port.ts';
import { tail } from '@twin-ingest/testkit/servers/server.ts';
import { BenchFailure } from '../failure.ts';
import { withCost } from '../ladders/shared.ts';
import { folderBytes } from '../observe/size.ts';
import { endProcess } from '../run/helper.ts';
import { type Driven, drive, type Generator } from './drive.ts';
import { type Found, LOAD, type Peer } from './peer.ts';

export interface Round {
  readonly events_per_s: number;
  readonly cpu_us_per_event: number | null;
  /** Of the open loop. */
  readonly p99_ms: number | null;
  readonly open_cpu_us_per_event: number | null;
  readonly peak_rss_bytes: number | null;
  /** Bytes of the folder after a clean stop, per stored event; `null` when the kill left none. */
  readonly bytes_per_event: number | null;
  /** Number of acknowledged events that the server did not have after a kill and a start. */
  readonly lost_events: number;
}

export async function measureRound(
  peer: Peer,
  found: Found,
  generator: Generator,
  duration_s: number,
  lifetime: Lifetime,
): Promise<Round> {
  const folder = await lifetime.temporaryFolder();
  let server = await startPeer(peer, found, folder.path, lifetime);
  let first = 0;
  let acknowledged = 0;
  const load = async (seconds: number, rate: number | null, crashes = false): Promise<Driven> => {
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
  server = await startPeer(peer, found, folder.path, lifetime);
  const after = await peer.stored(server.port);
  await server.stop();
  const bytes = await folderBytes(folder.path);
  await folder.release();
  return {
    events_per_s: closed.acknowledged_events / closed.seconds,
    cpu_us_per_event: closed.cpuPer(closed.acknowledged_events),
    p99_ms: open.p99_ms,
    open_cpu_us_per_event: open.cpuPer(open.acknowledged_events),
    peak_rss_bytes: open.peak_rss_bytes,
    bytes_per_event: after === 0 ? null : bytes / after,
    lost_events: Math.max(0, acknowledged - after),
  };
}

const PATIENCE_MS = 60_000;
const POLL_MS = 20;

/** Starts a peer as a child process on a folder that may have its events; resolves when it answers. */
async function startPeer(peer: Peer, { path }: Found, folder: string, lifetime: Lifetime) {
  const port = (await freePorts(1))[0]!;
  const flags = await peer.flags(folder, port);
  const child = spawn(path, flags, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
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
