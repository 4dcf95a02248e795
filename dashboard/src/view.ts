/** Keeps the view in the page's address and restores it: filters, search and the open event. */
import { computed, effect, signal } from '@preact/signals';
import { dayZone } from './figures.ts';
import { type FilterName, type Filters, filterQuery, isEmpty, queryOf, viewOf } from './filters.ts';
import { type Range, sinceOf } from './range.ts';
import { now_ms } from './time.ts';

const first = viewOf(location.search);

export const filters = signal<Filters>(first.filters);
/** The text in the search box. */
export const search = signal(first.search);
/** The text that is searched for: that of the search box, once the user pauses. */
export const sought = signal(first.search.trim());
/** The event whose details are open. */
export const openEvent = signal<number | null>(first.event);
export const range = signal<Range | null>(first.range);
/** The quarter of an hour, so that a range moves only when a new one begins. */
const quarter = computed(() => Math.floor(now_ms.value / 900_000));
/** The beginning of the range as text. A chosen session is shown whole. */
export const since = computed(() => {
  if (range.value === null || filters.value.session_id !== undefined) return null;
  return sinceOf(range.value, new Date(quarter.value * 900_000), dayZone.value);
});
export const hasFilters = computed(() => !isEmpty(filters.value));
/** Whether some stored events are not shown. */
export const isFiltered = computed(() => hasFilters.value || since.value !== null || sought.value !== '');
/** The query of the feed's events. It changes with the filters, the range and the search. */
export const selection = computed(() => {
  const query = filterQuery(filters.value);
  if (since.value !== null) query.set('since', since.value);
  if (sought.value !== '') query.set('q', sought.value);
  return query.toString();
});

/** Returns `?since=…` for a path with statistics; an empty text without a range. */
export function sinceQuery(): string {
  return since.value === null ? '' : `?since=${since.value}`;
}

/** Sets a filter; `undefined` removes it. */
export function setFilter(name: FilterName, value: string | undefined): void {
  const { [name]: _, ...others } = filters.value;
  filters.value = value ? { ...others, [name]: value } : others;
}

/** Time without a key after which a search starts, in milliseconds. */
const PAUSE_MS = 250;
let pause: ReturnType<typeof setTimeout> | undefined;

/** Takes the text of the search box. The search follows after a pause, and ends at once when the text is removed. */
export function typeSearch(text: string): void {
  search.value = text;
  clearTimeout(pause);
  if (text.trim() === '') startSearch();
  else pause = setTimeout(startSearch, PAUSE_MS);
}

/** Searches for the text of the search box. */
export function startSearch(): void {
  clearTimeout(pause);
  sought.value = search.value.trim();
}

export function clearFilters(): void {
  filters.value = {};
}

/** Keeps the address in sync with the view, and the view with the browser's history. */
export function followAddress(): void {
  effect(() => {
    const query = queryOf({
      filters: filters.value,
      search: sought.value,
      event: openEvent.value,
      range: range.value,
    });
    if (query !== location.search)
      history.replaceState(null, '', `${location.pathname}${query}${location.hash}`);
  });
  addEventListener('popstate', () => {
    const view = viewOf(location.search);
    filters.value = view.filters;
    search.value = view.search;
    startSearch();
    openEvent.value = view.event;
    range.value = view.range;
  });
}
