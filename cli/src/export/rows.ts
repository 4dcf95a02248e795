/** Reads a session and its events from a server, one page at a time. */
import {
  type EventRow,
  type EventTimePage,
  eventsByTime,
  type ServerOptions,
  type Session,
} from '@twin-ingest/client';
import { request } from '../request.ts';

const PAGE = 500;
/** Largest page of an export (rule FMT-09). */
const EXPORT_ROWS = 1_000_000;
const LF = 10;
const TIMEOUT_MS = 30_000;

export interface Address {
  readonly origin: string;
  readonly token: string | undefined;
}

export class MissingSessionError extends Error {}

/** Returns the session; throws a `MissingSessionError` if the server has none of this id. */
export async function sessionOf(address: Address, id: string): Promise<Session> {
  const response = await get(address, `/api/sessions/${encodeURIComponent(id)}?limit=1`, 'application/json');
  return ((await response.json()) as { session: Session }).session;
}

/** Yields the events in the order in which they happened: an import adds earlier ones later. */
export async function* rowsOf({ origin, token }: Address, session_id: string): AsyncGenerator<EventRow> {
  const server: ServerOptions = token === undefined ? { baseUrl: origin } : { baseUrl: origin, token };
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = { session_id, order: 'asc', limit: PAGE, cursor } as const;
    const page: EventTimePage = await eventsByTime({ ...server, query });
    yield* page.events;
    cursor = page.next;
  }
}

/** Yields the events as lines of JSON, oldest first, in the bytes of the server. `most` is the rows of one answer. */
export async function* linesOf(
  address: Address,
  session_id: string,
  most = EXPORT_ROWS,
): AsyncGenerator<Uint8Array> {
  let after = 0;
  for (;;) {
    const query = new URLSearchParams({ session_id, after: String(after), limit: String(most) });
    const { body } = await get(address, `/api/events?${query}`, 'application/x-ndjson');
    let rows = 0;
    // The last line so far, whole or not.
    let last = Buffer.alloc(0);
    for await (const chunk of body ?? []) {
      const bytes = Buffer.from(chunk);
      for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) rows++;
      const start = bytes.subarray(0, -1).lastIndexOf(LF) + 1;
      const begun = last.at(-1) === LF ? [] : [last];
      last = start > 0 ? bytes.subarray(start) : Buffer.concat([...begun, bytes]);
      yield bytes;
    }
    if (rows < most) return;
    after = (JSON.parse(last.toString('utf8')) as EventRow).id;
  }
}

async function get({ origin, token }: Address, path: string, accept: string): Promise<Response> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  // Applies to the head of the answer alone: a long export takes its time.
  const abort = new AbortController();
  const late = setTimeout(() => abort.abort(new DOMException('no answer', 'TimeoutError')), TIMEOUT_MS);
  try {
    const response = await request(`${origin}${path}`, {
      headers: { ...headers, accept },
      signal: abort.signal,
    });
    if (response.ok) return response;
    const said = (await response.json().catch(() => null)) as { readonly error?: unknown } | null;
    if (response.status === 404) throw new MissingSessionError('there is no such session');
    throw new Error(`the server answered ${response.status}: ${String(said?.error ?? '')}`);
  } finally {
    clearTimeout(late);
  }
}
