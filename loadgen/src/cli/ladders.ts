/** `pnpm bench:ladders`: how the cost of an event grows. */
import { LADDERS_USAGE, pickLadders, runLadders } from '../ladders/command.ts';
import { parseCommand } from '../plan/parse.ts';
import { runCommand } from './run-command.ts';

const parsed = parseCommand(LADDERS_USAGE, process.argv.slice(2), ({ pick, out }, problems) => ({
  names: pickLadders(pick, problems),
  out,
}));
process.exitCode = await runCommand('ladders', parsed, runLadders);
