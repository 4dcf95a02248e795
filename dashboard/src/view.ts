/** Keeps the view in the page's address and restores it: filters, search and the open event. */
import { computed, effect, signal } from '@preact/signals';
import { type FilterName, type Filters, isEmpty, queryOf, viewOf } from './filters.ts';

const first = viewOf(location.search);

export const filters = signal<Filters>(first.filters);
export const search = signal(first.search);
/** The event whose details are open. */
export const openEvent = signal<number | null>(first.event);
export const isFiltered = computed(() => !isEmpty(filters.value));

/** Sets a filter; `undefined` removes it. */
export function setFilter(name: FilterName, value: string | undefined): void {
  const { [name]: _, ...others } = filters.value;
  filters.value = value ? { ...others, [name]: value } : others;
}

export function clearFilters(): void {
  filters.value = {};
}

/** Keeps the address in sync with the view, and the view with the browser's history. */
export function followAddress(): void {
  effect(() => {
    const query = queryOf({ filters: filters.value, search: search.value, event: openEvent.value });
    if (query !== location.search)
      history.replaceState(null, '', `${location.pathname}${query}${location.hash}`);
  });
  addEventListener('popstate', () => {
    const view = viewOf(location.search);
    filters.value = view.filters;
    search.value = view.search;
    openEvent.value = view.event;
  });
}
