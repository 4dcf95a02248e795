/**
 * One round of a peer: a closed loop, an open loop, and a kill under load, in a fresh folder.
 *
 * Invariant: a round has a result only if the server has stored at least what it acknowledged before the kill.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { BenchFailure } from '../failure.ts';
import { createProbe } from '../observe/probe.ts';
import { folderBytes } from '../observe/size.ts';
import type { Helper } from '../run/helper.ts';
import type { Driven, Order } from './drive.ts';
import { type Found, LOAD, type Peer } from './peer.ts';
import { startPeer } from './server.ts';

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

const probe = createProbe();

export async function measureRound(
  peer: Peer,
  found: Found,
  generator: Helper<Order, Driven>,
  duration_s: number,
  lifetime: Lifetime,
): Promise<Round> {
  const folder = await lifetime.temporaryFolder();
  let server = await startPeer(peer, found, folder.path, lifetime);
  await peer.prepare?.(server.port);
  let first = 0;
  let acknowledged = 0;
  const drive = async (seconds: number, rate: number | null, crashes = false): Promise<Driven> => {
    const { connections, batch } = LOAD;
    const target = { protocol: peer.protocol, port: server.port };
    const order = { ...target, connections, batch, first, rate, duration_s: seconds, crashes };
    const driven = await generator.ask(order, 'driven');
    first += driven.sent_events;
    acknowledged += driven.acknowledged_events;
    return driven;
  };
  const timed = async (rate: number | null) => {
    const before = await probe(server.pid);
    const driven = await drive(duration_s, rate);
    const { cpu_us, peak_rss_bytes } = await probe(server.pid);
    const used = cpu_us === null || before.cpu_us === null ? null : cpu_us - before.cpu_us;
    return {
      ...driven,
      peak_rss_bytes,
      cpu_us_per_event: used === null ? null : used / driven.acknowledged_events,
    };
  };
  await drive(LOAD.warm_up_s, null);
  const closed = await timed(null);
  const open = await timed(LOAD.rate);
  const stored = await peer.stored(server.port);
  if (stored !== acknowledged) {
    throw new BenchFailure(
      'audit_failed',
      `${peer.title} has ${stored} events, and acknowledged ${acknowledged}`,
    );
  }
  const dying = drive(LOAD.crash_s * 10, null, true);
  await pause(LOAD.crash_s * 1000);
  await server.kill();
  await dying;
  server = await startPeer(peer, found, folder.path, lifetime);
  const after = await peer.stored(server.port);
  await server.stop();
  const bytes = await folderBytes(folder.path);
  await folder.release();
  return {
    events_per_s: closed.acknowledged_events / closed.seconds,
    cpu_us_per_event: closed.cpu_us_per_event,
    p99_ms: open.p99_ms,
    open_cpu_us_per_event: open.cpu_us_per_event,
    peak_rss_bytes: open.peak_rss_bytes,
    bytes_per_event: after === 0 ? null : bytes / after,
    lost_events: Math.max(0, acknowledged - after),
  };
}
