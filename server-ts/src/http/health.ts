/** Handles `/api/health`, `/livez`, `/readyz` and `/api/openapi.json`. */
import type { App } from '../app.ts';
import { CONTRACT_VERSION, OPENAPI, SERVER_VERSION } from '../contract.ts';
import { Failure } from '../error.ts';
import type { Exchange } from './exchange.ts';
import { health, ok } from './reply.ts';

const ALIVE = '{"status":"ok"}';

/** `GET /livez` (rule HEA-02). */
export function getLive(_app: App, exchange: Exchange): void {
  ok(exchange, ALIVE);
}

/** `GET /readyz` (rule HEA-02). */
export function getReady(app: App, exchange: Exchange): void {
  if (app.isDraining) throw new Failure('draining', {}, true);
  ok(exchange, ALIVE);
}

/** `GET /api/health` (rule HEA-01). */
export async function getHealth(app: App, exchange: Exchange): Promise<void> {
  const figures = await app.store.health(exchange.response);
  const { reason } = figures;
  const { prices } = app.config;
  const json = {
    status: reason === undefined ? 'ok' : 'degraded',
    uptime: app.uptimeSeconds,
    sse_clients: app.places.taken,
    version: SERVER_VERSION,
    runtime: 'node',
    contract: CONTRACT_VERSION,
    durability: app.config.durability,
    sqlite_version: figures.sqliteVersion,
    journal_mode: figures.journalMode,
    synchronous: figures.synchronous,
    epoch: figures.epoch,
    db_bytes: figures.dbBytes,
    wal_bytes: figures.walBytes,
    queue_events: app.admission.events,
    telemetry: app.telemetry.json(),
    prices: prices === undefined ? null : { date: prices.date, models: prices.models },
    compile_options: figures.compileOptions,
    pragmas: figures.pragmas,
    ...(reason === undefined ? {} : { reason }),
  };
  health(exchange, JSON.stringify(json), reason !== undefined);
}

/** `GET /api/openapi.json` (rule HEA-03). */
export function getOpenApi(_app: App, exchange: Exchange): void {
  ok(exchange, OPENAPI);
}
