/**
 * What the feed is narrowed to, as the query of the page's address has it, so that a view can be kept and sent on.
 *
 * What must stay true: writing what was read gives the same query, in the order of `FILTER_NAMES`.
 */
import { FILTER_NAMES } from './filter-names.ts';

export { FILTER_NAMES };
export type FilterName = (typeof FILTER_NAMES)[number];
export type Filters = Readonly<Partial<Record<FilterName, string>>>;

/** Everything of a view that the address has. */
export interface View {
  readonly filters: Filters;
  /** Looked for in what is loaded. */
  readonly search: string;
  /** The id of the event that is looked at. */
  readonly event: number | null;
}

export function viewOf(query: string): View {
  const given = new URLSearchParams(query);
  const filters: Partial<Record<FilterName, string>> = {};
  for (const name of FILTER_NAMES) {
    const value = given.get(name);
    if (value) filters[name] = value;
  }
  const id = given.get('event') ?? '';
  const event = /^[1-9]\d{0,15}$/.test(id) && Number.isSafeInteger(Number(id)) ? Number(id) : null;
  return { filters, search: given.get('q') ?? '', event };
}

/** With its `?`, or nothing. */
export function queryOf({ filters, search, event }: View): string {
  const query = filterQuery(filters);
  if (search !== '') query.set('q', search);
  if (event !== null) query.set('event', String(event));
  return query.size === 0 ? '' : `?${query}`;
}

/** As `GET /api/events` takes them. */
export function filterQuery(filters: Filters): URLSearchParams {
  const query = new URLSearchParams();
  for (const name of FILTER_NAMES) {
    const value = filters[name];
    if (value) query.set(name, value);
  }
  return query;
}

export function isEmpty(filters: Filters): boolean {
  return FILTER_NAMES.every((name) => !filters[name]);
}
