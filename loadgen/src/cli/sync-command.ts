/** The command `bench:sync`, with the servers and strategies that it is given. */
import { parseSuite } from '../plan/suite-options.ts';
import { type Dependencies, runSync, SYNC } from '../sync/command.ts';
import { runCommand } from './run-command.ts';

/** Runs the command and returns the exit code. */
export function syncCommand(argv: readonly string[], dependencies: Dependencies): Promise<number> {
  return runCommand('sync', parseSuite(SYNC, argv), (options, lifetime) =>
    runSync(argv, options, dependencies, lifetime),
  );
}
