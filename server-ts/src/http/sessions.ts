/** Handles `/api/sessions`, `/api/sessions/{id}` and `/api/sessions/{id}/dismiss`. */
import type { App } from '../app.ts';
import { Failure } from '../error.ts';
import { type Place, parsePlace } from '../render.ts';
import type { SessionFilter } from '../store/session-query.ts';
import { isWellFormed, percentDecode } from '../text.ts';
import type { Exchange } from './exchange.ts';
import type { Parameters } from './parameters.ts';
import { ok } from './reply.ts';

/** `GET /api/sessions` (rule SES-01). */
export async function listSessions(app: App, exchange: Exchange, parameters: Parameters): Promise<void> {
  ok(exchange, await readSessions(app, exchange, parameters));
}

/** Reads the page of sessions for these parameters, as JSON text (rule RPC-05). */
export async function readSessions(
  app: App,
  exchange: Exchange,
  parameters: Parameters,
): Promise<Uint8Array> {
  const filter: SessionFilter = {
    status: parameters.text('session_status'),
    excludeStatus: parameters.text('exclude_status'),
    agentType: parameters.text('agent_type'),
    project: parameters.text('project'),
    since: parameters.number('since'),
    cursor: cursorOf(parameters),
    limit: parameters.number('limit')!,
  };
  const json = await app.store.json({ kind: 'list_sessions', filter }, exchange.response);
  if (json === undefined) throw new Failure('internal');
  return json;
}

function cursorOf(parameters: Parameters): Place | undefined {
  const cursor = parameters.text('session_cursor');
  return cursor === undefined ? undefined : parsePlace(cursor);
}

/** `GET /api/sessions/{id}` (rule SES-04). */
export async function getSession(app: App, exchange: Exchange, parameters: Parameters): Promise<void> {
  const id = sessionId(exchange.head.path.split('/').at(-1)!);
  ok(exchange, await readSession(app, exchange, id, parameters.number('limit')!));
}

/** `POST /api/sessions/{id}/dismiss` (rule WAI-05). */
export async function dismissSession(app: App, exchange: Exchange, parameters: Parameters): Promise<void> {
  const id = sessionId(exchange.head.path.split('/').at(-2)!);
  const limit = parameters.number('limit')!;
  const known = await readSession(app, exchange, id, limit);
  const { session } = JSON.parse(Buffer.from(known).toString()) as { readonly session: DismissedSession };
  if (session.waiting_reason === null) {
    ok(exchange, known);
    return;
  }
  const ticket = app.admission.ticket();
  try {
    await app.ingest.dismissal(id, session.agent_type, ticket);
  } finally {
    ticket.release();
  }
  ok(exchange, await readSession(app, exchange, id, limit));
}

/** The facts about a session that a dismissal needs. */
interface DismissedSession {
  readonly agent_type: string;
  readonly waiting_reason: string | null;
}

/** Decodes the id of a session in a path, once. */
export function sessionId(encoded: string): string {
  const id = percentDecode(encoded, false);
  if (id === undefined || !isWellFormed(id)) throw new Failure('not_found');
  return id;
}

async function readSession(app: App, exchange: Exchange, id: string, limit: number): Promise<Uint8Array> {
  const json = await app.store.json({ kind: 'get_session', id, limit }, exchange.response);
  if (json === undefined) throw new Failure('not_found');
  return json;
}
