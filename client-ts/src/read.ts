/**
 * Single reads: a page of events, a page of sessions, the statistics, a time series.
 *
 * A page that stops early is continued (GET-12, SES-05). A read is not repeated. It rejects on failure, with a `RefusedError` if the server refused it. `Topics` and `Sync`
 * keep a state up to date.
 */
import type {
  EventPage,
  EventsQuery,
  Series,
  SeriesQuery,
  SessionPage,
  SessionsQuery,
  Stats,
  StatsQuery,
} from './contract.ts';
import { within } from './deadline.ts';
import type { PageFormat } from './format.ts';
import { refusalOf } from './refusal.ts';
import { REQUEST_MS, type ServerOptions, serverOf } from './server.ts';

export interface ReadOptions<Query> extends ServerOptions {
  /** Filters and page, as in the route. */
  readonly query?: Query;
  /** Time limit of each request, after which it rejects with a `TimeoutError`, in milliseconds; 30,000 by default. */
  readonly request_ms?: number;
  readonly signal?: AbortSignal;
}

export interface PageOptions<Query> extends ReadOptions<Query> {
  /** Called when a page stopped early (GET-12, SES-05), with the id down to which everything was searched. */
  readonly onSearch?: (scanned_to: number) => void;
}

export interface EventsOptions extends PageOptions<EventsQuery> {
  /** Format of the answer; JSON by default. Others are `ndjson`, `msgpack` and `protobuf` of the entry points. */
  readonly format?: PageFormat;
}

/**
 * Reads `GET /api/events`: newest first unless `order` or `after` changes that. `next` leads to the next page. It has
 * fewer rows than `limit` only at the end.
 */
export const events = (options: EventsOptions = {}): Promise<EventPage> =>
  whole('events', options, options.format);

/** Reads `GET /api/sessions`: the session with the newest event first. It has fewer than `limit` only at the end. */
export const sessions = (options: PageOptions<SessionsQuery> = {}): Promise<SessionPage> =>
  whole('sessions', options);

/** Reads `GET /api/stats`: of all time, or between two moments. */
export const stats = (options: ReadOptions<StatsQuery> = {}): Promise<Stats> =>
  read('stats', options, options.query);

/**
 * Reads `GET /api/series`: sums by time and by name. A series from rows may stop early. `next` is then the `before` of
 * the next request, whose sums add to these (SER-04).
 */
export const series = (options: ReadOptions<SeriesQuery> = {}): Promise<Series> =>
  read('series', options, options.query);

/** Reads a page, and the pages after it while they stop early. */
async function whole<Name extends string, Page extends Paged & Record<Name, readonly unknown[]>>(
  name: Name,
  options: PageOptions<Pick<EventsQuery, Cursor>>,
  format?: PageFormat,
): Promise<Page> {
  const query = options.query ?? {};
  let page: Page = await read(name, options, query, format);
  while (page.next !== null && !format?.isExport) {
    const left = (query.limit ?? 50) - page[name].length;
    if (left < 1) break;
    options.onSearch?.(page.scanned_to);
    const cursor = query.after === undefined && query.order !== 'asc' ? 'before' : 'after';
    const more: Page = await read(name, options, { ...query, limit: left, [cursor]: page.next }, format);
    page = { ...more, [name]: [...page[name], ...more[name]] };
  }
  return page;
}

/** The parameters that lead to the next page. */
type Cursor = 'limit' | 'order' | 'after' | 'before';

interface Paged {
  readonly next: number | null;
  readonly scanned_to: number;
}

/** Sends a request without a body; returns its answer. */
export async function read<T>(
  name: string,
  options: ReadOptions<unknown>,
  query: object = {},
  format?: PageFormat,
  method: 'GET' | 'POST' | 'DELETE' = 'GET',
): Promise<T> {
  const { request_ms = REQUEST_MS, signal = new AbortController().signal } = options;
  const { baseUrl, headers, fetch, clock } = serverOf(options);
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
  return within(request_ms, clock, signal, async (end) => {
    const response = await fetch(`${baseUrl}/api/${name}?${given}`, {
      method,
      headers: format ? { accept: format.type, ...headers } : headers,
      cache: 'no-store',
      signal: end,
    });
    if (!response.ok) throw await refusalOf(response);
    return (await (format ? format.page(response) : response.json())) as T;
  });
}
