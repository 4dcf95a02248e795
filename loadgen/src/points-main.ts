/**
 * `pnpm bench:points`: single figures about each server beside those of a comparison. The story is in
 * points/story.ts.
 */
import { pointsCommand } from './points/command.ts';

process.exitCode = await pointsCommand(process.argv.slice(2));
