/**
 * Entry point of the reader's process.
 *
 * The process ends when its parent ends. It ignores Ctrl-C, which a terminal sends to the whole process group. The
 * parent handles Ctrl-C and reports what happened.
 */
import { readAsAsked } from './process.ts';

process.on('SIGINT', () => undefined);
process.once('disconnect', () => process.exit(1));
readAsAsked();
