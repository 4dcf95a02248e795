/** Fetches the events of the session whose page is shown: the newest ones first, then all, then new ones. */

import { RefusedError } from '@twin-ingest/client';
import type { EventPage, Row, Session } from '../api.ts';
import { getJson } from '../request.ts';
import { MOST_ROWS, page as shown, takeMissing, takePage } from './state.ts';

const PAGE_ROWS = 1000;

export interface Pulled {
  readonly session: Session;
  readonly rows: readonly Row[];
  readonly hasOlder: boolean;
}

/** Fetches a session with all rows above an id, or with its newest rows; shows the first page at once. */
export async function pullSession(
  id: string,
  known: { readonly revision: string } | null,
  signal: AbortSignal,
): Promise<{ data: Pulled | null; reset: boolean }> {
  const session = await sessionOf(id, signal);
  if (session === null) {
    takeMissing(id);
    return { data: null, reset: true };
  }
  const query = new URLSearchParams({ session_id: id });
  if (known !== null && shown.peek() !== null) {
    const came = await pagesOf(query, 'after', Number(known.revision), signal, () => undefined);
    if (came !== null)
      return { data: { session, rows: came.rows.toReversed(), hasOlder: false }, reset: false };
  }
  const show = (rows: readonly Row[]) => takePage({ session, rows, hasOlder: true, isLoading: true }, true);
  const { rows, hasOlder } = (await pagesOf(
    query,
    'before',
    null,
    signal,
    shown.peek() === null ? show : () => undefined,
  ))!;
  return { data: { session, rows, hasOlder }, reset: true };
}

/** Returns null for a session without events. */
async function sessionOf(id: string, signal: AbortSignal): Promise<Session | null> {
  try {
    const path = `/api/sessions/${encodeURIComponent(id)}?limit=1`;
    return (await getJson<{ session: Session }>(path, signal)).session;
  } catch (error) {
    if (error instanceof RefusedError && error.status === 404) return null;
    throw error;
  }
}

/** Reads pages up to the bound of rows; null if there are more after a known row. */
async function pagesOf(
  query: URLSearchParams,
  cursor: 'after' | 'before',
  from: number | null,
  signal: AbortSignal,
  show: (rows: readonly Row[]) => void,
): Promise<{ rows: readonly Row[]; hasOlder: boolean } | null> {
  const asked = new URLSearchParams(query);
  asked.set('limit', String(PAGE_ROWS));
  let next = from;
  const rows: Row[] = [];
  for (;;) {
    if (next !== null) asked.set(cursor, String(next));
    const page = await getJson<EventPage>(`/api/events?${asked}`, signal);
    rows.push(...page.events);
    next = page.next;
    if (next === null || (rows.length >= MOST_ROWS && cursor === 'before'))
      return { rows, hasOlder: next !== null };
    if (rows.length >= MOST_ROWS) return null;
    if (rows.length === page.events.length && rows.length > 0) show([...rows]);
  }
}
