/**
 * `pnpm bench:points`: single figures about each server beside those of a comparison. The story is in
 * points/story.ts.
 */
import { letReadersLeave } from '@twin-ingest/testkit/process/closed-output.ts';
import { pointsCommand } from './points/command.ts';

letReadersLeave();
process.exitCode = await pointsCommand(process.argv.slice(2));
