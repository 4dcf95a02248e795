/** `pnpm bench:peers`: what other stores of events cost, next to both servers, in one run. */
import { finish, provenance, say, whole } from '../ladders/shared.ts';
import { startGenerator } from '../peers/drive.ts';
import { measureRound } from '../peers/measure.ts';
import { findPeers } from '../peers/peers.ts';
import { peersReport, rowOf } from '../peers/report.ts';
import { PEER_S } from '../plan/lengths.ts';
import { parseCommand, type Usage } from '../plan/parse.ts';
import { PEERS, resultFile } from '../result/files.ts';
import { runCommand } from './run-command.ts';

const USAGE: Usage = {
  name: 'peers',
  about: `Measures both servers, NATS JetStream, Redis Streams and VictoriaLogs with the same events. Builds the programs
in Go first; a program that is not there is named and skipped. Build both servers first.`,
  exit: 'Exit: 0 measured, 1 a server or the measurement failed, 2 a flag is wrong, 130 interrupted.',
};

const parsed = parseCommand(USAGE, process.argv.slice(2), (values) => values);
process.exitCode = await runCommand('peers', parsed, async (values, lifetime) => {
  const { rounds, duration: duration_s = PEER_S } = values;
  const from = provenance();
  const file = resultFile(PEERS, values, from.environment);
  const { found, skipped } = await findPeers();
  const generator = await startGenerator(lifetime);
  for (let round = 1; round <= rounds; round++) {
    // Every second round has the opposite order, so that a drift of the machine cancels.
    for (const { peer, program, rounds: taken } of round % 2 === 1 ? found : found.toReversed()) {
      const figures = await measureRound(peer, program.path, generator, duration_s);
      taken.push(figures);
      say(`round ${round} of ${rounds}: ${peer.name}: ${whole(figures.events_per_s)} events/s`);
    }
  }
  const rows = found.map(({ peer, program, rounds: taken }) => rowOf(peer, program.version, taken));
  const event_bytes = generator.pool.facts.event_bytes.mean;
  const result = { ...from, rounds, duration_s, event_bytes, rows, skipped };
  await finish(file, result, peersReport(result));
  return 0;
});
