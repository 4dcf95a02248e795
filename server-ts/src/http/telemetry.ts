/** Handles `/v1/logs`, `/v1/metrics` and `/v1/traces`. */
import type { App } from '../app.ts';
import { nowMs } from '../clock.ts';
import { requestOf } from '../telemetry/otlp.ts';
import { readBody } from './body.ts';
import type { Exchange } from './exchange.ts';
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
    app.telemetry.add(tally, nowMs());
    telemetry(exchange, request, tally.rejected());
  } finally {
    ticket.release();
  }
}
