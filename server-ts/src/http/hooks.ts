/** Handles the routes of hooks, `/api/hooks/NAME`. */
import type { App } from '../app.ts';
import { mappingOf } from '../hooks.ts';
import { readBody } from './body.ts';
import type { Exchange } from './exchange.ts';
import { hook } from './reply.ts';

/** Handles `POST` of an agent's hook (rules HOK-01 to HOK-04). */
export async function postHook(app: App, exchange: Exchange): Promise<void> {
  const mapping = mappingOf(exchange.route!.path);
  const { bytes, ticket } = await readBody(app, exchange, 1);
  try {
    hook(exchange, await app.ingest.hook(bytes, mapping, ticket));
  } finally {
    ticket.release();
  }
}
