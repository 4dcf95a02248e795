/** `pnpm bench:sync`: how clients stay in sync, and what that costs. */
import { parseSuite } from '../plan/suite-options.ts';
import { REAL_CONTENDERS } from '../run/contenders.ts';
import { runSync, SYNC } from '../sync/command.ts';
import { STRATEGIES } from '../sync/strategies.ts';
import { runCommand } from './run-command.ts';

const argv = process.argv.slice(2);
process.exitCode = await runCommand('sync', parseSuite(SYNC, argv), (options, lifetime) =>
  runSync(argv, options, REAL_CONTENDERS, STRATEGIES, lifetime),
);
