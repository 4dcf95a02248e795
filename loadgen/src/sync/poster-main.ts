/** Entry point of the process that posts. It ends with its parent, and leaves Ctrl-C to the parent. */
import { serveOrders } from './poster-process.ts';

process.on('SIGINT', () => undefined);
process.once('disconnect', () => process.exit(1));
serveOrders();
