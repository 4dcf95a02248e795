/**
 * Single reads: a page of events, a page of sessions, the statistics, a time series.
 *
 * A page that stops early is continued (GET-12, SES-05). A read is not repeated. It rejects on failure, with a `RefusedError` if the server refused it. `Topics` and `Sync`
 * keep a state up to date.
 */
import type {
  EventPage,
  EventsQuery,
  EventTimePage,
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

export interface PageOptions<Query, Cursor> extends ReadOptions<Query> {
  /** Called when a page stopped early (GET-12, SES-05), with the position down to which everything was searched. */
  readonly onSearch?: (scanned_to: Cursor) => void;
}

export interface EventsOptions extends PageOptions<Omit<EventsQuery, 'order_by' | 'cursor'>, number> {
  /** Format of the answer; JSON by default. Others are `ndjson`, `msgpack` and `protobuf` of the entry points. */
  readonly format?: PageFormat;
}

/** The order of `time` excludes some parameters (GET-15). */
export type EventsByTimeOptions = PageOptions<
  Omit<EventsQuery, 'q' | 'after' | 'before' | 'order_by'>,
  string
>;

/**
 * Reads `GET /api/events`: newest first unless `order` or `after` changes that. `next` leads to the next page. It has
 * fewer rows than `limit` only at the end.
 */
export const events = (options: EventsOptions = {}): Promise<EventPage> => whole('events', options);

/** Reads `GET /api/events` in the order of `time`: newest first unless `order` changes that. `next` is the next `cursor`. */
export const eventsByTime = (options: EventsByTimeOptions = {}): Promise<EventTimePage> =>
  whole('events', options, 'time');

/** Reads `GET /api/sessions`: newest activity first. It has fewer than `limit` only at the end. */
export const sessions = (options: PageOptions<SessionsQuery, string> = {}): Promise<SessionPage> =>
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
  options: PageOptions<Paging, never> & Pick<EventsOptions, 'format'>,
  order_by?: 'time',
): Promise<Page> {
  const { format } = options;
  let query: Paging = { ...options.query, order_by };
  let rows: readonly unknown[] = [];
  for (;;) {
    const page: Page = await read(name, options, query, 'GET', format);
    rows = [...rows, ...page[name]];
    const left = (options.query?.limit ?? 50) - rows.length;
    if (page.next === null || left < 1 || format?.isExport) return { ...page, [name]: rows };
    // Only the last page has no position.
    options.onSearch?.(page.scanned_to as never);
    const isRising = query.after !== undefined || query.order === 'asc';
    // A text is opaque, a number is an id.
    const cursor = typeof page.next === 'string' ? 'cursor' : isRising ? 'after' : 'before';
    query = { ...query, limit: left, [cursor]: page.next };
  }
}

/** The parameters that `whole` reads. */
type Paging = Pick<EventsQuery, 'limit' | 'order' | 'after' | 'order_by'>;

interface Paged {
  readonly next: number | string | null;
  readonly scanned_to: number | string | null;
}

/** Sends a request without a body; returns its answer. */
export async function read<T>(
  name: string,
  options: ReadOptions<unknown>,
  query: object = {},
  method: 'GET' | 'POST' | 'DELETE' = 'GET',
  format?: PageFormat,
): Promise<T> {
  const { request_ms = REQUEST_MS, signal = new AbortController().signal } = options;
  const { baseUrl, headers, fetch, clock } = serverOf(options);
  const given = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== undefined));
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
