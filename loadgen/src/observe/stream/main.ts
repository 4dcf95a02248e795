/**
 * Entry point of the process with the stream clients.
 *
 * The process ends when its parent ends. It ignores Ctrl-C, which a terminal sends to the whole process group. The
 * parent handles Ctrl-C.
 */
import { serveCommands } from './process.ts';

process.on('SIGINT', () => undefined);
process.once('disconnect', () => process.exit(1));
serveCommands();
