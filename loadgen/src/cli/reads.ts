/** `pnpm bench:reads`: what pages of a large database cost. */
import { parseCommand, type Usage } from '../plan/parse.ts';
import { runReads } from '../reads/reads.ts';
import { runCommand } from './run-command.ts';

const USAGE: Usage = {
  name: 'reads',
  about: `Measures pages of events and sessions of both servers, each the worst of its kind, and GET /api/stats during
eight of the longest pages. Build both servers first.`,
  exit: 'Exit: 0 measured, 1 a server or the measurement failed, 2 a flag is wrong, 130 interrupted.',
};

const parsed = parseCommand(USAGE, process.argv.slice(2), ({ stored }) => stored);
process.exitCode = await runCommand('reads', parsed, runReads);
