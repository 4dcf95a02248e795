/** Handles `GET /metrics` (rules MTR-01 to MTR-05). */
import type { App } from '../app.ts';
import { metricsText } from '../metrics.ts';
import type { Exchange } from './exchange.ts';
import { metrics } from './reply.ts';

/** `GET /metrics` (rule MTR-01). */
export async function getMetrics(app: App, exchange: Exchange): Promise<void> {
  const { store, config } = app;
  // A scrape must work while the database does not, so a failed read leaves the last value.
  app.retainedBytes = await retainedBytes(app, exchange).catch(() => app.retainedBytes);
  const [{ dbBytes, walBytes }, disk] = await Promise.all([store.sizes(), store.disk()]);
  const { clients: eventClients } = app.hub;
  const forward = app.forwarder?.status;
  const text = await metricsText(store.meters, {
    runtime: 'node',
    attachmentsBytes: app.attachments.bytes,
    databaseBytes: dbBytes,
    walBytes,
    diskFreeBytes: disk.freeBytes,
    diskSizeBytes: disk.sizeBytes,
    queueEvents: app.admission.events,
    queueLimitEvents: config.queueEvents,
    isReady: app.fault === undefined,
    retentionLimitBytes: store.bounds.bytes,
    retentionLimitDays: store.bounds.days,
    retentionUsedBytes: app.retainedBytes,
    eventClients,
    invalidateClients: Math.max(app.places.taken - eventClients, 0),
    forwardEvents: forward?.events ?? 0,
    forwardFailures: forward?.failures ?? 0,
    forwardLastMs: forward?.lastMs ?? 0,
    forwardLostEvents: forward?.lost ?? 0,
    forwardRefusedEvents: forward?.refused ?? 0,
    forwardWaitingEvents: forward?.waiting ?? 0,
    startTimeMs: app.startTimeMs,
  });
  metrics(exchange, text);
}

/** Returns the bytes of rule RET-02. */
async function retainedBytes(app: App, exchange: Exchange): Promise<number> {
  const { bounds } = app.store;
  const json = await app.store.json({ kind: 'retention', bounds }, exchange.response);
  const { used_bytes: used } = JSON.parse(Buffer.from(json!).toString('utf8')) as { used_bytes: number };
  return used;
}
