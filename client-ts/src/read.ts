/**
 * Single reads: a page of events, a page of sessions, the statistics.
 *
 * A read is not repeated. It rejects on failure, with a `RefusedError` if the server refused it. `Topics` and `Sync`
 * keep a state up to date.
 */
import type { EventPage, EventsQuery, SessionPage, SessionsQuery, Stats, StatsQuery } from './contract.ts';
import { within } from './deadline.ts';
import type { PageFormat } from './format.ts';
import { refusalOf } from './refusal.ts';
import { REQUEST_MS, type ServerOptions, serverOf } from './server.ts';

export interface ReadOptions<Query> extends ServerOptions {
  /** Filters and page, as in the route. */
  readonly query?: Query;
  /** Time limit, after which it rejects with a `TimeoutError`, in milliseconds; 30,000 by default. */
  readonly request_ms?: number;
  readonly signal?: AbortSignal;
}

export interface EventsOptions extends ReadOptions<EventsQuery> {
  /** Format of the answer; JSON by default. Others are `ndjson`, `msgpack` and `protobuf` of the entry points. */
  readonly format?: PageFormat;
}

/** Reads `GET /api/events`: newest first unless `order` or `after` changes that. `next` leads to the next page. */
export const events = (options: EventsOptions = {}): Promise<EventPage> =>
  read('/api/events', options, options.format);

/** Reads `GET /api/sessions`: the session with the newest event first. */
export const sessions = (options: ReadOptions<SessionsQuery> = {}): Promise<SessionPage> =>
  read('/api/sessions', options);

/** Reads `GET /api/stats`: of all time, or since a moment. */
export const stats = (options: ReadOptions<StatsQuery> = {}): Promise<Stats> => read('/api/stats', options);

async function read<T, Query extends object>(
  path: string,
  options: ReadOptions<Query>,
  format?: PageFormat,
): Promise<T> {
  const { query = {}, request_ms = REQUEST_MS, signal = new AbortController().signal } = options;
  const { baseUrl, headers, fetch, clock } = serverOf(options);
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
  return within(request_ms, clock, signal, async (end) => {
    const response = await fetch(`${baseUrl}${path}?${given}`, {
      headers: format ? { accept: format.type, ...headers } : headers,
      cache: 'no-store',
      signal: end,
    });
    if (!response.ok) throw await refusalOf(response);
    return (await (format ? format.page(response) : response.json())) as T;
  });
}
