/** `pnpm bench:sync`: how clients stay in sync, and what that costs. */
import { runSync, SYNC } from '../sync/command.ts';
import { runSuite } from './run-suite.ts';

process.exitCode = await runSuite(SYNC, runSync);
