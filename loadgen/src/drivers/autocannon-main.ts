/**
 * The generator's process: its program text, and nothing else.
 *
 * It ends with its parent, since a generator without one would load a server for nobody.
 */
import { serveCommands } from './autocannon-process.ts';

process.once('disconnect', () => process.exit(1));
serveCommands();
