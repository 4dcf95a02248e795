/** Entry point of the process that sends: see `load-process.ts`. */
import { serveOrders } from './load-process.ts';

serveOrders();
