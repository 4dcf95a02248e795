/** Handles `/api/events`, `/api/events/batch` and `/api/events/{id}`. */
import type { App } from '../app.ts';
import { Failure } from '../error.ts';
import { NAME_KINDS, TEXT_FILTERS } from '../field.ts';
import { isExport } from '../formats/index.ts';
import type { EventFilter } from '../store/query.ts';
import type { ExportRead } from '../store/read.ts';
import { parseTimeCursor } from '../store/time-search.ts';
import { readBody } from './body.ts';
import type { Exchange } from './exchange.ts';
import { sendExport } from './exports.ts';
import type { Parameters } from './parameters.ts';
import { batch, ok, rows, single } from './reply.ts';

/** `POST /api/events` (rules ING-01 to ING-03). */
export async function postEvent(app: App, exchange: Exchange): Promise<void> {
  const { bytes, format, ticket } = await readBody(app, exchange, 1);
  try {
    single(exchange, await app.ingest.single(bytes, format, ticket));
  } finally {
    ticket.release();
  }
}

/** `POST /api/events/batch` (rules ING-04 to ING-06). */
export async function postBatch(app: App, exchange: Exchange, parameters: Parameters): Promise<void> {
  const { bytes, format, ticket } = await readBody(app, exchange, app.config.maxBatchEvents);
  try {
    const outcomes = await app.ingest.batch(bytes, format, 'events', ticket);
    batch(exchange, outcomes, parameters.text('results') === '1');
  } finally {
    ticket.release();
  }
}

/** `GET /api/events` (rules GET-01 to GET-05, FMT-08 and FMT-09). */
export async function listEvents(app: App, exchange: Exchange, parameters: Parameters): Promise<void> {
  if (parameters.text('order_by') !== undefined) {
    ok(exchange, await readByTime(app, exchange, parameters));
    return;
  }
  const filter = eventFilter(parameters);
  const { format } = exchange.answer!;
  if (isExport(format)) {
    const read: ExportRead = { kind: 'export', format, filter, left: filter.limit, isFirst: true };
    await sendExport(app, exchange, await app.store.exportPage(read, exchange.response));
    return;
  }
  const bytes = await app.store.json({ kind: 'list_events', filter, format }, exchange.response);
  if (bytes === undefined) throw new Failure('internal');
  rows(exchange, bytes);
}

/** Reads the page of events for these parameters, as JSON text (rule RPC-05). */
export async function readEvents(app: App, exchange: Exchange, parameters: Parameters): Promise<Uint8Array> {
  if (parameters.text('order_by') !== undefined) return readByTime(app, exchange, parameters);
  const { response } = exchange;
  const filter = eventFilter(parameters);
  const json = await app.store.json({ kind: 'list_events', filter, format: 'json' }, response);
  if (json === undefined) throw new Failure('internal');
  return json;
}

/** Reads the page of events in the order of their times, as JSON text (rule GET-15). */
async function readByTime(app: App, { response }: Exchange, parameters: Parameters): Promise<Uint8Array> {
  const text = parameters.text('cursor');
  const cursor = text === undefined ? undefined : parseTimeCursor(text);
  const json = await app.store.json(
    { kind: 'list_by_time', filter: eventFilter(parameters), cursor },
    response,
  );
  if (json === undefined) throw new Failure('internal');
  return json;
}

/** Returns the filter that these parameters describe. */
export function eventFilter(parameters: Parameters): EventFilter {
  const after = parameters.number('after');
  const ascending = after !== undefined || parameters.text('order') === 'asc';
  return {
    fields: Object.fromEntries([...NAME_KINDS, ...TEXT_FILTERS].map((name) => [name, parameters.text(name)])),
    sessionId: parameters.text('session_id'),
    text: parameters.text('q'),
    searchesWhole: parameters.text('whole') !== undefined,
    since: parameters.number('since'),
    until: parameters.number('until'),
    after,
    before: parameters.number('before'),
    order: ascending ? 'asc' : 'desc',
    limit: parameters.number('limit')!,
  };
}

/** `GET /api/events/{id}` (rule GET-06). */
export async function getEvent(app: App, exchange: Exchange): Promise<void> {
  // The path as sent: routes decode nothing (rule HTT-03).
  const id = eventId(exchange.head.path.slice('/api/events/'.length));
  const json = await app.store.json({ kind: 'get_event', id }, exchange.response);
  if (json === undefined) throw new Failure('not_found');
  ok(exchange, json);
}

/** Parses the id of an event in a path: one spelling per number. */
export function eventId(text: string): number {
  const id = /^(0|[1-9][0-9]{0,15})$/.test(text) ? Number(text) : Number.NaN;
  if (id <= Number.MAX_SAFE_INTEGER) return id;
  throw new Failure('not_found');
}
