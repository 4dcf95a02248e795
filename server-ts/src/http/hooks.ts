/** Handles `/api/hooks/claude-code`. */
import type { App } from '../app.ts';
import { readBody } from './body.ts';
import type { Exchange } from './exchange.ts';
import { hook } from './reply.ts';

/** `POST /api/hooks/claude-code` (rules HOK-01 to HOK-03 and ATT-10). */
export async function postClaudeCode(app: App, exchange: Exchange): Promise<void> {
  const { bytes, ticket } = await readBody(app, exchange, 1);
  try {
    const payload = app.attachments.payloadToKeep(bytes);
    const outcomes = await app.ingest.hook(bytes, ticket);
    const id = outcomes.ids[0];
    if (payload !== undefined && id !== undefined) await app.attachments.keepPayload(id, payload);
    hook(exchange, outcomes);
  } finally {
    ticket.release();
  }
}
