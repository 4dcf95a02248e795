/**
 * The rows of the feed: what is loaded, what is shown of it, and why these differ.
 *
 * Rows do not move under whoever reads them: while the feed is paused, scrolled away from its top, has a cursor, or
 * an event is looked at, what comes waits and is counted. What must stay true: nothing that came is missing once it is let in.
 */
import { batch, computed, effect, signal } from '@preact/signals';
import type { EventPage, Row } from './api.ts';
import { callKey, type Entry, entriesOf } from './calls.ts';
import { type Filters, filterQuery } from './filters.ts';
import { type Loaded, NOTHING, waiting, withNewer, withNewest, withOlder } from './loaded.ts';
import { type Receipt, Received } from './received.ts';
import { getJson } from './request.ts';
import { filters, isFiltered, openEvent, search } from './view.ts';

/** Rows of one answer. */
export const PAGE_ROWS = 200;

const loaded = signal<Loaded>(NOTHING);
const shown = signal<Loaded>(NOTHING);
/** The epoch and the filters that `loaded` is of. */
let epoch: string | null = null;
let loadedFilters: Filters | null = null;

/** Whether anything was answered yet, for these filters. */
export const isLoaded = signal(false);
/** Why the server refuses these filters; null unless it does. */
export const refusal = signal<string | null>(null);
let received = new Received(0);
/** What came of this database since the page was opened. */
export const receipt = signal<Receipt | null>(null);
export const isPaused = signal(false);
export const isScrolled = signal(false);
/** The id of the row that the keyboard is at. */
export const cursor = signal<number | null>(null);
export const isHeld = computed(
  () => isPaused.value || isScrolled.value || cursor.value !== null || openEvent.value !== null,
);
/** What is held back. Without a filter ids count it, however much of it was not loaded. */
export const waits = computed(() => {
  const [newest, before] = [loaded.value.rows[0]?.id, shown.value.rows[0]?.id];
  if (!isFiltered.value && newest !== undefined && before !== undefined)
    return { count: newest - before, isMore: false };
  return waiting(loaded.value, shown.value);
});
/** The gap whose rows are being loaded. */
export const loadingGap = signal<number | null>(null);

/** A row with the earlier rows of its call, one of these by itself, or the place of rows that are not loaded. */
export type Item =
  | { readonly row: Row; readonly parts: readonly Row[]; readonly isPart: boolean }
  | { readonly gap: number; readonly missing: number | null };

/** The calls whose events are listed one by one, by `callKey`. */
export const openCalls = signal<ReadonlySet<string>>(new Set());
/** Every row that is shown, whatever is searched for. */
export const shownRows = computed(() => shown.value.rows);

export const items = computed<readonly Item[]>(() => {
  const { rows, gaps } = shown.value;
  const wanted = search.value.trim().toLowerCase();
  // Only without a filter is each id that is not there a row that is not loaded.
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

/** Takes over what came; `isNewest`: it is the newest page, and `hasOlder` says whether something is below it. */
export function takeRows(
  came: readonly Row[],
  of: { readonly epoch: string; readonly revision: string },
  isNewest: boolean,
  hasOlder: boolean,
): void {
  batch(() => {
    const isOther = epoch !== of.epoch || loadedFilters !== filters.value;
    if (epoch !== of.epoch) received = new Received(Number(of.revision));
    note(came);
    const before = isOther ? NOTHING : loaded.value;
    loaded.value = isNewest || isOther ? withNewest(before, came, hasOlder) : withNewer(before, came);
    epoch = of.epoch;
    loadedFilters = filters.value;
    isLoaded.value = true;
    if (isOther) {
      cursor.value = null;
      letIn();
    }
  });
}

/** There are no rows for these filters, and never will be. */
export function refuseRows(why: string): void {
  batch(() => {
    loaded.value = NOTHING;
    loadedFilters = filters.value;
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

/** Shows everything that waits. */
export function letIn(): void {
  shown.value = loaded.value;
}

export async function loadGap(gap: number): Promise<void> {
  if (loadingGap.value !== null) return;
  loadingGap.value = gap;
  const query = filterQuery(filters.value);
  const [ofFilters, ofEpoch] = [filters.value, epoch];
  query.set('before', String(gap));
  query.set('limit', String(PAGE_ROWS));
  try {
    const { events, next } = await getJson<EventPage>(`/api/events?${query}`);
    if (ofFilters !== filters.value || ofEpoch !== epoch) return;
    batch(() => {
      note(events);
      loaded.value = withOlder(loaded.value, gap, events, next !== null);
      shown.value = withOlder(shown.value, gap, events, next !== null);
    });
  } catch {
    // The gap is still there to be asked for, and the connection says what is wrong.
  } finally {
    loadingGap.value = null;
  }
}

/** What is not held is shown as it comes. */
export function followRows(): void {
  effect(() => {
    if (!isHeld.value) letIn();
  });
  effect(() => {
    if (filters.value === loadedFilters) return;
    isLoaded.value = false;
    refusal.value = null;
  });
}

/** Resolves once the first rows were answered, or after so long. */
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

/** Lists the events of a call, or takes the list back. */
export function toggleCall(row: Row): void {
  const calls = new Set(openCalls.value);
  if (!calls.delete(callKey(row))) calls.add(callKey(row));
  openCalls.value = calls;
}

/** Whether the item shows this event, or stands for it. */
export function holds(item: Item, id: number | null): boolean {
  return 'row' in item && (item.row.id === id || item.parts.some((part) => part.id === id));
}

const texts = new WeakMap<Row, string>();

/** What is searched, in lower case: every value of the row. */
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
