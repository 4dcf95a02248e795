/**
 * `pnpm packages:tools`: installs the tools of the registry tests, which two test files use at the same time.
 */
import { answerHelp } from '@twin-ingest/testkit/process/usage.ts';
import { registryTools } from './tools.ts';

answerHelp(`Usage: pnpm packages:tools

Installs a registry, npm and three versions of Node for pnpm packages:test, and prints where they are.
`);
process.stdout.write(`${await registryTools()}\n`);
