/** The command `bench:peers`: both servers next to three stores of events that people know, in one run. */
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { finish, say, whole } from '../ladders/report.ts';
import { loadPool } from '../load/pool.ts';
import { readEnvironment } from '../observe/environment.ts';
import type { Usage } from '../plan/parse.ts';
import { choosePlacement } from '../plan/placement.ts';
import { Helper } from '../run/helper.ts';
import type { Driven, Order } from './drive.ts';
import { measureRound, type Round } from './measure.ts';
import { type Found, LOAD, PEER_POOL, type Peer } from './peer.ts';
import { PEERS } from './peers.ts';
import { type PeersResult, peersReport, rowOf, type Skipped } from './report.ts';

export const PEERS_USAGE: Usage<'peers'> = {
  name: 'peers',
  about: `Measures both servers, NATS JetStream, Redis Streams and VictoriaLogs with the same events. Builds the programs
in Go first; a program that is not there is named and skipped. Build both servers first.`,
  exit: 'Exit: 0 measured, 1 a server or the measurement failed, 2 a flag is wrong, 130 interrupted.',
};

export interface PeersOptions {
  readonly rounds: number;
  readonly duration: number;
  readonly out: string | undefined;
}

export async function runPeers(options: PeersOptions, lifetime: Lifetime): Promise<undefined> {
  const { rounds, duration, out } = options;
  const { found, skipped } = await findPeers(PEERS);
  const pool = await loadPool(PEER_POOL);
  const environment = readEnvironment();
  const perRound = 2 * duration + LOAD.warm_up_s + LOAD.crash_s + 2;
  say(
    `${found.length} servers, ${rounds} rounds: about ${Math.ceil((found.length * rounds * perRound) / 60)} min`,
  );
  const generator = startGenerator(lifetime);
  for (let round = 0; round < rounds; round++) {
    // Every second round has the opposite order, so that a drift of the machine cancels.
    for (const { peer, program, rounds: taken } of round % 2 === 0 ? found : found.toReversed()) {
      const figures = await measureRound(peer, program, generator, duration, lifetime);
      taken.push(figures);
      say(`round ${round + 1}: ${peer.name}: ${whole(figures.events_per_s)} events/s`);
    }
  }
  const result: PeersResult = {
    measured_on: new Date().toISOString().slice(0, 10),
    environment,
    rounds,
    duration_s: duration,
    event_bytes: pool.facts.event_bytes.mean,
    rows: found.map(({ peer, program, rounds: taken }) => rowOf(peer, program.version, taken)),
    skipped,
  };
  await finish('peers', out, result, peersReport(result));
}

/** Starts the process that drives every peer. */
export function startGenerator(lifetime: Lifetime): Helper<Order, Driven> {
  const program = new URL('./drive.ts', import.meta.url);
  return new Helper({ name: 'the generator', program, placement: choosePlacement(), lifetime });
}

/** Returns the servers whose programs are there, and the others with the reason. */
export async function findPeers(peers: readonly Peer[]) {
  const found: { readonly peer: Peer; readonly program: Found; readonly rounds: Round[] }[] = [];
  const reasons = new Map<string, string>();
  for (const peer of peers) {
    const program = await peer.find();
    if ('missing' in program) reasons.set(peer.title, program.missing);
    else found.push({ peer, program, rounds: [] });
  }
  const skipped = [...reasons].map(([title, reason]): Skipped => ({ title, reason }));
  for (const { title, reason } of skipped) say(`skipped: ${title}: ${reason}`);
  return { found, skipped };
}
