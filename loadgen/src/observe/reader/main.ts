/**
 * The reader's process: its program text, and nothing else.
 *
 * It ends with its parent. Ctrl-C reaches every process of a terminal's group; here it is the parent's to act
 * upon, so that it can say what happened.
 */
import { readAsAsked } from './process.ts';

process.on('SIGINT', () => undefined);
process.once('disconnect', () => process.exit(1));
readAsAsked();
