/** Handles `/api/retention`, and the deletions of events and sessions (rules RET-03 and RET-04). */
import type { App } from '../app.ts';
import { Failure } from '../error.ts';
import { deletedJson } from '../render/outcomes.ts';
import type { Scope } from '../store/deletions.ts';
import type { Deleted } from '../store/retention.ts';
import type { Exchange } from './exchange.ts';
import type { Parameters } from './parameters.ts';
import { ok } from './reply.ts';
import { sessionId } from './sessions.ts';

/** `GET /api/retention` (rule RET-03). */
export async function getRetention(app: App, exchange: Exchange): Promise<void> {
  const json = await app.store.json({ kind: 'retention', bounds: app.store.bounds }, exchange.response);
  if (json === undefined) throw new Failure('internal');
  ok(exchange, json);
}

/** `PUT /api/retention` (rule RET-03). */
export async function putRetention(app: App, exchange: Exchange, parameters: Parameters): Promise<void> {
  const { days, bytes } = app.store.bounds;
  await app.setBounds({
    days: parameters.number('retain_days') ?? days,
    bytes: parameters.number('retain_bytes') ?? bytes,
  });
  await getRetention(app, exchange);
}

/** `DELETE /api/events` (rule RET-04). */
export async function deleteEvents(app: App, exchange: Exchange, parameters: Parameters): Promise<void> {
  const deleted = await deletedBy(app, { kind: 'before', id: parameters.number('delete_before')! });
  const { events, revision } = deleted ?? { events: 0, revision: app.store.newest };
  ok(exchange, deletedJson(events, revision));
}

/** `DELETE /api/sessions/{id}` (rule RET-04). */
export async function deleteSession(app: App, exchange: Exchange): Promise<void> {
  const id = sessionId(exchange.head.path.split('/').at(-1)!);
  const deleted = await deletedBy(app, { kind: 'session', sessionId: id });
  if (deleted === undefined) throw new Failure('not_found');
  ok(exchange, deletedJson(deleted.events, deleted.revision));
}

async function deletedBy(app: App, scope: Scope): Promise<Deleted | undefined> {
  const result = await app.delete(scope);
  if (result !== undefined && 'code' in result) throw new Failure(result.code);
  return result;
}
