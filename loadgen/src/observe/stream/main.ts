/**
 * The process of the stream clients: its program text, and nothing else.
 *
 * It ends with its parent, and leaves Ctrl-C, which reaches every process of a terminal's group, to it.
 */
import { serveCommands } from './process.ts';

process.on('SIGINT', () => undefined);
process.once('disconnect', () => process.exit(1));
serveCommands();
