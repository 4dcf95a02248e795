/** Handles `/api/health`, `/livez`, `/readyz` and `/api/openapi.json`. */
import type { App } from '../app.ts';
import { centsOf, dayOf, dollarsJson } from '../budget.ts';
import { nowMs } from '../clock.ts';
import { CONTRACT_VERSION, OPENAPI, SERVER_VERSION } from '../contract.ts';
import { Failure } from '../error.ts';
import type { Prices } from '../prices.ts';
import { isLow } from '../store/disk.ts';
import { formatTimestamp } from '../timestamp.ts';
import type { Exchange } from './exchange.ts';
import { health, notReady, ok } from './reply.ts';

const ALIVE = '{"status":"ok"}';

/** `GET /livez` (rule HEA-02). */
export function getLive(_app: App, exchange: Exchange): void {
  ok(exchange, ALIVE);
}

/** `GET /readyz` (rule HEA-02). */
export function getReady(app: App, exchange: Exchange): void {
  const { fault } = app;
  if (fault === 'draining') throw new Failure('draining', {}, true);
  if (fault === undefined) ok(exchange, ALIVE);
  else notReady(exchange, fault);
}

/** `GET /api/health` (rule HEA-01). */
export async function getHealth(app: App, exchange: Exchange): Promise<void> {
  const figures = await app.store.health(exchange.response);
  const budget = await budgetOf(app, exchange);
  const { reason, disk, lastFault } = figures;
  const { prices, redaction } = app.config;
  const json = {
    status: reason === undefined ? 'ok' : 'degraded',
    uptime: app.uptimeSeconds,
    sse_clients: app.places.taken,
    version: SERVER_VERSION,
    runtime: 'node',
    contract: CONTRACT_VERSION,
    command_name: app.config.commandName,
    time_zone: app.config.timeZone.name,
    durability: app.config.durability,
    sqlite_version: figures.sqliteVersion,
    journal_mode: figures.journalMode,
    synchronous: figures.synchronous,
    epoch: figures.epoch,
    db_bytes: figures.dbBytes,
    wal_bytes: figures.walBytes,
    attachment_bytes: app.attachments.bytes,
    attachments_aside: app.store.attachmentsAside,
    disk_free_bytes: disk.freeBytes,
    disk_low: isLow(disk),
    last_fault:
      lastFault === undefined ? null : { code: lastFault.code, at: formatTimestamp(lastFault.atMs) },
    queue_events: app.admission.events,
    telemetry: app.telemetry.json(),
    prices: prices === undefined ? null : pricesJson(prices),
    redaction:
      redaction === undefined
        ? null
        : { ...redaction.counts, events: app.ingest.redacted, attachments: app.attachments.redacted },
    budget,
    forwarding: forwardingJson(app),
    compile_options: figures.compileOptions,
    pragmas: figures.pragmas,
    ...clusterJson(app),
    ...(reason === undefined ? {} : { reason }),
  };
  health(exchange, JSON.stringify(json), reason !== undefined);
}

/** Returns where the prices come from (rule PRI-07). */
function pricesJson({ file, builtIn }: Prices): object {
  const { date, models } = file ?? builtIn;
  return { date, models, source: file === undefined ? 'built-in' : 'file', built_in_date: builtIn.date };
}

/** Returns the budget and the cost of the day; null without `--budget-usd-day` (rule NOT-05). */
async function budgetOf(app: App, exchange: Exchange): Promise<object | null> {
  const { budgetCents, timeZone } = app.config;
  if (budgetCents === undefined) return null;
  const { date, startS, endS } = dayOf(timeZone, nowMs());
  const { usd, unpriced_tokens } = await app.store.dayCost(startS, endS, exchange.response);
  const [usd_day, cost_usd] = [dollarsJson(budgetCents), dollarsJson(centsOf(usd))];
  return { day: date, usd_day, cost_usd, unpriced_tokens };
}

/** Returns the progress of forwarding; null without `--forward`. */
function forwardingJson({ forwarder }: App): object | null {
  if (forwarder === undefined) return null;
  const { waiting, lastMs, failure = null } = forwarder.status;
  const last_at = lastMs > 0 ? formatTimestamp(lastMs) : null;
  return { to: forwarder.host, waiting, last_at, failure };
}

/** Returns the progress of the copy as a member; none without `--store jetstream` (rule CLU-07). */
function clusterJson({ cluster }: App): object {
  if (cluster === undefined) return {};
  const { stream, isConnected: connected } = cluster;
  const { applied, waiting, failure = null } = cluster.status;
  return { cluster: { stream, connected, applied, waiting, failure } };
}

/** `GET /api/openapi.json` (rule HEA-03). */
export function getOpenApi(_app: App, exchange: Exchange): void {
  ok(exchange, OPENAPI);
}
