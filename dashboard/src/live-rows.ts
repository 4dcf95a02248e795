/**
 * Finds the rows of the live feed, which skips history such as an import (rule TIM-03).
 *
 * A page of the newest rows may have nothing but history. Live rows happened recently, so a range of time has them. The
 * server finds it without reading the others.
 */
import type { Known, Snapshot } from '@twin-ingest/client';
import type { EventPage, Row } from './api.ts';
import { wholePage } from './long-search.ts';
import { serverNow } from './time.ts';

const RECENT_MS = { first: 86_400_000, next: 3_600_000 };
/** Most rows of the range, and most pages of their search. */
const MOST_ROWS = 1000;
const MOST_PAGES = 8;

type Page = Snapshot<EventPage>;

/** Adds live rows to a whole page of which a part is history. `known` is the state that the feed has. */
export async function withLiveRows(snapshot: Page, known: Known | null, signal: AbortSignal): Promise<Page> {
  const { events, next } = snapshot.data;
  if (!snapshot.whole || next === null || events.every(({ history }) => !history)) return snapshot;
  const isLater = known?.epoch === snapshot.epoch && Number(known.revision) <= Number(snapshot.revision);
  if (isLater) {
    const found = await recentRows(RECENT_MS.next, { after: known.revision }, signal);
    if (found.next === null)
      return {
        ...snapshot,
        whole: false,
        reset: false,
        data: { ...snapshot.data, events: joined(events, found.events) },
      };
  }
  const found = await recentRows(RECENT_MS.first, {}, signal);
  const rows = joined(events, found.events);
  const below = found.next ?? rows.findLast(({ history }) => !history)?.id ?? next;
  return { ...snapshot, data: { ...snapshot.data, events: rows, next: below } };
}

function recentRows(since_ms: number, cursor: object, signal: AbortSignal): Promise<EventPage> {
  const since = new Date(serverNow() - since_ms).toISOString();
  let pages = 1;
  const goesOn = () => ++pages <= MOST_PAGES;
  return wholePage('events', new URLSearchParams({ since, ...cursor }), MOST_ROWS, signal, goesOn);
}

/** Returns the rows of both, newest first. */
function joined(a: readonly Row[], b: readonly Row[]): readonly Row[] {
  const byId = new Map([...a, ...b].map((row) => [row.id, row]));
  return [...byId.values()].sort((one, other) => other.id - one.id);
}
