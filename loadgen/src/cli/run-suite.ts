/** Runs a suite with the arguments of this process. Returns the exit code. */
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { parseSuite, type SuiteOptions, type SuiteUsage } from '../plan/suite-options.ts';
import { type Contenders, REAL_CONTENDERS } from '../run/contenders.ts';
import { runCommand } from './run-command.ts';

export function runSuite<Scenario extends string>(
  usage: SuiteUsage<Scenario>,
  run: (options: SuiteOptions<Scenario>, contenders: Contenders, lifetime: Lifetime) => Promise<undefined>,
  contenders = REAL_CONTENDERS,
): Promise<number> {
  const parsed = parseSuite(usage, process.argv.slice(2));
  return runCommand(usage.name, parsed, (options, lifetime) => run(options, contenders, lifetime));
}
