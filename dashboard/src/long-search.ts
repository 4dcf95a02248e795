/**
 * Reads pages that may stop early, until they have their rows or the end (contract rules GET-12 and SES-05).
 *
 * A search that takes longer than a moment is shown with how far it is, and the user can stop it.
 */
import { signal } from '@preact/signals';
import type { EventPage, Row, SessionPage } from './api.ts';
import { getJson } from './request.ts';

/** A search that takes longer than a moment. */
export interface LongSearch {
  /** The time down to which all events were searched, as text. */
  readonly backTo: string | null;
  /** The number of events that were searched. */
  readonly count: number;
  readonly stop: () => void;
}

/** The newest of the long searches; null while there is none. */
export const longSearch = signal<LongSearch | null>(null);

/** Time after which a search is shown, and least time between two updates, in milliseconds. */
const MOMENT_MS = 300;
/** Rows of a page while a search passes over rows. */
const PASSED_ROWS = 1000;

interface Pages {
  readonly events: EventPage;
  readonly sessions: SessionPage;
}

/** Reads up to `limit` rows. `goesOn` decides after each page that stopped early. */
export async function wholePage<Name extends keyof Pages>(
  name: Name,
  query: URLSearchParams,
  limit: number,
  until: AbortSignal | null,
  goesOn: () => boolean = () => true,
): Promise<Pages[Name]> {
  const asked = new URLSearchParams(query);
  const rows: unknown[] = [];
  for (;;) {
    asked.set('limit', String(limit - rows.length));
    const page = await getJson<Pages[Name]>(`/api/${name}?${asked}`, until);
    const came: readonly unknown[] = 'events' in page ? page.events : page.sessions;
    rows.push(...came);
    if (page.next === null || rows.length >= limit || !goesOn()) return { ...page, [name]: rows };
    asked.set(cursorOf(page.next, asked), String(page.next));
  }
}

/** Returns the parameter that continues a page: a text is opaque, a number is an id. */
function cursorOf(next: number | string, asked: URLSearchParams): 'after' | 'before' | 'cursor' {
  if (typeof next === 'string') return 'cursor';
  return asked.has('after') || asked.get('order') === 'asc' ? 'after' : 'before';
}

interface Search {
  readonly query: URLSearchParams;
  readonly limit: number;
  /** The newest event, from which searched events are counted. */
  readonly newest: number;
  readonly until: AbortSignal;
  /** Whether a row counts; the others are passed over. */
  readonly keeps: (row: Row) => boolean;
  /** Takes the rows of each page at once, and decides whether the search goes on. */
  readonly take: (page: EventPage) => boolean;
}

/** Searches events, newest first, and shows the search while it takes long. Returns whether the user stopped it. */
export async function searchEvents({ query, limit, newest, until, keeps, take }: Search): Promise<boolean> {
  const own = new AbortController();
  const signal = AbortSignal.any([until, own.signal]);
  const stop = () => own.abort();
  const show = async (scanned_to: number) => {
    const row = new URLSearchParams({ before: String(scanned_to + 1), limit: '1' });
    const { events } = await getJson<EventPage>(`/api/events?${row}`, signal);
    const backTo = events[0]?.time ?? null;
    if (!signal.aborted && !isOver)
      longSearch.value = { backTo, count: Math.max(0, newest - scanned_to), stop };
  };
  const asked = new URLSearchParams(query);
  let shown_ms = performance.now();
  let left = limit;
  let size = limit;
  let isOver = false;
  try {
    for (;;) {
      asked.set('limit', String(size));
      const page = await getJson<EventPage>(`/api/events?${asked}`, signal);
      signal.throwIfAborted();
      const kept = page.events.filter(keeps).length;
      left -= kept;
      // A page without a row that counts is likely to be followed by another one.
      size = kept === 0 && page.events.length > 0 ? PASSED_ROWS : Math.max(1, left);
      if (!take(page) || page.next === null || left <= 0) return false;
      asked.set('before', String(page.next));
      if (performance.now() - shown_ms < MOMENT_MS) continue;
      shown_ms = performance.now();
      // Without an answer the search is shown with its next update.
      show(page.scanned_to).catch(() => undefined);
    }
  } catch (error) {
    if (own.signal.aborted) return true;
    throw error;
  } finally {
    isOver = true;
    if (longSearch.value?.stop === stop) longSearch.value = null;
  }
}
