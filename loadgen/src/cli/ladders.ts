/** `pnpm bench:ladders`: what an event costs as sessions, names, rows, sizes, clients and batches grow. */
import { climb } from '../ladders/climb.ts';
import { LADDERS, pickLadders } from '../ladders/ladders.ts';
import { laddersReport } from '../ladders/report.ts';
import { finish, provenance } from '../ladders/shared.ts';
import { parseCommand, type Usage } from '../plan/parse.ts';
import { LADDERS as COMMITTED, resultFile } from '../result/files.ts';
import { runCommand } from './run-command.ts';

const USAGE: Usage = {
  name: 'ladders',
  about: `Measures the CPU time of an event on both servers while one property grows: ${LADDERS.map(({ name }) => name).join(', ')}.
Takes about ten minutes and 4 GB of disk for the ten million rows. Build both servers first.`,
  exit: 'Exit: 0 measured, 1 a server or the measurement failed, 2 a flag is wrong, 130 interrupted.',
};

const parsed = parseCommand(USAGE, process.argv.slice(2), ({ pick, ...rest }, problems) => ({
  picked: pickLadders(pick, problems),
  ...rest,
}));
process.exitCode = await runCommand('ladders', parsed, async ({ picked, ...rest }, lifetime) => {
  const from = provenance();
  const file = resultFile(COMMITTED, rest, from.environment);
  const ladders = await Array.fromAsync(picked, (ladder) => climb(ladder, lifetime));
  const result = { ...from, ladders };
  await finish(file, result, laddersReport(result, false));
  return 0;
});
