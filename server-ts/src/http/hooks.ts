/** Handles `/api/hooks/claude-code`. */
import type { App } from '../app.ts';
import { readBody } from './body.ts';
import type { Exchange } from './exchange.ts';
import { hook } from './reply.ts';

/** `POST /api/hooks/claude-code` (rule HOK-01). */
export async function postClaudeCode(app: App, exchange: Exchange): Promise<void> {
  const { bytes, ticket } = await readBody(app, exchange, 1);
  try {
    hook(exchange, await app.ingest.hook(bytes, ticket));
  } finally {
    ticket.release();
  }
}
