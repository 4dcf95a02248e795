/** `pnpm bench:peers`: what other stores of events cost, next to both servers. */
import { PEERS_USAGE, runPeers } from '../peers/command.ts';
import { PEER_S } from '../plan/lengths.ts';
import { parseCommand } from '../plan/parse.ts';
import { runCommand } from './run-command.ts';

const parsed = parseCommand(PEERS_USAGE, process.argv.slice(2), ({ rounds, duration, out }) => ({
  rounds,
  duration: duration ?? PEER_S,
  out,
}));
process.exitCode = await runCommand('peers', parsed, runPeers);
