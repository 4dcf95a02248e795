/**
 * Reads pages that may stop early, until they have their rows or the end (contract rules GET-12 and SES-05).
 *
 * A search that takes longer than a moment is shown with the time that it has reached, and the user can stop it.
 */
import { signal } from '@preact/signals';
import type { EventPage, SessionPage } from './api.ts';
import { getJson } from './request.ts';

/** A search that takes longer than a moment. */
export interface LongSearch {
  /** The time down to which all events were searched, as text; null before it is known. */
  readonly backTo: string | null;
  readonly stop: () => void;
}

/** The newest of the long searches; null while there is none. */
export const longSearch = signal<LongSearch | null>(null);

/** Time after which a search is shown, and least time between two updates, in milliseconds. */
const MOMENT_MS = 300;

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
  goesOn: (scanned_to: number) => boolean = () => true,
): Promise<Pages[Name]> {
  const asked = new URLSearchParams(query);
  const cursor = asked.has('after') || asked.get('order') === 'asc' ? 'after' : 'before';
  const rows: unknown[] = [];
  for (;;) {
    asked.set('limit', String(limit - rows.length));
    const page = await getJson<Pages[Name]>(`/api/${name}?${asked}`, until);
    const came: readonly unknown[] = 'events' in page ? page.events : page.sessions;
    rows.push(...came);
    if (page.next === null || rows.length >= limit || !goesOn(page.scanned_to))
      return { ...page, [name]: rows };
    asked.set(cursor, String(page.next));
  }
}

/** Searches events, newest first, and shows the search while it takes long. */
export async function searchEvents(
  query: URLSearchParams,
  limit: number,
  until: AbortSignal | null,
): Promise<EventPage> {
  let shown_ms = performance.now();
  let isOver = false;
  const stop = () => {
    isOver = true;
    if (longSearch.value?.stop === stop) longSearch.value = null;
  };
  const show = async (scanned_to: number) => {
    const row = new URLSearchParams({ before: String(scanned_to + 1), limit: '1' });
    const { events } = await getJson<EventPage>(`/api/events?${row}`, until);
    if (!isOver) longSearch.value = { backTo: events[0]?.created_at ?? null, stop };
  };
  try {
    return await wholePage('events', query, limit, until, (scanned_to) => {
      if (performance.now() - shown_ms >= MOMENT_MS) {
        shown_ms = performance.now();
        // Without an answer the search is shown with its next update.
        show(scanned_to).catch(() => undefined);
      }
      return !isOver;
    });
  } finally {
    stop();
  }
}
