/** Handles `/api/sessions` and `/api/sessions/{id}`. */
import type { App } from '../app.ts';
import { Failure } from '../error.ts';
import type { SessionFilter } from '../store/query.ts';
import { isWellFormed, percentDecode } from '../text.ts';
import type { Exchange } from './exchange.ts';
import type { Parameters } from './parameters.ts';
import { ok } from './reply.ts';

/** `GET /api/sessions` (rule SES-01). */
export async function listSessions(app: App, exchange: Exchange, parameters: Parameters): Promise<void> {
  const filter: SessionFilter = {
    status: parameters.text('session_status'),
    excludeStatus: parameters.text('exclude_status'),
    agentType: parameters.text('agent_type'),
    project: parameters.text('project'),
    since: parameters.number('since'),
    before: parameters.number('before'),
    limit: parameters.number('limit')!,
  };
  const json = await app.store.json({ kind: 'list_sessions', filter }, exchange.response);
  if (json === undefined) throw new Failure('internal');
  ok(exchange, json);
}

/** `GET /api/sessions/{id}` (rule SES-04). */
export async function getSession(app: App, exchange: Exchange, parameters: Parameters): Promise<void> {
  const id = percentDecode(exchange.head.path.slice('/api/sessions/'.length), false);
  if (id === undefined || !isWellFormed(id)) throw new Failure('not_found');
  const limit = parameters.number('limit')!;
  const json = await app.store.json({ kind: 'get_session', id, limit }, exchange.response);
  if (json === undefined) throw new Failure('not_found');
  ok(exchange, json);
}
