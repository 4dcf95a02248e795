/**
 * `pnpm bench:diff A B`: lays two results beside each other. The story is in diff-command.ts.
 */
import { letReadersLeave } from '@twin-ingest/testkit/process/closed-output.ts';
import { diffCommand, REAL_CONTEXT } from './diff-command.ts';

letReadersLeave();
process.exitCode = await diffCommand(process.argv.slice(2), REAL_CONTEXT);
