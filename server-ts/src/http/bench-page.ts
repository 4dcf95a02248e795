/** Serves the built page of measurements, with `--bench` alone (rule BEN-05). */

import style from '../../../dashboard/dist/bench.css?text';
import page from '../../../dashboard/dist/bench.html?text';
import script from '../../../dashboard/dist/bench.js?text';
import worker from '../../../dashboard/dist/bench-worker.js?text';
import type { App } from '../app.ts';
import type { Exchange } from './exchange.ts';
import { benchPage as reply } from './reply.ts';

/** `GET /bench/` */
export function getBenchPage(_app: App, exchange: Exchange): void {
  reply(exchange, 'text/html', page);
}

/** `GET /bench/app.js` */
export function getBenchScript(_app: App, exchange: Exchange): void {
  reply(exchange, 'text/javascript', script);
}

/** `GET /bench/worker.js` */
export function getBenchWorker(_app: App, exchange: Exchange): void {
  reply(exchange, 'text/javascript', worker);
}

/** `GET /bench/app.css` */
export function getBenchStyles(_app: App, exchange: Exchange): void {
  reply(exchange, 'text/css', style);
}
