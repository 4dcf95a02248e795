/** Handles `/v1/logs`, `/v1/metrics` and `/v1/traces`. */
import type { App } from '../app.ts';
import { nowMs } from '../clock.ts';
import { requestOf, rightAddress } from '../telemetry/otlp.ts';
import { readBody } from './body.ts';
import type { Exchange } from './exchange.ts';
import type { Head } from './head.ts';
import { contentChoice } from './negotiation.ts';
import { telemetry } from './reply.ts';

/** Handles `POST` of an OTLP request (rules OTL-01 and OTL-10). */
export async function postTelemetry(app: App, exchange: Exchange): Promise<void> {
  const { head, route } = exchange;
  exchange.telemetry = contentChoice(head, route!);
  const request = requestOf(route!.path);
  const { bytes, format, ticket } = await readBody(app, exchange, 1);
  try {
    const tally = await app.ingest.telemetry(bytes, format, request, ticket);
    if (app.telemetry.add(tally, nowMs()))
      app.log.warn('telemetry without a record; its names may be unknown');
    telemetry(exchange, request, tally.rejected());
  } finally {
    ticket.release();
  }
}

/** Returns what an answer of 404 or 405 adds for a request that an exporter sends to a wrong path (rule OTL-13). */
export function wrongPath(app: App, { method, path }: Head): string | undefined {
  const message = method === 'POST' ? rightAddress(path) : undefined;
  if (message !== undefined && app.telemetry.countWrongPath(path)) {
    app.log.warn({ path }, `telemetry at a wrong path; ${message}`);
  }
  return message;
}
