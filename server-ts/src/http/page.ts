/**
 * Serves the built dashboard: `/`, `/app.js`, `/app.css` (rule PAG-01).
 *
 * The bundle contains the files as text, so a server needs no other files.
 */

import style from '../../../dashboard/dist/app.css?text';
import script from '../../../dashboard/dist/app.js?text';
import page from '../../../dashboard/dist/index.html?text';
import type { App } from '../app.ts';
import type { Exchange } from './exchange.ts';
import { page as reply } from './reply.ts';

/** `GET /` */
export function getPage(_app: App, exchange: Exchange): void {
  reply(exchange, 'text/html', page);
}

/** `GET /app.js` */
export function getScript(_app: App, exchange: Exchange): void {
  reply(exchange, 'text/javascript', script);
}

/** `GET /app.css` */
export function getStyles(_app: App, exchange: Exchange): void {
  reply(exchange, 'text/css', style);
}
