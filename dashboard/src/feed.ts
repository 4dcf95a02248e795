/**
 * The rows of the feed: the loaded rows, the visible rows, and the reason for their difference.
 *
 * Rows do not move while a user reads them. New rows wait and are counted while the feed is paused, scrolled away
 * from its top, has a cursor, or shows an event's details. Invariant: after release no received row is missing.
 */
import { batch, computed, effect, signal } from '@preact/signals';
import type { Row } from './api.ts';
import { callKey, type Entry, entriesOf } from './calls.ts';
import { type Loaded, NOTHING, waiting, withNewer, withNewest, withOlder } from './loaded.ts';
import { searchEvents } from './long-search.ts';
import { type Receipt, Received } from './received.ts';
import { isFiltered, openEvent, search, selection } from './view.ts';

/** Rows per answer. */
export const PAGE_ROWS = 200;

const loaded = signal<Loaded>(NOTHING);
const shown = signal<Loaded>(NOTHING);
/** The epoch and the filters of `loaded`. */
let epoch: string | null = null;
let loadedFilters: string | null = null;

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
/** The number of rows that wait. Without a filter it follows from the ids, so it includes rows that are not loaded. */
export const waits = computed(() => {
  const [newest, before] = [loaded.value.rows[0]?.id, shown.value.rows[0]?.id];
  if (!isFiltered.value && newest !== undefined && before !== undefined)
    return { count: newest - before, isMore: false };
  return waiting(loaded.value, shown.value);
});
/** The gap whose rows are loading. */
export const loadingGap = signal<number | null>(null);
/** The gap below a feed without rows, whose search was stopped. */
export const WHOLE_FEED = 0;
/** Whether the search was stopped before it found a row. */
export const isUnfinished = signal(false);
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
/** All visible rows, regardless of the search. */
export const shownRows = computed(() => shown.value.rows);

export const items = computed<readonly Item[]>(() => {
  const { rows, gaps } = shown.value;
  const wanted = search.value.trim().toLowerCase();
  // Only without a filter does each missing id mean a row that is not loaded.
  const list: Item[] = [];
  const entries = new Map(entriesOf(rows).map((entry) => [entry.at, entry]));
  rows.forEach((row, i) => {
    const entry = entries.get(row);
    if (entry !== undefined && isFound(entry, wanted)) list.push(...itemsOf(entry));
    if (!gaps.has(row.id)) return;
    const isLast = i === rows.length - 1;
    if (wanted !== '' && !isLast) return;
    const missing = !isFiltered.value ? row.id - 1 - (rows[i + 1]?.id ?? 0) : null;
    if (missing !== 0) list.push({ gap: row.id, missing });
  });
  return list;
});

/** Adds received rows. With `isNewest` they are the newest page, and `next` leads to older rows. */
export function takeRows(
  came: readonly Row[],
  of: { readonly epoch: string; readonly revision: string },
  isNewest: boolean,
  next: number | null,
): void {
  batch(() => {
    const isOther = epoch !== of.epoch || loadedFilters !== selection.value;
    if (epoch !== of.epoch) received = new Received(Number(of.revision));
    note(came);
    const before = isOther ? NOTHING : loaded.value;
    if (isOther) cursors.clear();
    if (isNewest || isOther) noteCursor(came.at(-1)?.id ?? WHOLE_FEED, next);
    loaded.value = isNewest || isOther ? withNewest(before, came, next !== null) : withNewer(before, came);
    isUnfinished.value = loaded.value.rows.length === 0 && cursors.has(WHOLE_FEED);
    epoch = of.epoch;
    loadedFilters = selection.value;
    isLoaded.value = true;
    if (isOther) {
      cursor.value = null;
      letIn();
    }
  });
}

function noteCursor(gap: number, next: number | null): void {
  if (next === null) cursors.delete(gap);
  else cursors.set(gap, next);
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

function note(came: readonly Row[]): void {
  received.take(came);
  receipt.value = received.receipt;
}

/** Shows all waiting rows. */
export function letIn(): void {
  shown.value = loaded.value;
}

export async function loadGap(gap: number): Promise<void> {
  if (loadingGap.value !== null) return;
  loadingGap.value = gap;
  const [ofFilters, ofEpoch] = [selection.value, epoch];
  const query = new URLSearchParams(ofFilters);
  query.set('before', String(cursors.get(gap) ?? gap));
  try {
    const { events, next } = await searchEvents(query, PAGE_ROWS, null);
    if (ofFilters !== selection.value || ofEpoch !== epoch) return;
    batch(() => {
      note(events);
      cursors.delete(gap);
      noteCursor(events.at(-1)?.id ?? gap, next);
      loaded.value = withOlder(loaded.value, gap, events, next !== null);
      shown.value = withOlder(shown.value, gap, events, next !== null);
      isUnfinished.value = loaded.value.rows.length === 0 && next !== null;
    });
  } catch {
    // The gap can be loaded again later, and the connection shows the problem.
  } finally {
    loadingGap.value = null;
  }
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

function isFound({ row, parts }: Entry, wanted: string): boolean {
  return wanted === '' || [row, ...parts].some((one) => textOf(one).includes(wanted));
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

const texts = new WeakMap<Row, string>();

/** Returns the searchable text in lower case: every value of the row. */
function textOf(row: Row): string {
  let text = texts.get(row);
  if (text === undefined) {
    text = Object.values(row)
      .map((value) => (typeof value === 'object' ? JSON.stringify(value) : String(value)))
      .join('\n')
      .toLowerCase();
    texts.set(row, text);
  }
  return text;
}
