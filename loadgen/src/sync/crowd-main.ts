/** The process of the invalidation clients: its program text, and nothing else. It ends with its parent. */
import { serveCrowd } from './crowd-process.ts';

process.on('SIGINT', () => undefined);
process.once('disconnect', () => process.exit(1));
serveCrowd();
