/** Handles `/api/stats`, `/api/stats/tools`, `/api/stats/cost` and `/api/filter-options`. */
import type { App } from '../app.ts';
import { Failure } from '../error.ts';
import type { JsonRead } from '../store/read.ts';
import { QUARTER_MS } from '../store/stats.ts';
import type { StatsFilter } from '../store/totals.ts';
import { isInRange } from '../timestamp.ts';
import type { Exchange } from './exchange.ts';
import type { Parameters } from './parameters.ts';
import { ok } from './reply.ts';

/** `GET /api/stats` (rule STA-01). */
export async function getStats(app: App, exchange: Exchange, parameters: Parameters): Promise<void> {
  ok(exchange, await readStats(app, exchange, parameters));
}

/** Reads the statistics for these parameters, as JSON text (rule RPC-05). */
export function readStats(app: App, exchange: Exchange, parameters: Parameters): Promise<Uint8Array> {
  return jsonOf(app, exchange, { kind: 'stats', filter: statsFilter(parameters) });
}

/** `GET /api/stats/tools` (rule STA-02). */
export function getTools(app: App, exchange: Exchange, parameters: Parameters): Promise<void> {
  return answer(app, exchange, { kind: 'tools', filter: statsFilter(parameters) });
}

/** `GET /api/stats/cost` (rule STA-03). */
export function getCosts(app: App, exchange: Exchange, parameters: Parameters): Promise<void> {
  const limit = parameters.number('timeline_limit')!;
  return answer(app, exchange, { kind: 'costs', filter: statsFilter(parameters), limit });
}

/** `GET /api/filter-options` (rule GET-08). */
export function getFilterOptions(app: App, exchange: Exchange): Promise<void> {
  return answer(app, exchange, { kind: 'filter_options' });
}

/** Rounds `since` down and `until` up to its quarter of an hour (rule STA-05). The last quarter of all times has no end. */
function statsFilter(parameters: Parameters): StatsFilter {
  const [since, until] = [parameters.number('since'), parameters.number('until')];
  const end = until === undefined ? undefined : Math.ceil(until / QUARTER_MS) * QUARTER_MS;
  return {
    agentType: parameters.text('agent_type'),
    since: since === undefined ? undefined : Math.floor(since / QUARTER_MS) * QUARTER_MS,
    until: end === undefined || isInRange(end) ? end : until,
  };
}

async function answer(app: App, exchange: Exchange, read: JsonRead): Promise<void> {
  ok(exchange, await jsonOf(app, exchange, read));
}

async function jsonOf(app: App, exchange: Exchange, read: JsonRead): Promise<Uint8Array> {
  const json = await app.store.json(read, exchange.response);
  if (json === undefined) throw new Failure('internal');
  return json;
}
