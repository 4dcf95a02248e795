/** `pnpm bench:reads`: what pages of a large database cost. */
import { parseCommand } from '../plan/parse.ts';
import { READS, runReads } from '../reads/command.ts';
import { runCommand } from './run-command.ts';

const parsed = parseCommand(READS, process.argv.slice(2), ({ stored }) => ({ stored }));
process.exitCode = await runCommand('reads', parsed, runReads);
