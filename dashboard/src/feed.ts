/**
 * The rows of the feed: the loaded rows, the visible rows, and the reason for their difference.
 *
 * Rows do not move while a user reads them. New rows wait and are counted while the feed is paused, scrolled away
 * from its top, has a cursor, or shows an event's details. Invariant: after release no received row is missing.
 */
import { batch, computed, effect, signal } from '@preact/signals';
import type { EventPage, Row } from './api.ts';
import { callKey, type Entry, entriesOf } from './calls.ts';
import { type Loaded, NOTHING, WHOLE_FEED, waiting, withNewer, withNewest, withOlder } from './loaded.ts';
import { searchEvents } from './long-search.ts';
import { type Receipt, Received } from './received.ts';
import { isFiltered, openEvent, selection } from './view.ts';

/** Rows per answer. */
export const PAGE_ROWS = 200;

const loaded = signal<Loaded>(NOTHING);
const shown = signal<Loaded>(NOTHING);
/** The epoch and the filters of `loaded`. */
let epoch: string | null = null;
let loadedFilters: string | null = null;
/** The newest event when the newest answer was requested. */
let newest = 0;
/** The filters whose search the user has stopped. */
let stoppedFilters: string | null = null;

/** Whether an answer for these filters has arrived. */
export const isLoaded = signal(false);
/** The server's reason to refuse these filters; null otherwise. */
export const refusal = signal<string | null>(null);
let received = new Received(0);
/** Events of this database that arrived since the dashboard was opened. */
export const receipt = signal<Receipt | null>(null);
export const isPaused = signal(false);
export const isScrolled = signal(false);
/** The id of the row with the keyboard cursor. */
export const cursor = signal<number | null>(null);
export const isHeld = computed(
  () => isPaused.value || isScrolled.value || cursor.value !== null || openEvent.value !== null,
);
/** Whether history was left out: then ids do not say how many rows are missing. */
export const hasSkipped = signal(false);
/** Whether each id that is not loaded is a row of the feed. */
const isCounted = computed(() => !isFiltered.value && !hasSkipped.value);
/** The number of rows that wait. Where it follows from the ids, it includes rows that are not loaded. */
export const waits = computed(() => {
  const [newest, before] = [loaded.value.rows[0]?.id, shown.value.rows[0]?.id];
  if (isCounted.value && newest !== undefined && before !== undefined)
    return { count: newest - before, isMore: false };
  return waiting(loaded.value, shown.value);
});
/** The gap whose rows are loading; it moves down with each page. */
export const loadingGap = signal<number | null>(null);
let loading: AbortController | null = null;
/** Whether rows below all visible ones are not loaded. */
export const hasMore = computed(() => shown.value.gaps.has(shown.value.rows.at(-1)?.id ?? WHOLE_FEED));
/** Where the search below a gap continues, unless it is the gap itself. */
const cursors = new Map<number, number>();

/**
 * A row with the earlier rows of its call; one of these rows alone; or a gap of rows that are not loaded.
 */
export type Item =
  | { readonly row: Row; readonly parts: readonly Row[]; readonly isPart: boolean }
  | { readonly gap: number; readonly missing: number | null };

/** The calls whose events are listed separately, by `callKey`. */
export const openCalls = signal<ReadonlySet<string>>(new Set());
/** All visible rows. */
export const shownRows = computed(() => shown.value.rows);

export const items = computed<readonly Item[]>(() => {
  const { rows, gaps } = shown.value;
  const list: Item[] = [];
  const entries = new Map(entriesOf(rows).map((entry) => [entry.at, entry]));
  rows.forEach((row, i) => {
    const entry = entries.get(row);
    if (entry !== undefined) list.push(...itemsOf(entry));
    if (!gaps.has(row.id)) return;
    const missing = isCounted.value ? row.id - 1 - (rows[i + 1]?.id ?? 0) : null;
    if (missing !== 0) list.push({ gap: row.id, missing });
  });
  return list;
});

/** The number of listed events and calls. */
export const entryCount = computed(() => items.value.filter((item) => 'row' in item && !item.isPart).length);

/**
 * Adds received rows. With `isNewest` they are the newest page, and `next` leads to older rows. A page that stopped
 * early is continued.
 */
