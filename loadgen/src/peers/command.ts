/** The command `bench:peers`: both servers next to three stores of events that people know, in one run. */
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { finish, provenance, say, summaries, whole } from '../ladders/shared.ts';
import { loadPool } from '../load/pool.ts';
import type { Usage } from '../plan/parse.ts';
import { choosePlacement } from '../plan/placement.ts';
import { Helper } from '../run/helper.ts';
import type { Driven, Order } from './drive.ts';
import { measureRound, type Round } from './measure.ts';
import { type Found, PEER_POOL, type Peer } from './peer.ts';
import { PEERS } from './peers.ts';
import { type PeerRow, peersReport, type Skipped } from './report.ts';

export const PEERS_USAGE: Usage<'peers'> = {
  name: 'peers',
  about: `Measures both servers, NATS JetStream, Redis Streams and VictoriaLogs with the same events. Builds the programs
in Go first; a program that is not there is named and skipped. Build both servers first.`,
  exit: 'Exit: 0 measured, 1 a server or the measurement failed, 2 a flag is wrong, 130 interrupted.',
};

/** The number of rounds, the seconds of each load, and the file of the result. */
export interface PeersOptions {
  readonly rounds: number;
  readonly duration: number;
  readonly out: string | undefined;
}

export async function runPeers(options: PeersOptions, lifetime: Lifetime): Promise<undefined> {
  const { rounds, duration: duration_s, out } = options;
  const { found, skipped } = await findPeers(PEERS);
  const generator = startGenerator(lifetime);
  for (let round = 0; round < rounds; round++) {
    // Every second round has the opposite order, so that a drift of the machine cancels.
    for (const { peer, program, taken } of round % 2 === 0 ? found : found.toReversed()) {
      const figures = await measureRound(peer, program, generator, duration_s, lifetime);
      taken.push(figures);
      say(`round ${round + 1} of ${rounds}: ${peer.name}: ${whole(figures.events_per_s)} events/s`);
    }
  }
  const rows = found.map(({ peer, program, taken }) => rowOf(peer, program, taken));
  const event_bytes = (await loadPool(PEER_POOL)).facts.event_bytes.mean;
  const result = { ...provenance(), rounds, duration_s, event_bytes, rows, skipped };
  await finish('peers', out, result, peersReport(result));
}

/** Starts the process that drives every peer. */
export function startGenerator(lifetime: Lifetime): Helper<Order, Driven> {
  const program = new URL('./drive.ts', import.meta.url);
  return new Helper({ name: 'the generator', program, placement: choosePlacement(), lifetime });
}

/** Returns the servers whose programs are there, and the others with the reason, each title once. */
export async function findPeers(peers: readonly Peer[]) {
  const found: { readonly peer: Peer; readonly program: Found; readonly taken: Round[] }[] = [];
  const skipped: Skipped[] = [];
  for (const peer of peers) {
    const program = await peer.find();
    if (!('missing' in program)) found.push({ peer, program, taken: [] });
    else if (skipped.every(({ title }) => title !== peer.title))
      skipped.push({ title: peer.title, reason: program.missing });
  }
  return { found, skipped };
}

export function rowOf(peer: Peer, { version }: Found, rounds: readonly Round[]): PeerRow {
  const { name, title, durability, setting, repeated } = peer;
  return { name, title, version, durability, setting, repeated, figures: summaries(rounds) };
}
