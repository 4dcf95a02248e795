/** The process that posts: its program text, and nothing else. It ends with its parent, and leaves Ctrl-C to it. */
import { serveOrders } from './poster-process.ts';

process.on('SIGINT', () => undefined);
process.once('disconnect', () => process.exit(1));
serveOrders();
