/** Entry point of the process that holds the invalidation clients. It ends with its parent. */
import { serveCrowd } from './crowd-process.ts';

process.on('SIGINT', () => undefined);
process.once('disconnect', () => process.exit(1));
serveCrowd();