export function takeRows(
  all: readonly Row[],
  of: { readonly epoch: string; readonly revision: string },
  isNewest: boolean,
  next: number | null,
): void {
  const came = all.filter(keeps);
  const below = came.at(-1)?.id ?? WHOLE_FEED;
  batch(() => {
    const isOther = epoch !== of.epoch || loadedFilters !== selection.value;
    if (epoch !== of.epoch) received = new Received(Number(of.revision));
    note(all);
    newest = Number(of.revision);
    if (isOther) hasSkipped.value = false;
    if (came.length < all.length) hasSkipped.value = true;
    const before = isOther ? NOTHING : loaded.value;
    // Without rows nothing tells which part a search has covered, so it starts again.
    if (isOther || (isNewest && before.rows.length === 0)) {
      stopLoading();
      cursors.clear();
    }
    // A page without rows that reaches the loaded ones says that they are still the newest.
    const isSame = came.length === 0 && next !== null && next <= (before.rows[0]?.id ?? 0);
    if ((isNewest || isOther) && !isSame) {
      noteCursor(below, next);
      loaded.value = withNewest(before, came, next !== null);
    } else {
      moveWholeFeed(below);
      loaded.value = withNewer(before, came);
    }
    epoch = of.epoch;
    loadedFilters = selection.value;
    isLoaded.value = true;
    if (isOther) {
      cursor.value = null;
      letIn();
    }
  });
  const { rows, gaps } = loaded.value;
  const end = rows.at(-1)?.id ?? WHOLE_FEED;
  // Below history of any length a user decides whether older rows are of interest.
  const isShort = isNewest && rows.length < PAGE_ROWS && gaps.has(end) && !hasSkipped.value;
  if (isShort && stoppedFilters !== selection.value) void loadGap(end);
}

/** The search of a page has reached `next`; another page of the same rows may have reached further. */
function noteCursor(gap: number, next: number | null): void {
  if (next === null) cursors.delete(gap);
  else cursors.set(gap, Math.min(next, cursors.get(gap) ?? next));
}

/** Gives the gap of a feed without rows to the last of its first rows, also while a search runs. */
function moveWholeFeed(below: number): void {
  const next = cursors.get(WHOLE_FEED);
  if (next === undefined || below === WHOLE_FEED) return;
  cursors.delete(WHOLE_FEED);
  cursors.set(below, next);
  if (loadingGap.value === WHOLE_FEED) loadingGap.value = below;
}

/** Marks that the server refuses these filters. */
export function refuseRows(why: string): void {
  batch(() => {
    loaded.value = NOTHING;
    loadedFilters = selection.value;
    cursor.value = null;
    refusal.value = why;
    isLoaded.value = true;
    letIn();
  });
}

/** The live feed skips history (rule TIM-03). Filters, ranges and searches find it. */
function keeps({ history }: Row): boolean {
  return !history || isFiltered.peek();
}

function note(came: readonly Row[]): void {
  received.take(came);
  receipt.value = received.receipt;
}

/** Shows all waiting rows. */
export function letIn(): void {
  shown.value = loaded.value;
}

/** Loads the rows below a gap: as many as one answer has, in as many pages as the search needs. */
export async function loadGap(gap: number): Promise<void> {
  if (loading !== null) return;
  const end = new AbortController();
  loading = end;
  loadingGap.value = gap;
  const chosen = selection.value;
  const query = new URLSearchParams(chosen);
  query.set('before', String(cursors.get(gap) ?? gap));
  try {
    const search = { query, limit: PAGE_ROWS, newest, until: end.signal, keeps, take: takeOlder };
    stoppedFilters = (await searchEvents(search)) ? chosen : null;
  } catch {
    // The gap can be loaded again later, and the connection shows the problem.
  } finally {
    if (loading === end) stopLoading();
  }
}

/** Adds a page below the gap that is loading. Returns whether the gap is still open. */
function takeOlder({ events: all, next }: EventPage): boolean {
  const gap = loadingGap.value ?? WHOLE_FEED;
  const events = all.filter(keeps);
  const below = events.at(-1)?.id ?? gap;
  batch(() => {
    note(all);
    if (events.length < all.length) hasSkipped.value = true;
    if (below !== gap) cursors.delete(gap);
    noteCursor(below, next);
    loaded.value = withOlder(loaded.value, gap, events, next !== null);
    shown.value = withOlder(shown.value, gap, events, next !== null);
    loadingGap.value = below;
  });
  return loaded.value.gaps.has(below);
}

/** Ends a search that is running: its filters have changed, or the dashboard is hidden. */
export function stopLoading(): void {
  loading?.abort();
  loading = null;
  loadingGap.value = null;
}

/** Shows new rows at once while nothing holds them back. */
export function followRows(): void {
  effect(() => {
    if (!isHeld.value) letIn();
  });
  effect(() => {
    if (selection.value === loadedFilters) return;
    isLoaded.value = false;
    refusal.value = null;
  });
}

/** Resolves once the first rows have arrived, or after this time. */
export function firstRows(most_ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, most_ms);
    effect(() => {
      if (isLoaded.value) resolve();
    });
  });
}

function itemsOf({ row, parts }: Entry): Item[] {
  const isOpen = parts.length > 0 && openCalls.value.has(callKey(row));
  const below = isOpen ? parts.map((part) => ({ row: part, parts: [], isPart: true })) : [];
  return [{ row, parts, isPart: false }, ...below];
}

/** Lists the events of a call, or hides the list. */
export function toggleCall(row: Row): void {
  const calls = new Set(openCalls.value);
  if (!calls.delete(callKey(row))) calls.add(callKey(row));
  openCalls.value = calls;
}

/** Returns whether the item shows this event or represents it. */
export function holds(item: Item, id: number | null): boolean {
  return 'row' in item && (item.row.id === id || item.parts.some((part) => part.id === id));
}
